"""What was learned: the rule as sentences, as a table and by an example."""

import numpy as np
import pyarrow as pa

from dpwerm.report.content import Block, Paragraph, Section, Table
from dpwerm.report.material import Material
from dpwerm.report.sections.directions import answer, directions
from dpwerm.report.sections.naming import exact, listed, quoted
from dpwerm.report.sections.noise import noise
from dpwerm.report.sections.pictures import pictures
from dpwerm.rules.rule import Rule
from dpwerm.study.blocks import CategoryBlock, NumberBlock

MOST_LISTED = 24
"""Features of the example that are named."""


def learned(material: Material) -> Section:
    """Return the section on the rule itself."""
    rule = material.rule
    blocks: list[Block] = [
        Paragraph(answer(rule)),
        Paragraph(directions(rule)),
        _score_table(rule),
        Paragraph(_example(rule)),
        *noise(material),
        *pictures(material),
    ]
    return Section("learned", "What was learned", tuple(blocks))


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
            rows += _level_rows(block, own)
    return Table(
        "The score is the sum of these, in the columns' own units.",
        ("feature", "values", "adds to the score", "over its whole range"),
        tuple(rows),
    )


def _level_rows(block: CategoryBlock, own: dict[str, float]) -> list[tuple[str, ...]]:
    return [
        (block.name, level.name, f"{own[f'{block.name}={level.name}']:+.4g}", "")
        for level in block.levels
    ]


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
    shown = listed(facts) if len(facts) <= MOST_LISTED else "every feature at its default"
    return (
        f"An example that is nobody's row: {shown} gives a score of {score:+.4g}, so "
        f"{quoted(str(arm))} is recommended. A value outside its range counts as the nearest end, "
        "a missing one as the default, which the example has throughout."
    )
