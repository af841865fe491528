"""The two pictures of a rule, and in words what they show."""

from dpwerm.drawing import panels, styled, svg_text
from dpwerm.report.content import Block, Drawing, Picture
from dpwerm.report.figure import (
    draw_coefficients,
    draw_recommendation,
    recommended_everywhere,
)
from dpwerm.report.material import Material
from dpwerm.report.sections.naming import quoted
from dpwerm.rules.rule import Rule
from dpwerm.study.blocks import NumberBlock

WIDTH = 4.8
"""Inches: as wide as a picture can be and still be read on a phone."""

MOST_DRAWN = 24


def pictures(material: Material) -> list[Block]:
    """Return the coefficients and, over two numbers, the recommended arm."""
    rule = material.rule
    count = min(len(rule.release.encoding.coefficient_names), MOST_DRAWN)
    blocks: list[Block] = []
    with styled():
        figure, axes = panels(WIDTH, 1.0 + 0.27 * count)
        draw_coefficients(rule, axes[0, 0], material.reach, MOST_DRAWN)
        blocks.append(_coefficients_picture(material, Drawing(svg_text(figure))))
        if sum(isinstance(block, NumberBlock) for block in rule.release.encoding.blocks) > 1:
            figure, axes = panels(WIDTH, 3.6)
            draw_recommendation(rule, axes[0, 0])
            blocks.append(
                Picture(
                    "The recommended arm, every other feature at its default.",
                    _plane_words(rule),
                    Drawing(svg_text(figure)),
                )
            )
    return blocks


def _coefficients_picture(material: Material, drawing: Drawing) -> Picture:
    half, count = material.half, len(material.rule.release.encoding.coefficient_names)
    reach = "" if half is None or not half.any() else ", and how far the privacy noise reaches"
    most = f" The {MOST_DRAWN} largest." if count > MOST_DRAWN else ""
    interval = ", each with its interval" if reach else ""
    return Picture(
        f"The coefficients{reach}.{most}",
        f"Coefficients as in the table above{interval}.",
        drawing,
    )


def _plane_words(rule: Rule) -> str:
    plane, everywhere = "The plane of the two numbers that weigh most", recommended_everywhere(rule)
    if everywhere is not None:
        return f"{plane}: all of it is {quoted(everywhere)}."
    first, second = map(quoted, rule.arms)
    return f"{plane}, divided by a straight line: on one side {first}, on the other {second}."
