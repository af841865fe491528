"""How good it is, and what it must not be used for.

The value of the rule stands against one arm for everybody, both errors apart.
"""

from dpwerm.documents.content import (
    Block,
    Caution,
    Commands,
    Paragraph,
    Picture,
    Points,
    Section,
    Table,
)
from dpwerm.documents.figures import draw_gains, draw_value
from dpwerm.documents.report.learned import drawn
from dpwerm.documents.report.material import Material, joined, quoted
from dpwerm.documents.report.private import can_be_told
from dpwerm.documents.value import (
    HEADINGS,
    cost_lines,
    estimate_row,
    reading_lines,
    scale_words,
    verdict_lines,
)
from dpwerm.releases.release import Rule
from dpwerm.releases.value.release import ValueRelease

TITLE = "How good it is"
NOT_BY_LOT = ("external", "released", "ridge", "worst_case")


def quality(material: Material) -> Section:
    """Return the section on the value of the rule."""
    value = material.value
    if value is None:
        return Section("quality", TITLE, _unknown(material))
    verdict = joined(verdict_lines(value))
    rows = tuple(estimate_row(one) for one in (*value.values, *value.gains))
    headings = ("what", *HEADINGS[1:-2], "privacy error", "sampling error")
    blocks: list[Block] = [
        Caution(verdict) if verdict.startswith("THE RULE IS WORSE") else Paragraph(verdict)
    ]
    if not value.private:
        blocks.insert(0, Caution(value.notice))
    blocks += [
        Table(f"{scale_words(value)}.", headings, rows),
        Paragraph(joined(reading_lines(value))),
        *_pictures(value),
        Paragraph(joined(cost_lines(value, material.rule))),
    ]
    return Section("quality", TITLE, tuple(blocks))


def _unknown(material: Material) -> tuple[Block, ...]:
    chosen = material.rule.release.certificate.chosen
    blocks: list[Block] = [
        Caution(
            "NOT EVALUATED: nothing here shows that the rule does any good. What it is worth is "
            "sensitive itself. It can be released at a cost of its own, best on people whom the "
            "rule has not seen:"
        ),
        Commands(
            (
                material.names.typed(
                    "dpwerm evaluate {rule} {study} others.csv --epsilon 0.5 --out {value}"
                ),
                material.names.typed("dpwerm report {rule} --study {study} --value {value}"),
            )
        ),
    ]
    if chosen is not None:
        blocks.append(
            Paragraph(
                "On simulated problems inside the declared bounds, rules with these settings gave "
                f"{100 * chosen.accuracy:.1f} % of the people their better arm. That is about the "
                "settings and not about this rule."
            )
        )
    return tuple(blocks)


def _pictures(value: ValueRelease) -> list[Block]:
    words = "The table above as a picture."
    values = drawn(2.6, lambda axes: draw_value(value, axes))
    gains = drawn(2.2, lambda axes: draw_gains(value, axes))
    return [
        Picture("Mean benefit under the rule, and under one arm for everybody.", words, values),
        Picture("What the rule gains over one arm for everybody.", words, gains),
    ]


def limits(material: Material) -> Section:
    """Return the section on misuse."""
    blocks: list[Block] = []
    if not material.private:
        what = "the rule" if not material.rule.private else "its value"
        blocks.append(
            Caution(
                f"NOT PRIVATE: {what} must not be published, or shown to others, if the data is "
                "real."
            )
        )
    blocks.append(Points(tuple(_points(material))))
    return Section("limits", "What it must not be used for", tuple(blocks))


def _points(material: Material) -> list[str]:
    rule = material.rule
    first, second = map(quoted, rule.arms)
    benefit = quoted(rule.declaration.benefit.column)
    return [
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
            "the study. A value outside a declared range counts as the nearest end, so it says "
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
        _about_a_person(rule),
        _again(rule),
        _worth(material),
        *_not_by_lot(rule),
    ]


def _about_a_person(rule: Rule) -> str:
    if not rule.private:
        return (
            "It may tell who took part and what was written about them, because it is NOT PRIVATE."
        )
    words = (
        "It must not be used to judge whether a certain person took part, or what was written "
        "about them"
    )
    if can_be_told(rule):
        return f"{words}. How much anybody can learn of that is bounded by the promise."
    return f"{words}."


def _again(rule: Rule) -> str:
    words = "It must not be made again until it looks better: every release tells more"
    return f"{words}, and the ledger counts them all." if rule.receipt else f"{words}."


def _worth(material: Material) -> str:
    if material.value is None:
        return "It must not be called beneficial: nobody has released what it is worth."
    return (
        "Its value is fair only if it was measured on people whom the rule has not seen. No file "
        "says whether it was: ask."
    )


def _not_by_lot(rule: Rule) -> list[str]:
    if rule.declaration.treatment.origin not in NOT_BY_LOT:
        return []
    return [
        (
            "Arms count as not assigned by lot, so the rule is right only if the probabilities of "
            "the arms are right and nothing that matters is missing from them. No interval here "
            "allows for that."
        )
    ]
