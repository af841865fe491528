"""How good it is: the value of the rule against one arm for everybody, both errors apart."""

from dpwerm.documents.content import (
    Block,
    Caution,
    Commands,
    Drawing,
    Paragraph,
    Picture,
    Section,
    Table,
)
from dpwerm.documents.drawing import panels, styled, svg_text
from dpwerm.documents.report.learned import WIDTH
from dpwerm.documents.report.material import Material, joined
from dpwerm.documents.value import (
    HEADINGS,
    cost_lines,
    estimate_row,
    reading_lines,
    scale_words,
    verdict_lines,
)
from dpwerm.documents.value_figure import draw_gains, draw_value
from dpwerm.releases.value.release import ValueRelease

TITLE = "How good it is"


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
    with styled():
        figure, axes = panels(WIDTH, 2.6)
        draw_value(value, axes[0, 0])
        values = Drawing(svg_text(figure))
        figure, axes = panels(WIDTH, 2.2)
        draw_gains(value, axes[0, 0])
        gains = Drawing(svg_text(figure))
    words = "The table above as a picture."
    return [
        Picture("Mean benefit under the rule, and under one arm for everybody.", words, values),
        Picture("What the rule gains over one arm for everybody.", words, gains),
    ]
