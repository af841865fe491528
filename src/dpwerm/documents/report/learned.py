"""What was learned, with what stands out from noise and chance, and how good it is."""

from collections.abc import Callable

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes

from dpwerm.arrays import FloatArray
from dpwerm.documents.chosen import gain_words
from dpwerm.documents.document import (
    Block,
    Caution,
    Commands,
    Drawing,
    Paragraph,
    Picture,
    Section,
    Table,
    told,
)
from dpwerm.documents.drawing import panels, styled, svg_text
from dpwerm.documents.effects import beyond, coefficient_texts, leans, one_sided, unclear
from dpwerm.documents.figures import (
    draw_coefficients,
    draw_gains,
    draw_recommendation,
    draw_value,
    recommended_everywhere,
)
from dpwerm.documents.half_widths import no_trials, why_not
from dpwerm.documents.method import (
    learning_words,
    shrunk_unit,
    shrunk_words,
    unit_of,
    warning_words,
)
from dpwerm.documents.own_units import declared, score_error, score_rows
from dpwerm.documents.parts import (
    guard_words,
    range_name,
    ranges_words,
    tightness_words,
    units_words,
)
from dpwerm.documents.report.material import Material, quoted
from dpwerm.documents.summary import caveat, zeroed
from dpwerm.documents.value import (
    HEADINGS,
    cost_words,
    estimate_row,
    gains_of,
    reading_words,
    scale_words,
    verdict_words,
)
from dpwerm.features.blocks import NumberBlock
from dpwerm.releases.ranges import FEATURES
from dpwerm.releases.release import Rule
from dpwerm.releases.value.release import ValueRelease
from dpwerm.text import interval_words, listed, number, on_scale

MOST_NAMED = 4
NOTHING_CLEAR = "No feature tells people apart beyond what noise and chance may do."
NO_COEFFICIENT = "No coefficient stands out: this rule may be noise and chance alone."
SHARED = (
    "To lie beyond the bar is not to tell people apart. A part of what all people share goes to "
    "the features, too: to a number that lies mostly on one side of the middle of its range, and "
    "to a level that most people have. How people are spread is not known here."
)

WIDTH = 4.8
"""Inches: as wide as a picture can be and still be read on a phone."""

MOST_DRAWN = 24


def learned(material: Material) -> Section:
    """Return the section on the rule itself."""
    rule = material.rule
    first, second, default = map(quoted, (*rule.arms, rule.default))
    answer = f"Recommend {second} where the score is above 0 and {first} where it is below; a "
    answer += f"score of exactly 0 gives {default}. {learning_words(rule)}"
    verdict = material.verdict
    blocks: list[Block] = [
        Paragraph(verdict.words) if verdict.told else Caution(verdict.words),
        Paragraph(answer.strip()),
        *told(tightness_words(rule), ranges_words(rule), guard_words(rule)),
        *told(warning_words(rule)),
        Paragraph(as_released(rule)),
        _score_table(rule),
        *told(shrunk_words(rule)),
        Paragraph(_example(rule)),
        *noise(material),
        *pictures(material),
    ]
    return Section("learned", "What was learned", tuple(blocks))


def as_released(rule: Rule) -> str:
    """Return what speaks for which arm in the rule as it is, whether or not that is noise."""
    noisy = ", noise included" if rule.release.certificate.budget.is_private else ""
    return f"The rule as it was released{noisy}: {directions(rule)}"


def directions(rule: Rule, bar: FloatArray | None = None) -> str:
    """Return what speaks for which arm, the strongest first; with a bar what goes beyond it."""
    found = leans(rule, bar)
    if not found and leans(rule):
        return NOTHING_CLEAR
    if not found:
        return "No feature speaks for either arm: everybody gets the same recommendation."
    sides = ([one.second for one in found], [one.first for one in found])
    sentences = []
    for arm, named in zip(rule.arms[::-1], sides, strict=True):
        more = f" and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
        told = ", ".join(named[:MOST_NAMED]) if more else listed(named)
        sentences.append(f"Speaking for {quoted(arm)}: {told}{more}.")
    order = " What weighs most comes first." if len(found) > 1 else ""
    return f"{' '.join(sentences)}{order}"


def noise(material: Material) -> list[Block]:
    """Return the coefficients in encoded units beside the privacy noise and the bar."""
    rule, half, simulated, bar = material.rule, material.half, material.simulated, material.bar
    release = rule.release
    names, small = release.encoding.coefficient_names, zeroed(release)
    headings: tuple[str, ...] = ("coefficient", "released")
    columns: list[list[str]] = [coefficient_texts(release, half)]
    if half is not None and half.any():
        headings += (f"privacy noise, ±{', simulated' if simulated is not None else ''}",)
        columns.append([f"± {number(one, one)}" for one in half])
    if simulated is not None and simulated.inside:
        headings += ("in 8 of 10 synthetic trials, ±",)
        ends = zip(*simulated.among_trials, strict=True)
        columns.append([interval_words(low, high) for low, high in ends])
    if bar is not None:
        headings += (f"bar, ±: {bar.what}", "stands out")
        columns.append([f"± {number(one, one)}" for one in bar.sizes])
        columns.append(["yes" if one else "no" for one in beyond(release, bar.sizes)])
    rows = [
        (name, value, *("set to 0" if zero else text for text in rest))
        for name, zero, value, *rest in zip(names, small, *columns, strict=True)
    ]
    caption = f"Coefficients in encoded units: {units_words(rule)}."
    return [Table(caption, headings, tuple(rows)), *_spread(material), *_standing_out(material)]


def _spread(material: Material) -> list[Block]:
    """Return what the ± of the privacy noise means; nothing where there is no noise."""
    rule = material.rule
    if material.half is None:
        return [Paragraph(f"No interval is shown. {why_not(rule)}")]
    if not material.noisy:
        return []
    words = (
        "In 95 of 100 releases the privacy noise of no coefficient goes beyond its ±, by its exact "
        "law. It is not sampling error: other people would have given other coefficients even "
        "without noise."
    )
    said = words if material.simulated is None else material.simulated.words
    return [Paragraph(f"{said} {caveat(rule)}".strip())]


def _standing_out(material: Material) -> list[Block]:
    """Return what the bar means, and what does not go beyond it."""
    rule, bar = material.rule, material.bar
    if bar is None:
        what = "What noise and chance do together is not known here, so nothing is said to stand "
        return [Paragraph(f"{what}out: {no_trials(rule)}.")]
    blocks: list[Block] = [Paragraph(bar.words)]
    if not any(beyond(rule.release, bar.sizes)):
        more = " More people or a larger budget would give a clearer one." if bar.noisy else ""
        return [*blocks, Caution(f"{NO_COEFFICIENT}{more}")]
    drowned, shared = unclear(rule, bar.sizes), one_sided(rule, bar.sizes)
    if drowned:
        words = f"These do not stand out: {listed(drowned)}. Read nothing into their signs; the "
        blocks.append(Paragraph(f"{words}score uses them all the same."))
    leaning = ""
    if shared:
        leaning = "Levels are judged against each other: they tell people apart only where one "
        leaning += "lies beyond the bar on either side. "
        leaning += f"Of {listed(shared)} all that do lean one way. "
    return [*blocks, Paragraph(f"{leaning}{SHARED}")]


def pictures(material: Material) -> list[Block]:
    """Return the coefficients and, over two numbers, the recommended arm."""
    rule = material.rule
    names = rule.release.encoding.coefficient_names
    has, noise = material.noisy or material.bar is not None, ""
    if material.bar is not None:
        noise = f", each with its bar: what {material.bar.what} may do"
    elif material.noisy:
        noise = ", with the half-widths of the privacy noise"
    most = f" The {MOST_DRAWN} largest." if len(names) > MOST_DRAWN else ""
    interval = ", each with its interval" if has else ""
    effects = drawn(
        1.0 + 0.27 * min(len(names), MOST_DRAWN),
        lambda axes: draw_coefficients(rule, axes, material.simulated, MOST_DRAWN, material.bar),
    )
    words = f"Coefficients as in the table above{interval}."
    blocks: list[Block] = [Picture(f"The coefficients{noise}.{most}", words, effects)]
    if sum(isinstance(block, NumberBlock) for block in rule.release.encoding.blocks) > 1:
        plane = drawn(3.6, lambda axes: draw_recommendation(rule, axes))
        caption = "The recommended arm, every other feature at its default."
        if rule.single_arm is not None:
            caption = "The recommended arm, which is the same for everybody."
        blocks.append(Picture(caption, _plane_words(rule), plane))
    return blocks


@styled()
def drawn(height: float, draw: Callable[[Axes], None]) -> Drawing:
    """Return one panel of the report's width, so many inches high."""
    figure, axes = panels(WIDTH, height)
    draw(axes[0, 0])
    return Drawing(svg_text(figure))


def _plane_words(rule: Rule) -> str:
    plane, everywhere = "The plane of the two numbers that weigh most", recommended_everywhere(rule)
    if rule.single_arm is not None:
        return f"{plane}: all of it is {quoted(rule.single_arm)}, whatever the other features are."
    if everywhere is not None:
        return f"{plane}: all of it is {quoted(everywhere)}."
    first, second = map(quoted, rule.arms)
    return f"{plane}, divided by a straight line: on one side {first}, on the other {second}."


def _score_table(rule: Rule) -> Table:
    """Return what each feature adds to the score, in the columns' own units."""
    found = range_name(rule, FEATURES) == "private"
    rows = tuple(
        (row.feature or "constant", row.values, row.adds, row.span)
        for row in score_rows(rule.release, found=found)
    )
    return Table(
        "The score is the sum of these, in the columns' own units.",
        ("feature", "values", "adds to the score", "over its whole range"),
        rows,
    )


def _example(rule: Rule) -> str:
    """Return the score of a made-up person, everything at its default."""
    found = range_name(rule, FEATURES) == "private"
    facts = [
        f"{block.name} {_default(block, found=found)}"
        if isinstance(block, NumberBlock)
        else f"{block.name} = {block.default}"
        for block in rule.release.encoding.blocks
    ]
    missing = pa.table({column: [None] for column in rule.release.encoding.columns})
    (score,) = rule.score_table(missing)
    (arm,) = rule.arms_for(np.array([score]))
    shown = listed(facts) if len(facts) <= MOST_DRAWN else "every feature at its default"
    error, unit, shrunk = score_error(rule.release), shrunk_unit(rule), ""
    told = number(score, error, sign=True)
    if unit is not None:
        times = number(score * unit, error * unit, sign=True)
        shrunk = f" (score, shrunk: {times} {unit_of(rule.declaration.benefit)})"
    return (
        f"An example that is nobody's row: {shown} gives a score of {told}, so "
        f"{quoted(str(arm))} is recommended{shrunk}. A value outside its range counts as the "
        "nearest end, a missing one as the default, which the example has throughout."
    )


def _default(block: NumberBlock, *, found: bool) -> str:
    """Return the default of a number, which a private range may have moved to its end."""
    width = block.upper - block.lower
    return on_scale(block.default, width) if found else declared(block.default)


def quality(material: Material) -> Section:
    """Return the section on the value of the rule."""
    value = material.value
    blocks = _unknown(material) if value is None else _known(material, value)
    return Section("quality", "How good it is", tuple(blocks))


def _known(material: Material, value: ValueRelease) -> list[Block]:
    rule = material.rule
    verdict = verdict_words(value, rule)
    rows = tuple(estimate_row(one) for one in (*value.values, *gains_of(value, rule)))
    headings = ("what", *HEADINGS[1:-2], "privacy error", "sampling error")
    words = "The table above as a picture."
    values = drawn(2.6, lambda axes: draw_value(value, axes))
    gains = drawn(2.2, lambda axes: draw_gains(value, axes, rule))
    return [
        *([] if value.private else [Caution(value.notice)]),
        Caution(verdict) if "IS WORSE than" in verdict else Paragraph(verdict),
        Table(f"{scale_words(value)}.", headings, rows),
        Paragraph(reading_words(value)),
        Picture("Mean benefit under the rule, and under one arm for everybody.", words, values),
        Picture("What the rule gains over one arm for everybody.", words, gains),
        Paragraph(cost_words(value, rule)),
    ]


def _unknown(material: Material) -> list[Block]:
    chosen = material.rule.release.certificate.chosen
    evaluate = "dpwerm evaluate {rule} {study} others.csv --epsilon 0.5 --out {value}"
    report = "dpwerm report {rule} --study {study} --value {value}"
    blocks: list[Block] = [
        Caution(
            "NOT EVALUATED: nothing here shows that the rule does any good. What it is worth is "
            "sensitive itself. It can be released at a cost of its own, best on people whom the "
            "rule has not seen:"
        ),
        Commands((material.typed(evaluate), material.typed(report))),
    ]
    if chosen is None or not material.verdict.told:
        return blocks
    if chosen.gain is not None and chosen.harm is not None:
        words = "On synthetic trials inside the declared bounds, a third of them declared tightly "
        words += f"and the others sloppily, {gain_words(chosen.gain, chosen.harm)}. That is about "
        blocks.append(Paragraph(f"{words}the hyperparameters and not about this rule."))
    return blocks
