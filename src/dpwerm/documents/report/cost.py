"""What it costs: ε in plain words, the entry of the ledger, and what is left."""

from dpwerm.documents.content import Block, Caution, Commands, Paragraph, Section, Table
from dpwerm.documents.ledger import attached, number, used
from dpwerm.documents.report.material import Booked, Material, joined
from dpwerm.documents.report.private import can_be_told, together
from dpwerm.documents.summary import LARGEST_TOLD, even_odds, meaning
from dpwerm.privacy.budget import Budget
from dpwerm.releases.rule import Rule

TITLE = "What it costs"
WORST_CASE = (
    "That is the most that can happen to anybody, whatever else is known about them and however "
    "the result is studied. It is not what happens to most people."
)


def cost(material: Material) -> Section:
    """Return the section on what was spent."""
    rule = material.rule
    if not rule.private:
        return Section("cost", TITLE, (_no_promise(rule),))
    blocks: list[Block] = [
        Paragraph(joined(meaning(rule.release.certificate, rule.budget))),
        *_even_odds(rule),
        *_parts(rule),
        *_value(material),
        *_ledger(material),
    ]
    return Section("cost", TITLE, tuple(blocks))


def _no_promise(rule: Rule) -> Caution:
    why = "its noise came from a seed, which anybody can draw again"
    if rule.release.certificate.epsilon == "Infinity":
        why = "it was fitted without noise"
    return Caution(
        f"NOT PRIVATE: {why}. There is no promise, so no cost was counted and nothing is in a "
        "ledger. Do not publish this rule if the data is sensitive."
    )


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
            f"the rule, be at most {larger:g} % sure of it, or as little as {smaller:g} %. "
            f"{WORST_CASE}"
        )
    ]


def _parts(rule: Rule) -> list[Block]:
    """Return what the parts of the rule cost, where it has parts."""
    if rule.propensity is None and rule.tuning is None:
        return []
    rows = []
    if rule.propensity is not None:
        rows.append(("model of who received which arm", str(rule.propensity.certificate.budget)))
    what = "rule" if rule.tuning is None else "tuning of gamma, and rule"
    rows += [(what, str(rule.own_budget)), ("together", str(rule.budget))]
    return [Table("What was spent on which part.", ("part", "cost"), tuple(rows))]


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
        return [
            Caution(
                "NO LEDGER knows of this release: nobody adds it up with others about the same "
                "people. If there are others, their costs add to the one above."
            )
        ]
    paid = f"It was paid for by {receipt}, before its noise was drawn."
    booked = material.booked
    if booked is None:
        return [
            Paragraph(f"{paid} What is left of the study's total stands in the ledger:"),
            Commands((material.names.typed("dpwerm ledger show {study}"),)),
        ]
    charge = booked.charge_of(material.digest)
    day = "" if charge is None else f" The day of the charge is {charge.date}."
    return [
        Paragraph(f"{paid}{day} The ledger is {booked.where}."),
        _charges(material, booked),
        *_totals(booked),
        _balance(booked),
        *_all_together(booked),
        Paragraph(
            "A release that the total does not hold is refused, and nothing is drawn. Raising the "
            "total takes a command of its own, which writes into the ledger when and why."
        ),
    ]


def _charges(material: Material, booked: Booked) -> Table:
    here = {material.digest: "this rule", material.value_digest: "its value"}
    rows = []
    for one in booked.account.charges:
        release = here.get(one.digest, attached(one)) if one.digest else attached(one)
        whom = one.slot or "everybody"
        rows.append((str(one.number), one.date, one.what, whom, str(one.cost), release))
    return Table(
        "Everything that was charged to this study.",
        ("entry", "day", "what", "for", "cost", "release"),
        tuple(rows),
    )


def _totals(booked: Booked) -> list[Block]:
    """Return how the study's total was changed, if it was."""
    rows = tuple(
        (str(one.number), one.date, str(one.total), one.reason) for one in booked.account.totals
    )
    if not rows:
        return []
    caption = "The study's total was changed after the study began."
    return [Table(caption, ("entry", "day", "total from then on", "why"), rows)]


def _balance(booked: Booked) -> Table:
    account = booked.account
    spent, left = account.spent().decimals(up=True), account.left().decimals(up=False)
    rows = tuple(
        (name, number(getattr(account.total, name)), number(spent[name]), number(left[name]))
        for name in used(account.total)
    )
    parts = " for the fullest part of the people" if account.slots else ""
    squares = " mu adds up in squares." if account.total.mu else ""
    return Table(f"What is left{parts}.{squares}", ("", "total", "spent", "left"), rows)


def _all_together(booked: Booked) -> list[Block]:
    """Return what all releases of the study mean together, where ε alone was spent on several."""
    account = booked.account
    spent = account.spent().decimals(up=True)
    epsilon = spent["epsilon"]
    alone = all(not amount for name, amount in spent.items() if name != "epsilon")
    if len(account.charges) < 2 or account.slots or not alone or epsilon > LARGEST_TOLD:
        return []
    larger, smaller = even_odds(epsilon)
    return [
        Paragraph(
            "Releases about the same people add up. After reading all that was charged, epsilon "
            f"{number(epsilon)}, the toss-up of the example becomes at most {larger:g} %, or as "
            f"little as {smaller:g} %."
        )
    ]
