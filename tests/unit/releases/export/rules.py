"""Random rules and random rows of people, and hostile names."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
from tests.unit.estimators.observational import EXTERNAL, fitted

from dpwerm.arrays import FloatArray
from dpwerm.data.table import MISSING
from dpwerm.features.blocks import Block, CategoryBlock, Level, NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.releases.release import Rule
from dpwerm.study.treatment import Arms

Row = dict[str, float | str | None]

HOSTILE = (
    "plain",
    'it\'s "quoted" \'\'\'thrice\'\'\' """thrice"""',
    '"; DROP TABLE t; --',
    "'); DELETE FROM t; --",
    "two\nlines\rand\u2028three",
    "*/ /* -- #",
    "back\\slash \\' \\",
    "$tag$ %s %(x)s :name ?",
    "\u202eright to left",
    "{braces} {0} {{",
    "Müller, Ω",
)
LISTS = (
    ("F", "M"),
    ("1", "2.5", "-3", "0"),
    ("01", "2", "10", "1e3"),
    ("true", "False"),
    ("not known", "white", "a  b"),
    ("NA", "yes", "no"),
)
NUMBER_SPELLINGS = ("0{}", "+{}", "{}.0", "00{}.", "{}e0")


@cache
def _base(kind: int) -> Rule:
    """Return a rule that is private, one from a seed, or one without noise."""
    return (
        fitted(1, propensity=EXTERNAL),
        fitted(1, propensity=EXTERNAL, random_state=1),
        fitted("inf", propensity=EXTERNAL),
    )[kind % 3]


def make_rule(
    blocks: Sequence[Block],
    integers: Sequence[int],
    *,
    kind: Any = "centred",
    intercept: float = 1.0,
    saturation: float = 1.0,
    threshold: float = 0.0,
    arms: tuple[str, str] = ("a", "b"),
    default: int = 0,
    name: str = "",
    base: int = 0,
) -> Rule:
    """Return a rule with these coefficients on the grid of a fitted one."""
    encoding = Encoding(kind=kind, intercept=intercept, saturation=saturation, blocks=tuple(blocks))
    rule = _base(base)
    facts = rule.declaration
    # No study file and no rule file may hold such arms; exports keep to their lines all the same.
    named = {"declared_arms": Arms(arms, None), "declared_default": arms[default]}
    treatment = facts.treatment.model_copy(update=named)
    return replace(
        rule,
        release=replace(
            rule.release, encoding=encoding, integers=tuple(integers), threshold=threshold
        ),
        declaration=replace(facts, treatment=treatment, study_name=name),
    )


def category(column: str, texts: Sequence[str], *, star: bool = False, default: int = 0) -> Block:
    levels = [Level(name=f"level {i}", cells=(text,)) for i, text in enumerate(texts)]
    if star:
        levels.insert(1, Level(name="other", cells="*"))
    return CategoryBlock(
        name=f"f {column}", column=column, levels=tuple(levels), default=levels[default].name
    )


def number(column: str, lower: float, upper: float, default: float | None = None) -> Block:
    middle = (lower + upper) / 2 if default is None else default
    return NumberBlock(name=f"f {column}", column=column, lower=lower, upper=upper, default=middle)


def random_rule(seed: int) -> Rule:
    """Return a rule that differs in everything from the one of the next seed."""
    rng = np.random.default_rng(seed)
    names = [HOSTILE[i] for i in rng.permutation(len(HOSTILE))]
    blocks: list[Block] = []
    for _ in range(int(rng.integers(0, 4)) + seed % 2):
        lower, width = float(rng.normal(0, 50)), float(rng.exponential(30) + 0.1)
        default = lower + width * float(rng.random())
        blocks.append(number(names.pop(), lower, lower + width, default))
    for _ in range(int(rng.integers(0, 3)) + (seed + 1) % 2):
        texts = LISTS[int(rng.integers(len(LISTS)))] if rng.random() < 0.7 else HOSTILE[: seed + 2]
        star = bool(rng.random() < 0.5)
        default = int(rng.integers(len(texts)))
        blocks.append(category(names.pop(), texts, star=star, default=default))
    intercept = float(rng.choice([0.0, 1.0, 2.5]))
    width = sum(block.width for block in blocks) + (intercept > 0)
    paper = bool(rng.random() < 0.4)
    return make_rule(
        [blocks[i] for i in rng.permutation(len(blocks))],
        [int(k) for k in rng.integers(-(2**38), 2**38, width)],
        kind="paper" if paper else "centred",
        intercept=intercept,
        saturation=1.0 if paper else float(rng.choice([1.0, 3.0])),
        threshold=float(rng.choice([0.0, 0.3])),
        arms=(names.pop().strip(), names.pop().strip()),
        default=int(rng.integers(2)),
        name=names.pop() if names else "",
        base=seed,
    )


def random_rows(
    rule: Rule, n: int, seed: int, *, blanks: Sequence[str], spellings: Sequence[str] = ()
) -> list[Row]:
    """Return people with values inside and outside of all that was declared."""
    rng = np.random.default_rng([seed, 7])

    def pick(values: Sequence[Any]) -> Any:
        return values[int(rng.integers(len(values)))]

    def size(block: NumberBlock) -> float | None:
        odd = (None, math.nan, math.inf, -math.inf, block.lower, block.upper, 1e300, -1e300, 0.0)
        width = block.upper - block.lower
        return pick(odd) if rng.random() < 0.3 else block.lower + width * rng.uniform(-0.5, 1.5)

    def text(block: CategoryBlock) -> str | None:
        known = [cell for level in block.levels if level.cells != "*" for cell in level.cells]
        odd = (None, "", "unknown", "NOT", "7", "1.5", "tru", *sorted(MISSING), pick(known).lower())
        cell = pick(odd) if rng.random() < 0.4 else pick(known)
        if cell and cell.isdigit() and spellings and rng.random() < 0.5:
            cell = pick(spellings).format(cell.lstrip("0") or "0")
        if cell in ("true", "False"):
            cell = pick((cell.upper(), cell.lower(), cell.title()))
        return None if cell is None else pick(blanks) + cell + pick(blanks)

    return [
        {
            block.column: size(block) if isinstance(block, NumberBlock) else text(block)
            for block in rule.release.encoding.blocks
        }
        for _ in range(n)
    ]


def columns_of(rule: Rule, rows: Sequence[Row]) -> dict[str, list[float | str | None]]:
    return {name: [row[name] for row in rows] for name in rule.release.encoding.columns}


def expected(rule: Rule, rows: Sequence[Row]) -> FloatArray:
    """Return the scores that ``recommend`` gives."""
    kinds = {
        block.column: pa.float64() if isinstance(block, NumberBlock) else pa.string()
        for block in rule.release.encoding.blocks
    }
    columns = columns_of(rule, rows)
    table = pa.table({name: pa.array(columns[name], kinds[name]) for name in columns})
    return rule.score_table(table)


def agree(rule: Rule, scores: Sequence[float], arms: Sequence[str], wanted: FloatArray) -> None:
    """Fail unless scores are equal but for rounding, and arms are equal where rounding is none."""
    size = float(np.abs(rule.release.effects).sum())
    np.testing.assert_allclose(scores, wanted, rtol=1e-9, atol=1e-13 * size)
    clear = (np.abs(wanted) > 1e-9) | (size == 0)
    found = np.array([str(arm) for arm in arms], dtype=object)
    assert (found == rule.arms_for(wanted))[clear].all()
    assert clear.mean() > 0.99


def hostile_rule(name: str) -> Rule:
    """Return a rule whose columns, levels, arms and title are a name that wants to be code."""
    shown = name.strip()
    return make_rule(
        [number(name, 0, 1), category(name + "2", [shown, "b"])],
        [1, 2**40, 2**30],
        arms=(shown, shown + "2"),
        name=name,
    )
