"""The report on one screen: the answer, the promise, what is left, and whether it helps."""

from dpwerm.report.content import Block, Caution, Facts, Section
from dpwerm.report.ledger_words import used
from dpwerm.report.material import Booked, Material
from dpwerm.report.meaning import meaning
from dpwerm.report.sections.learned import NOTHING_CLEAR, directions
from dpwerm.report.sections.naming import joined, quoted
from dpwerm.report.settings_words import unclear_lines
from dpwerm.report.value_words import verdict_lines
from dpwerm.rules.rule import Rule
from dpwerm.rules.rule_file import notice

NOT_EVALUATED = "Not known: nobody has released what the rule is worth."


def in_short(material: Material) -> Section:
    """Return the section that a reader in a hurry reads."""
    rule, value = material.rule, material.value
    first, second = rule.arms
    benefit = rule.declaration.benefit
    rows = [
        (
            "Question",
            (
                f"Who gains more from {quoted(second)} than from {quoted(first)}? The benefit is "
                f"{quoted(benefit.column)}, of which {benefit.direction} is better."
            ),
        ),
        ("Answer", _answer(material)),
        ("Promise", _promise(rule)),
    ]
    if material.booked is not None:
        rows.append(("Budget", left_words(material.booked)))
    rows.append(("Does it help?", NOT_EVALUATED if value is None else joined(verdict_lines(value))))
    if material.checks:
        rows.append(("Checked", _checked(material)))
    blocks: list[Block] = [Facts(tuple(rows))]
    unclear = unclear_lines(rule)
    if unclear:
        blocks.append(Caution(joined(unclear)))
    return Section("short", "In short", tuple(blocks))


def _answer(material: Material) -> str:
    told = directions(material.rule, material.drowned)
    left_out = set(material.drowned) - {"intercept"}
    if not left_out or told == NOTHING_CLEAR:
        return told
    return f"{told} What the privacy noise could have made alone is left out."


def _promise(rule: Rule) -> str:
    """Return what the promise means, in one sentence."""
    said = joined(meaning(rule.release.certificate, rule.budget)).partition(". ")[0]
    if not said:
        return notice(rule)
    what, _, means = said.removeprefix("What ").partition(" means: ")
    return f"{means[0].upper()}{means[1:].rstrip('.')} ({what})."


def left_words(booked: Booked) -> str:
    """Return what of the study's total is spent and left."""
    account = booked.account
    spent, left = account.spent().decimals(up=True), account.left().decimals(up=False)
    parts = [
        f"of {name} {getattr(account.total, name):f} the study has spent {spent[name]:f}, "
        f"and {left[name]:f} is left"
        for name in used(account.total)
    ]
    return f"O{'; '.join(parts)[1:]}."


def _checked(material: Material) -> str:
    ledger = ", those against the ledger among them" if material.booked is not None else ""
    return (
        f"{material.checks} checks of the files held when this report was made{ledger}: their "
        "numbers follow from one another."
    )
