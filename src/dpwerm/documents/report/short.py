"""The report on one screen: the answer, the promise, what is left, and whether it helps."""

from dpwerm.documents.content import Block, Caution, Facts, Section
from dpwerm.documents.ledger import number, used
from dpwerm.documents.report.learned import NOTHING_CLEAR, directions
from dpwerm.documents.report.material import Booked, Material, joined, quoted
from dpwerm.documents.report.private import promise, together
from dpwerm.documents.summary import unclear_lines
from dpwerm.documents.value import verdict_lines
from dpwerm.releases.rule import Rule
from dpwerm.releases.value.release import Estimate, ValueRelease

NOT_EVALUATED = "Not known: nobody has released what the rule is worth."


def in_short(material: Material) -> Section:
    """Return the section that a reader in a hurry reads."""
    rule, value = material.rule, material.value
    rows = [
        ("Question", _question(rule)),
        ("People", _people(rule)),
        ("Answer", _answer(material)),
        ("Promise", promise(rule)),
    ]
    if value is not None:
        rows.append(("Its value", _value_cost(material, value)))
    if material.booked is not None:
        rows.append(("Budget", left_words(material.booked)))
    rows.append(("Does it help?", NOT_EVALUATED if value is None else _helps(value)))
    if material.checks:
        rows.append(("Checked", _checked(material)))
    blocks: list[Block] = [Facts(tuple(rows))]
    unclear = unclear_lines(rule)
    if unclear:
        blocks.append(Caution(joined(unclear)))
    return Section("short", "In short", tuple(blocks))


def _question(rule: Rule) -> str:
    first, second = map(quoted, rule.arms)
    benefit = rule.declaration.benefit
    return (
        f"Who gains more from {second} than from {first}? The benefit is "
        f"{quoted(benefit.column)}, of which {benefit.direction} is better."
    )


def _people(rule: Rule) -> str:
    n = rule.release.certificate.n
    if n is None:
        return "How many people took part is not published."
    people = "The rule was learned from the rows of 1 person"
    if n > 1:
        people = f"The rule was learned from the rows of {n:,} people"
    return f"{people}, out of {rule.tuning.rows:,}." if rule.tuning else f"{people}."


def _answer(material: Material) -> str:
    told = directions(material.rule, material.drowned)
    if material.half is None:
        return f"{told} How far the privacy noise reaches is not known: some of it may be noise."
    left_out = set(material.drowned) - {"intercept"}
    if not left_out or told == NOTHING_CLEAR:
        return told
    simulated = ", as far as simulation tells" if material.reach is not None else ""
    return f"{told} What does not stand out from the privacy noise is left out{simulated}."


def _value_cost(material: Material, value: ValueRelease) -> str:
    if not value.private:
        return value.notice
    both = together(material)
    more = "" if both is None else f" Rule and value about the same people cost {both} together."
    return f"It was released at a cost of its own, {value.budget}.{more}"


def _helps(value: ValueRelease) -> str:
    """Return whether the rule is better, and by how much in which unit."""
    gains = " and ".join(_gain(one) for one in value.gains)
    unit = quoted(value.declaration.benefit.column)
    return (
        f"{joined(verdict_lines(value))} Its gain is {gains}, in units of {unit} where more is "
        "better. Whether that matters is for clinicians to say."
    )


def _gain(one: Estimate) -> str:
    shown = "not known" if one.estimate is None else f"{one.estimate:.3g}"
    return (
        f"{shown} ({one.lower:.3g} to {one.upper:.3g}) over {quoted(str(one.over))} for everybody"
    )


def left_words(booked: Booked) -> str:
    """Return what of the study's total is spent and left."""
    account = booked.account
    spent, left = account.spent().decimals(up=True), account.left().decimals(up=False)
    touched = [name for name in used(account.total) if spent[name]] or used(account.total)
    parts = [
        f"of {name} {number(getattr(account.total, name))}, {number(spent[name])} is spent and "
        f"{number(left[name])} is left"
        for name in touched
    ]
    whose = "the fullest part of the people" if account.slots else "the study"
    squares = " (mu adds up in squares)" if "mu" in touched else ""
    return f"For {whose}, {'; '.join(parts)}{squares}."


def _checked(material: Material) -> str:
    ledger = ", those against the ledger among them" if material.booked is not None else ""
    return (
        f"{material.checks} checks of the files held when this report was made{ledger}. That is "
        "arithmetic: numbers follow from one another. It is no judgement of the study."
    )
