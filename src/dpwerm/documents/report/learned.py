"""What was learned, with what stands out from the privacy noise, and how good it is."""

from collections.abc import Callable, Collection

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes

from dpwerm.documents.document import (
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
from dpwerm.documents.figures import (
    draw_coefficients,
    draw_gains,
    draw_recommendation,
    draw_value,
    recommended_everywhere,
)
from dpwerm.documents.half_widths import why_not
from dpwerm.documents.report.material import Material, exact, joined, quoted
from dpwerm.documents.summary import UNITS, caveat, zeroed
from dpwerm.documents.value import (
    HEADINGS,
    cost_lines,
    estimate_row,
    reading_lines,
    scale_words,
    verdict_lines,
)
from dpwerm.features.blocks import CategoryBlock, NumberBlock
from dpwerm.releases.release import Rule
from dpwerm.releases.value.release import ValueRelease
from dpwerm.text import listed

MOST_NAMED = 4
NOTHING_CLEAR = "No feature stands out from the privacy noise."
EXACT_RATE = (
    "From noise alone one coefficient or more stands out in 5 of 100 releases, at a reach wider "
    "than ±."
)
SIMULATED_RATE = (
    "On the simulated trials noise alone lets one coefficient or more stand out in 5 of 100 "
    "releases, at a reach wider than ±; on other trials it may be fewer or more "
    "(docs/report-intervals.md)."
)

WIDTH = 4.8
"""Inches: as wide as a picture can be and still be read on a phone."""

MOST_DRAWN = 24


def learned(material: Material) -> Section:
    """Return the section on the rule itself."""
    rule = material.rule
    first, second, default = map(quoted, (*rule.arms, rule.default))
    answer = f"Recommend {second} where the score is above 0 and {first} where it is below; a "
    blocks: list[Block] = [
        Paragraph(f"{answer}score of exactly 0 gives {default}."),
        Paragraph(directions(rule)),
        _score_table(rule),
        Paragraph(_example(rule)),
        *noise(material),
        *pictures(material),
    ]
    return Section("learned", "What was learned", tuple(blocks))


def directions(rule: Rule, without: Collection[str] = ()) -> str:
    """Return what speaks for which arm, the strongest first; some coefficients can be left out."""
    sides: tuple[list[str], list[str]] = ([], [])
    effects = _pulls(rule)
    for name, (up, down) in sorted(_meanings(rule).items(), key=lambda one: -abs(effects[one[0]])):
        if effects[name] and name not in without:
            second = effects[name] > 0
            sides[second].append(up)
            if down:
                sides[not second].append(down)
    sentences = []
    for arm, found in zip(rule.arms[::-1], sides[::-1], strict=True):
        if found:
            more = f" and {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
            named = ", ".join(found[:MOST_NAMED]) if more else listed(found)
            sentences.append(f"Speaking for {quoted(arm)}: {named}{more}.")
    if not sentences and any(effects[name] for name in _meanings(rule)):
        return NOTHING_CLEAR
    if not sentences:
        return "No feature speaks for either arm: everybody gets the same recommendation."
    order = " What weighs most comes first." if max(map(len, sides)) > 1 else ""
    return f"{' '.join(sentences)}{order}"


def _pulls(rule: Rule) -> dict[str, float]:
    """Return how far each coefficient pulls from the middle of its feature.

    Numbers and two levels run from -1 to 1, or from 0 to 1 in the paper's encoding, which is half
    as far from the middle; more levels are taken from their mean.
    """
    encoding = rule.release.encoding
    half = 1.0 if encoding.kind == "centred" else 0.5
    pulls = dict(zip(encoding.coefficient_names, map(float, rule.release.effects), strict=True))
    for block in encoding.blocks:
        names, many = block.coefficient_names, isinstance(block, CategoryBlock) and block.width > 1
        middle = sum(pulls[name] for name in names) / block.width if many else 0.0
        pulls |= {name: (pulls[name] - middle) * (1.0 if many else half) for name in names}
    return pulls


def _meanings(rule: Rule) -> dict[str, tuple[str, str]]:
    """Return for each coefficient what a positive one speaks for, and what then speaks against."""
    found = {}
    for block in rule.release.encoding.blocks:
        if isinstance(block, NumberBlock):
            found[block.name] = (f"a higher {block.name}", f"a lower {block.name}")
        elif block.width == 1:
            first, second = (f"{block.name} = {level.name}" for level in block.levels)
            found[block.coefficient_names[0]] = (second, first)
        else:
            for name, level in zip(block.coefficient_names, block.levels, strict=True):
                found[name] = (f"{block.name} = {level.name}", "")
    return found


def noise(material: Material) -> list[Block]:
    """Return the coefficients in encoded units beside the reach of the noise."""
    rule = material.rule
    release = rule.release
    names, effects = release.encoding.coefficient_names, release.effects
    small = zeroed(release)
    simulated, half = material.reach, material.half
    headings: tuple[str, ...] = ("coefficient", "released")
    columns: list[list[str]] = [[f"{one:+.4f}" for one in effects]]
    if half is not None and half.any():
        headings += (f"privacy noise, ±{', simulated' if simulated is not None else ''}",)
        columns.append([f"± {one:.4f}" for one in half])
    if simulated is not None:
        headings += ("in 8 of 10 simulated trials, ±",)
        ends = zip(simulated.low, simulated.high, strict=True)
        columns.append([f"{low:.4f} to {high:.4f}" for low, high in ends])
    rows = [
        (name, value, *("set to 0" if zero else text for text in rest))
        for name, zero, value, *rest in zip(names, small, *columns, strict=True)
    ]
    caption = f"Coefficients in encoded units: {UNITS[release.encoding.kind]}."
    blocks: list[Block] = [Table(caption, headings, tuple(rows))]
    if half is None:
        return [*blocks, Paragraph(f"No interval is shown. {why_not(rule)}")]
    return [*blocks, *_reading(material)] if half.any() else blocks


def _reading(material: Material) -> list[Block]:
    """Return what ± means, and what may be noise alone."""
    words = (
        "± is the reach of the privacy noise in 95 of 100 releases, by its exact law. It is not "
        "sampling error: other people would have given other coefficients even without noise."
    )
    rule, drowned = material.rule, material.drowned
    said = words if material.reach is None else material.reach.words
    blocks: list[Block] = [Paragraph(f"{said} {caveat(rule)}".strip())]
    small = dict(zip(rule.release.encoding.coefficient_names, zeroed(rule.release), strict=True))
    unclear = [name for name in drowned if not small[name]]
    if len(drowned) == len(small):
        words = "No coefficient stands out from the privacy noise: this rule may be noise alone. "
        words += "More people or a larger budget would give a clearer one."
        return [*blocks, Caution(words)]
    if unclear:
        rate = EXACT_RATE if material.reach is None else SIMULATED_RATE
        words = f"{rate} By that measure these do not stand out: {listed(unclear)}. Read nothing "
        words += "into their signs; the score uses them all the same."
        blocks.append(Paragraph(words))
    return blocks


def pictures(material: Material) -> list[Block]:
    """Return the coefficients and, over two numbers, the recommended arm."""
    rule = material.rule
    half, names = material.half, rule.release.encoding.coefficient_names
    reach = "" if half is None or not half.any() else ", and how far the privacy noise reaches"
    most = f" The {MOST_DRAWN} largest." if len(names) > MOST_DRAWN else ""
    interval = ", each with its interval" if reach else ""
    effects = drawn(
        1.0 + 0.27 * min(len(names), MOST_DRAWN),
        lambda axes: draw_coefficients(rule, axes, material.reach, MOST_DRAWN),
    )
    words = f"Coefficients as in the table above{interval}."
    blocks: list[Block] = [Picture(f"The coefficients{reach}.{most}", words, effects)]
    if sum(isinstance(block, NumberBlock) for block in rule.release.encoding.blocks) > 1:
        plane = drawn(3.6, lambda axes: draw_recommendation(rule, axes))
        caption = "The recommended arm, every other feature at its default."
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
    if everywhere is not None:
        return f"{plane}: all of it is {quoted(everywhere)}."
    first, second = map(quoted, rule.arms)
    return f"{plane}, divided by a straight line: on one side {first}, on the other {second}."


def _score_table(rule: Rule) -> Table:
    """Return what each feature adds to the score, in the columns' own units."""
    own = rule.release.own_units()
    rows: list[tuple[str, ...]] = []
    if "intercept" in own:
        rows.append(("constant", "", f"{own['intercept']:+.4g}", ""))
    for block in rule.release.encoding.blocks:
        if isinstance(block, NumberBlock):
            slope = own[block.name]
            span = f"{slope * (block.upper - block.lower):+.3g}"
            bounds = f"{exact(block.lower)} to {exact(block.upper)}"
            rows.append((block.name, bounds, f"{slope:+.4g} per unit", span))
        else:
            rows += [
                (block.name, level.name, f"{own[f'{block.name}={level.name}']:+.4g}", "")
                for level in block.levels
            ]
    return Table(
        "The score is the sum of these, in the columns' own units.",
        ("feature", "values", "adds to the score", "over its whole range"),
        tuple(rows),
    )


def _example(rule: Rule) -> str:
    """Return the score of a made-up person, everything at its declared default."""
    facts = [
        f"{block.name} {exact(block.default)}"
        if isinstance(block, NumberBlock)
        else f"{block.name} = {block.default}"
        for block in rule.release.encoding.blocks
    ]
    missing = pa.table({column: [None] for column in rule.release.encoding.columns})
    (score,) = rule.score_table(missing)
    (arm,) = rule.arms_for(np.array([score]))
    shown = listed(facts) if len(facts) <= MOST_DRAWN else "every feature at its default"
    return (
        f"An example that is nobody's row: {shown} gives a score of {score:+.4g}, so "
        f"{quoted(str(arm))} is recommended. A value outside its range counts as the nearest end, "
        "a missing one as the default, which the example has throughout."
    )


def quality(material: Material) -> Section:
    """Return the section on the value of the rule."""
    value = material.value
    blocks = _unknown(material) if value is None else _known(material, value)
    return Section("quality", "How good it is", tuple(blocks))


def _known(material: Material, value: ValueRelease) -> list[Block]:
    verdict = joined(verdict_lines(value))
    rows = tuple(estimate_row(one) for one in (*value.values, *value.gains))
    headings = ("what", *HEADINGS[1:-2], "privacy error", "sampling error")
    words = "The table above as a picture."
    values = drawn(2.6, lambda axes: draw_value(value, axes))
    gains = drawn(2.2, lambda axes: draw_gains(value, axes))
    return [
        *([] if value.private else [Caution(value.notice)]),
        Caution(verdict) if verdict.startswith("THE RULE IS WORSE") else Paragraph(verdict),
        Table(f"{scale_words(value)}.", headings, rows),
        Paragraph(joined(reading_lines(value))),
        Picture("Mean benefit under the rule, and under one arm for everybody.", words, values),
        Picture("What the rule gains over one arm for everybody.", words, gains),
        Paragraph(joined(cost_lines(value, material.rule))),
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
    if chosen is not None:
        words = "On simulated problems inside the declared bounds, rules with these settings gave "
        words += f"{100 * chosen.accuracy:.1f} % of the people their better arm. That is about "
        blocks.append(Paragraph(f"{words}the settings and not about this rule."))
    return blocks
