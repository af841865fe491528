"""The report out of its material, one section after the other: those of its frame are here."""

from collections.abc import Callable

from dpwerm.documents.chosen import chosen_words, tuning_words, unclear_words
from dpwerm.documents.document import (
    Block,
    Caution,
    Commands,
    Document,
    Facts,
    Paragraph,
    Points,
    Section,
    told,
)
from dpwerm.documents.effects import beyond, leans, one_sided
from dpwerm.documents.half_widths import no_trials
from dpwerm.documents.method import learning_words, unweighted_words
from dpwerm.documents.parts import guard_words, ranges_words, tightness_words
from dpwerm.documents.report.learned import NOTHING_CLEAR, directions, learned, quality
from dpwerm.documents.report.material import Material, quoted
from dpwerm.documents.report.private import can_be_told, cost, promise, together, why_private
from dpwerm.documents.summary import certificate_rows
from dpwerm.documents.value import estimate_words, gains_of, value_rows, verdict_words
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.weight_origin import origin_class
from dpwerm.releases.kinds import Beside
from dpwerm.releases.release import Rule
from dpwerm.releases.value.release import ValueRelease
from dpwerm.text import digits, interval_words, listed
from dpwerm.version import __version__

RESTS, MADE = "What the promise of {} rests on:", "How {} was made, without a promise:"
MAY_BE_SHARED = (
    "A number that lies mostly on one side of the middle of its range, or a level that most people "
    "have, may also stand for what all people share."
)
NOR_CONSTANT = "Nor does the constant: nothing here says that one arm is better than the other."
RELATIONS = {
    Relation.REPLACE_ONE: (
        "The promise compares two tables that differ in one person's row. How many people took "
        "part is public."
    ),
    Relation.ADD_REMOVE: (
        "The promise compares two tables of which one has one more person. How many people took "
        "part is not published."
    ),
}


def in_short(material: Material) -> Section:
    """Return the section that a reader in a hurry reads."""
    rule, value, beside = material.rule, material.value, material.beside
    first, second = map(quoted, rule.arms)
    benefit = rule.declaration.benefit
    question = f"Who gains more from {second} than from {first}? The benefit is "
    question += f"{quoted(benefit.column)}, of which {benefit.direction} is better. "
    question += learning_words(rule, brief=True)
    rows = [
        ("Question", question.strip()),
        ("People", _people(rule)),
        *_parts(rule),
        ("Answer", _answer(material)),
        ("Promise", promise(rule)),
    ]
    if value is not None:
        rows.append(("Its value", _value_cost(material, value)))
    if beside.account is not None:
        rows.append(("Budget", left_words(beside.account)))
    helps = "Not known: nobody has released what the rule is worth."
    rows.append(("Does it help?", helps if value is None else _helps(material, value)))
    if beside.checks:
        ledger = ", those against the ledger among them" if beside.account is not None else ""
        checked = f"{beside.checks} checks of the files held when this report was made{ledger}. "
        checked += "That is arithmetic: numbers follow from one another. It is no judgement of the "
        rows.append(("Checked", f"{checked}study."))
    blocks: list[Block] = [Facts(tuple(rows))]
    unclear = unclear_words(rule, material.verdict)
    if unclear:
        blocks.append(Caution(unclear))
    return Section("short", "In short", tuple(blocks))


def _parts(rule: Rule) -> list[tuple[str, str]]:
    """Return where the data were found to lie, and what a guard took, where a rule paid for it."""
    rows = [
        ("Bounds", tightness_words(rule)),
        ("Ranges", ranges_words(rule)),
        ("Rule or one arm?", guard_words(rule)),
    ]
    return [row for row in rows if row[1]]


def _people(rule: Rule) -> str:
    n = rule.release.certificate.n
    told = "How many people took part is not published."
    if n is not None:
        people = "1 person" if n == 1 else f"{n:,} people"
        whole = f", out of {rule.tuning.rows:,}" if rule.tuning else ""
        told = f"The rule was learned from the rows of {people}{whole}."
    return f"{told} {unweighted_words(rule)}"


def _answer(material: Material) -> str:
    """Return the verdict on the whole rule, then what stands out of it."""
    return f"{material.verdict.words} {_leaning(material)}"


def _leaning(material: Material) -> str:
    """Return what speaks for which arm beyond noise and chance, and what was left out of that."""
    rule, bar = material.rule, material.bar
    if bar is None:
        words = "What privacy noise and chance do together is not known: some of it may be noise, "
        return f"{directions(rule, material.half)} {words}or all of it ({no_trials(rule)})."
    told = directions(rule, bar.sizes)
    named, shared = {one.feature for one in leans(rule, bar.sizes)}, one_sided(rule, bar.sizes)
    left_out = []
    if {one.feature for one in leans(rule)} - named - set(shared):
        left_out.append(f"what {bar.what} alone may do, as far as simulation tells")
    if shared:
        same = "levels beyond it lean one way, which may be what all people share"
        left_out.append(f"{listed(shared)}: {same}")
    if told == NOTHING_CLEAR:
        left_out = left_out[-1:] if shared else []
        if rule.single_arm is None and not any(beyond(rule.release, bar.sizes)):
            told += f" {NOR_CONSTANT}"
    elif named:
        told += f" {MAY_BE_SHARED}"
    return f"{told} Left out is {', and '.join(left_out)}." if left_out else told


def _value_cost(material: Material, value: ValueRelease) -> str:
    if not value.private:
        return value.notice
    both = together(material)
    more = "" if both is None else f" Rule and value about the same people cost {both} together."
    return f"It was released at a cost of its own, {value.budget}.{more}"


def _helps(material: Material, value: ValueRelease) -> str:
    """Return whether the rule is better, and by how much in which unit."""
    rule, gains = material.rule, []
    for one in gains_of(value, rule):
        ends = interval_words(one.lower, one.upper)
        exactly = one.lower == one.upper
        shown = "exactly 0" if exactly else f"{estimate_words(one)} ({ends})"
        gains.append(f"{shown} over {quoted(str(one.over))} for everybody")
    benefit = value.declaration.benefit
    log = "" if benefit.transform == "identity" else f"the {benefit.transform} of "
    unit = log + quoted(benefit.column)
    less = f"; a gain of 1 is 1 less of {unit}" if benefit.direction == "smaller" else ""
    return (
        f"{verdict_words(value, rule)} Its gain is {' and '.join(gains)}, in units of "
        f"{unit}{less}. Whether that matters is for clinicians to say."
    )


def left_words(account: Account) -> str:
    """Return what of the study's total is spent and left."""
    balance = account.balance()
    touched = [row for row in balance if row[2]] or balance
    parts = [
        f"of {name} {digits(total)}, {digits(spent)} is spent and {digits(left)} is left"
        for name, total, spent, left in touched
    ]
    whose = "the fullest part of the people" if account.partitions else "the study"
    squares = " (mu adds up in squares)" if touched[-1][0] == "mu" else ""
    return f"For {whose}, {'; '.join(parts)}{squares}."


def limits(material: Material) -> Section:
    """Return the section on misuse."""
    blocks: list[Block] = []
    if not material.private:
        what = "the rule" if not material.rule.private else "its value"
        never = "must not be published, or shown to others, if the data is real."
        blocks.append(Caution(f"NOT PRIVATE: {what} {never}"))
    blocks.append(Points(tuple(_points(material))))
    return Section("limits", "What it must not be used for", tuple(blocks))


def _points(material: Material) -> list[str]:
    rule = material.rule
    first, second = map(quoted, rule.arms)
    benefit = quoted(rule.declaration.benefit.column)
    person = "It may tell who took part and what was written about them, because it is NOT PRIVATE."
    if rule.private:
        person = "It must not be used to judge whether a certain person took part, or what was "
        person += "written about them."
    if can_be_told(rule):
        person += " How much anybody can learn of that is bounded by the promise."
    again = "It must not be made again until it looks better: every release tells more"
    again += ", and the ledger counts them all." if rule.receipt else "."
    worth = "It must not be called beneficial: nobody has released what it is worth."
    if material.value is not None:
        worth = "Its value is fair only if it was measured on people whom the rule has not seen. "
        worth += "No file says whether it was: ask."
    points = [
        (
            "It does not decide for a person. It is one linear score of a few features; whoever "
            "treats a person knows more."
        ),
        (
            f"It weighs one outcome, {benefit}. Side effects, costs and what a person wishes are "
            "not in it, and some people do worse under the rule than under the other arm."
        ),
        (
            f"It compares {first} and {second} and no other treatment, for people like those of "
            "the study. A value outside its range counts as the nearest end, so it says "
            "little about such people."
        ),
        (
            "It is no test of a hypothesis. A coefficient has no p-value here, and other people "
            "would have given another rule."
        ),
        (
            "It does not say that a feature causes a better outcome: features stand for others "
            "that go with them."
        ),
        person,
        again,
        worth,
    ]
    if not origin_class(rule.declaration.treatment.origin).by_design:
        points.append(
            f"Arms count as not assigned by lot, so the rule is right only if {_if(rule)}"
        )
    return points


def _if(rule: Rule) -> str:
    """Return what a rule from arms that were not drawn by lot needs."""
    if rule.release.certificate.design.uses_probabilities:
        needs = "the probabilities of the arms are right and nothing that matters is missing from "
        needs += "them."
    else:
        needs = "the model of the outcome in each arm is right, and every feature is in it that "
        needs += "goes both with the arm received and with the outcome."
    return f"{needs} No interval here allows for that."


def words(material: Material) -> Section:
    """Return the section that explains words."""
    relation, budget = material.rule.release.certificate.relation, material.rule.budget
    symbol = "epsilon" if isinstance(budget, Budget) else budget.symbol
    promised = [(symbol, "How much a release may tell about one person. Smaller protects better.")]
    if isinstance(budget, Budget) and budget.delta > 0:
        more = "By how much a probability may differ beyond what epsilon allows."
        promised.append(("delta", more))
    bars = []
    if material.bar is not None:
        bar = "How large a coefficient may become where there is nothing to learn. Only what goes "
        bars = [("bar", f"{bar}beyond it is said to stand out.")]
    rows = [
        ("arm", "One of the two treatments that were compared."),
        ("score", "The sum of what each feature adds; its sign says which arm is recommended."),
        *promised,
        (str(relation), RELATIONS[relation]),
        ("mechanism", "How noise is made and where it is put, with a proof of what it promises."),
        ("gamma", "How strongly coefficients are held near 0. A larger one needs less noise."),
        *bars,
        ("ledger", "The list of all releases of a study, their costs and what is left."),
        ("digest", "A number that changes if anything in a file is changed."),
    ]
    return Section("words", "Words", (Facts(tuple(rows)),))


def certificate(material: Material) -> Section:
    """Return the section for a privacy engineer."""
    rule, value = material.rule, material.value
    record = rule.release.certificate
    blocks: list[Block] = []
    if rule.private:
        blocks.append(Paragraph(f"The claim: {record.claim} The proof: {record.proof}."))
    blocks += [
        Paragraph((RESTS if rule.private else MADE).format("the rule")),
        Facts(tuple(certificate_rows(rule).items())),
        *told(tuning_words(rule), chosen_words(rule, material.verdict)),
    ]
    if value is not None:
        blocks += [
            Paragraph((RESTS if value.private else MADE).format("its value")),
            Facts(tuple(value_rows(value).items())),
        ]
    return Section("certificate", "The certificate, for whoever checks it", tuple(blocks))


def made(material: Material) -> Section:
    """Return the section for whoever wants to make it again."""
    rule, value, study = material.rule, material.value, material.rule.declaration.study_id
    rows = [("study", study)] if study else []
    rows += [
        ("rule made by", rule.release.certificate.library),
        ("report made by", f"dpwerm {__version__}"),
        ("digest of the rule file", material.digest),
    ]
    command = "dpwerm report {rule}"
    if material.beside.account is not None:
        command += " --study {study}"
    if value is not None:
        command += " --value {value}"
        rows += [
            ("value made by", value.library),
            ("digest of the value file", str(material.value_digest)),
        ]
    again = "The rule itself comes out again from the same table and hyperparameters."
    if rule.private:
        again = "The rule itself cannot be made twice: its noise came from the operating system "
        again += "and was kept by nobody. A second fit gives another rule"
        again += " and is charged again." if rule.receipt is not None else "."
    blocks: list[Block] = [
        Facts(tuple(rows)),
        Paragraph(f"The same files give the same report, byte for byte. {again}"),
        Commands((material.typed(command),)),
        Paragraph(
            "Everything in this report comes from released files and the ledger. No row of a table "
            "was read to make it. Its pages named docs/... belong to the library's documentation."
        ),
    ]
    return Section("made", "Versions, and how to make it again", tuple(blocks))


SECTIONS: tuple[Callable[[Material], Section], ...] = (
    in_short,
    learned,
    quality,
    cost,
    why_private,
    limits,
    words,
    certificate,
    made,
)


def report_on(rule: Rule, beside: Beside) -> Document:
    """Return the report on a rule, with what is known beside it."""
    return compose(Material(rule, beside))


def compose(material: Material) -> Document:
    """Return the report on a rule."""
    return Document(
        "report",
        material.rule.title,
        tuple(section(material) for section in SECTIONS),
        notices=material.notices,
        private=material.private,
        verdict=material.verdict.outcome,
        about="Report on a treatment rule",
    )
