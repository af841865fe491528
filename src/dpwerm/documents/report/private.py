"""Why it is private and how to check that, what it costs and what is left."""

from collections.abc import Iterator

from dpwerm.documents.document import Block, Caution, Commands, Paragraph, Points, Section, Table
from dpwerm.documents.method import is_outcome_weighted
from dpwerm.documents.own_units import centre_in_column, declared, score_rows
from dpwerm.documents.parts import cost_rows, declared_blocks
from dpwerm.documents.report.material import Material, quoted
from dpwerm.documents.summary import LARGEST_TOLD, even_odds, factor_words, meaning
from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.box_sums import BoxSums
from dpwerm.privacy.budget import AnyBudget, Budget, total
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.weight_origin import origin_class
from dpwerm.releases.guard import PROOF as GUARD_PROOF
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import notice
from dpwerm.study.propensity import NoPropensity
from dpwerm.text import at_least, digits

NOT_STATED = "not stated"
OUTSIDE = (
    (
        "Every declared bound, level, probability and setting comes from outside the data: a "
        "protocol, a questionnaire, the literature. Looking at the data to choose one would be a "
        "release that nobody counts."
    ),
    "One person is one row of the table.",
    (
        "Everything else that was published about the same people is in the same ledger, or its "
        "cost is added to the one above."
    ),
    (
        "The random bits of the operating system are uniform and secret, and nobody else could "
        "read the computer's memory or measure how long it worked."
    ),
)


def why_private(material: Material) -> Section:
    """Return the section on what the claim rests on."""
    rule = material.rule
    mechanism = MECHANISMS.get(rule.release.certificate.mechanism)
    how = mechanism.how if mechanism else "The mechanism is not one of the library's"
    blocks: list[Block] = [
        Paragraph(
            f"{how}. The noise is drawn exactly, on a grid, never in rounded numbers. The claim, "
            "its proof and the certificate stand in a section of their own."
        ),
        Paragraph("The promise holds if these are true, which no software can see:"),
        Points(OUTSIDE),
    ]
    if not rule.private:
        seeded = "" if rule.release.certificate.epsilon == "Infinity" else ", but by a seed"
        blocks = [Caution(f"NOT PRIVATE: there is no promise. {how}{seeded}.")]
    blocks += [
        *_bounds(rule),
        *_beside(rule),
        Paragraph(f"Weights: {rule.release.certificate.weight_origin.statement}."),
        *_propensity(rule),
        *_verify(material),
    ]
    title = "Why it is private" if rule.private else "How it was made"
    return Section("private", title, tuple(blocks))


def _beside(rule: Rule) -> list[Block]:
    """Return how private ranges and a guard are private."""
    words = ""
    if rule.tightness is not None:
        words += "Whether bounds are tight was estimated first: how far people are apart on "
        words += "average, with noise that covers what one person can change "
        words += f"({BoxSums.proof}). "
    if rule.ranges:
        words += "Private ranges were released: sums over all people with noise that covers "
        words += f"what one person can change ({BoxSums.proof}). Only then the fit began. "
    if rule.guard is not None:
        words += "The choice between the rule and one arm for everybody was drawn at random, with "
        words += "chances that one person changes by at most the factor that it cost "
        words += f"({GUARD_PROOF}). "
    return [Paragraph(words.strip())] if words and rule.private else []


def _bounds(rule: Rule) -> list[Block]:
    """Return every public declaration with its source, and what lacks one."""
    sources = rule.declaration.sources
    rows = [
        (block.name, _declared(block), sources.get(block.name, NOT_STATED))
        for block in declared_blocks(rule)
    ]
    rows += [_arms(rule), _benefit(rule)]
    table = Table(
        "Everything that was declared in public, and where it comes from.",
        ("what", "declared", "source"),
        tuple(rows),
    )
    missing = sum(source == NOT_STATED for _, _, source in rows)
    if not missing:
        return [table]
    what = "one of these" if missing == 1 else f"{missing} of these"
    rests = "The promise rests on their coming from outside the data: ask for their sources."
    return [table, Caution(f"No source is stated for {what}. {rests}")]


def _arms(rule: Rule) -> tuple[str, str, str]:
    treatment = rule.declaration.treatment
    first, second = map(quoted, treatment.arms)
    arms = f"{first} and {second}, probabilities at least {at_least(treatment.pi_min)}"
    if isinstance(treatment.propensity, NoPropensity):
        arms = f"{first} and {second}, without probabilities"
    if treatment.probabilities is not None:
        one, other = treatment.probabilities
        arms = f"{first} with probability {one}, {second} with probability {other}"
    origin = origin_class(treatment.origin)
    return f"arms, column {treatment.column}", arms, origin.source or origin.statement


def _benefit(rule: Rule) -> tuple[str, str, str]:
    benefit = rule.declaration.benefit
    lower, upper = benefit.bounds
    words = f"{declared(lower)} to {declared(upper)}, {benefit.direction} is better"
    if benefit.transform != "identity":
        words += f", {benefit.transform} taken"
    if is_outcome_weighted(rule):
        words += f"; {centre_in_column(benefit)} counts as neither good nor bad"
    return f"benefit, column {benefit.column}", words, benefit.source or NOT_STATED


def _declared(block: NumberBlock | CategoryBlock) -> str:
    if isinstance(block, NumberBlock):
        ends = f"{declared(block.lower)} to {declared(block.upper)}"
        return f"{ends}, if missing {declared(block.default)}"
    return f"one of {', '.join(map(_level, block.levels))}; if missing {_plain(block.default)}"


def _level(level: Level) -> str:
    """Return a level with its cells, where they are not its name."""
    name = _plain(level.name)
    if level.cells == "*":
        return f"{name} (every other cell)"
    cells = [cell for cell in level.cells if cell != level.name]
    return f"{name} (cells {', '.join(map(_plain, level.cells))})" if cells else name


def _plain(name: str) -> str:
    """Return a name as it is, in quotes if it could be taken for several."""
    return quoted(name) if set(name) & set(",;()") else name


def _propensity(rule: Rule) -> list[Block]:
    model = rule.propensity
    if model is None:
        return []
    own = tuple((row.name, row.adds) for row in score_rows(model))
    caption = f"The model of who received {quoted(rule.arms[1])}, released with the rule: "
    caption += "log-odds, in the columns' own units."
    return [Table(caption, ("feature", "adds to the log-odds"), own)]


def _verify(material: Material) -> list[Block]:
    rule, value = material.rule, material.value
    booked = " --study {study}"
    lines = [material.typed("dpwerm verify {rule}" + (booked if rule.receipt else ""))]
    if value is not None:
        lines.append(material.typed("dpwerm verify {value}" + (booked if value.receipt else "")))
    words = "Anybody who holds the files can derive their numbers again from the facts in them"
    if rule.receipt is not None:
        words += "; whoever can read the ledger can also see that the rule was charged"
    return [Paragraph(f"{words}:"), Commands(tuple(lines))]


def promise(rule: Rule) -> str:
    """Return by how much one person can matter for what was published, all of it included."""
    budget = rule.budget
    if not rule.private:
        return notice(rule)
    if not isinstance(budget, Budget):
        return meaning(rule.release.certificate, budget)
    unit = "Replacing one person's row"
    if rule.release.certificate.n is None:
        unit = "Adding or removing one person's row"
    words = f"{unit} changes the probability of any rule by at most {factor_words(budget.epsilon)}"
    if budget.delta > 0:
        words += f", and beyond that by {budget.delta:f}"
    return f"{words} ({budget})."


def together(material: Material) -> AnyBudget | None:
    """Return what rule and value cost if they are about the same people; None if it has no sum."""
    value, budget = material.value, material.rule.budget
    if value is None or not material.private or not isinstance(budget, Budget):
        return None
    return total(budget, value.budget)


def can_be_told(rule: Rule) -> bool:
    """Whether the promise is one factor that protects somebody, with nothing beside it."""
    budget = rule.budget
    pure = isinstance(budget, Budget) and budget.delta == 0 and budget.epsilon <= LARGEST_TOLD
    return rule.private and pure


def cost(material: Material) -> Section:
    """Return the section on what was spent."""
    rule = material.rule
    blocks: list[Block] = [
        Paragraph(meaning(rule.release.certificate, rule.budget)),
        *_even_odds(rule),
        *_parts(rule),
        *_value(material),
        *_ledger(material),
    ]
    if not rule.private:
        why = "its noise came from a seed, which anybody can draw again"
        if rule.release.certificate.epsilon == "Infinity":
            why = "it was fitted without noise"
        none = "There is no promise, so no cost was counted and nothing is in a ledger. Do not "
        none += "publish this rule if the data is sensitive."
        blocks = [Caution(f"NOT PRIVATE: {why}. {none}")]
    return Section("cost", "What it costs", tuple(blocks))


def _even_odds(rule: Rule) -> list[Block]:
    budget = rule.budget
    if not (isinstance(budget, Budget) and can_be_told(rule)):
        return []
    larger, smaller = even_odds(budget.epsilon)
    unit = "one of two rows is the right one"
    if rule.release.certificate.n is None:
        unit = "the person took part"
    return [
        Paragraph(
            f"An example: somebody who holds it for a toss-up whether {unit} can, after reading "
            f"the rule, be at most {larger:g} % sure of it, or as little as {smaller:g} %. That is "
            "the most that can happen to anybody, whatever else is known about them and however "
            "the result is studied. It is not what happens to most people."
        )
    ]


def _parts(rule: Rule) -> list[Block]:
    """Return what the parts of the rule cost, where it has parts."""
    rows = cost_rows(rule)
    if rule.propensity is None and rule.tuning is None and not rows:
        return []
    if rule.propensity is not None:
        rows.append(("model of who received which arm", str(rule.propensity.certificate.budget)))
    what = "rule" if rule.tuning is None else "tuning of gamma, and rule"
    rows += [(what, str(_fit_budget(rule))), ("together", str(rule.budget))]
    return [Table("What was spent on which part.", ("part", "cost"), tuple(rows))]


def _fit_budget(rule: Rule) -> AnyBudget:
    """Return what the rule cost with the tuning of its γ, without what it paid for besides."""
    return rule.release.certificate.budget if rule.tuning is None else rule.tuning.budget


def _value(material: Material) -> list[Block]:
    """Return what the evaluation cost beside the rule."""
    value = material.value
    if value is None:
        return []
    if not value.private:
        return [Caution(f"Its value: {value.notice}")]
    both = together(material)
    more = "" if both is None else f": {both}"
    blocks: list[Block] = [
        Paragraph(
            f"The value of the rule was released at a cost of its own, {value.budget}. If its "
            f"people are those that the rule was learned from, both add up{more}."
        )
    ]
    if value.receipt is None:
        blocks.append(Caution("NO LEDGER knows of the value: nobody adds its cost up with others."))
    return blocks


def _ledger(material: Material) -> list[Block]:
    receipt = material.rule.receipt
    if receipt is None:
        alone = "NO LEDGER knows of this release: nobody adds it up with others about the same "
        alone += "people. If there are others, their costs add to the one above."
        return [Caution(alone)]
    paid = f"It was paid for by {receipt}, before its noise was drawn."
    account = material.beside.account
    if account is None:
        return [
            Paragraph(f"{paid} What is left of the study's total stands in the ledger:"),
            Commands((material.typed("dpwerm ledger show {study}"),)),
        ]
    days = [one.date for one in account.charges if one.digest == material.digest]
    day = f" The day of the charge is {days[0]}." if days else ""
    return [
        Paragraph(f"{paid}{day} The ledger is {material.beside.where}."),
        *_book(material, account),
        *_all_together(account),
        Paragraph(
            "A release that the total does not hold is refused, and nothing is drawn. Raising the "
            "total takes a command of its own, which writes into the ledger when and why."
        ),
    ]


def _book(material: Material, account: Account) -> Iterator[Block]:
    """Yield the charges of the study, how its total was changed, if it was, and what is left."""
    here = {material.digest: "this rule", material.value_digest: "its value"}
    charges = []
    for one in account.charges:
        release = here.get(one.digest, one.paid_for) if one.digest else one.paid_for
        whom = one.partition or "everybody"
        charges.append((str(one.number), one.date, one.what, whom, str(one.cost), release))
    headings = ("entry", "day", "what", "for", "cost", "release")
    yield Table("Everything that was charged to this study.", headings, tuple(charges))
    totals = [(str(one.number), one.date, str(one.total), one.reason) for one in account.totals]
    if totals:
        caption = "The study's total was changed after the study began."
        yield Table(caption, ("entry", "day", "total from then on", "why"), tuple(totals))
    rows = tuple((name, *map(digits, amounts)) for name, *amounts in account.balance())
    parts = " for the fullest part of the people" if account.partitions else ""
    squares = " mu adds up in squares." if account.total.mu else ""
    yield Table(f"What is left{parts}.{squares}", ("", "total", "spent", "left"), rows)


def _all_together(account: Account) -> list[Block]:
    """Return what all releases of the study mean together, where ε alone was spent on several."""
    spent = account.spent().decimals(up=True)
    epsilon = spent["epsilon"]
    alone = all(not amount for name, amount in spent.items() if name != "epsilon")
    if len(account.charges) < 2 or account.partitions or not alone or epsilon > LARGEST_TOLD:
        return []
    larger, smaller = even_odds(epsilon)
    words = "Releases about the same people add up. After reading all that was charged, epsilon "
    words += f"{digits(epsilon)}, the toss-up of the example becomes at most {larger:g} %, or as "
    return [Paragraph(f"{words}little as {smaller:g} %.")]
