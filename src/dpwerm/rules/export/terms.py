r"""The score of a rule as a sum over columns, each term in the column's own values.

.. math:: f(x) = c + \sum_{numbers} a_j\,\mathrm{clip}\Big(\frac{x_j - z_j}{u_j}, m, 1\Big)
    + \sum_{categories} v_j(x_j)

Every export writes these same terms. Threshold, saturation and scales are inside a and v.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpwerm.errors import ParameterError
from dpwerm.rules.rule import Rule
from dpwerm.study.blocks import CategoryBlock, NumberBlock
from dpwerm.study.cells import MISSING

_NO_CELL = " "
"""A text that no cell has after normalising, so it is in no level."""


@dataclass(frozen=True)
class NumberTerm:
    """a·clip((x − zero)/unit, least, 1); what is missing, NaN or infinite is the default."""

    column: str
    lower: float
    upper: float
    default: float
    zero: float
    unit: float
    least: float
    coefficient: float

    def at(self, x: float) -> float:
        """Return what a finite number adds."""
        inside = min(max(x, self.lower), self.upper)
        encoded = min(max((inside - self.zero) / self.unit, self.least), 1.0)
        return self.coefficient * encoded + 0.0  # never -0

    @property
    def used(self) -> bool:
        """Whether any value adds anything."""
        return self.coefficient != 0


@dataclass(frozen=True)
class CategoryTerm:
    """What each cell adds, by its normalised text.

    cells: the declared texts, and the words for "missing" if these differ from any other text;
    spellings: for each declared text how the study wrote it; missing: what an empty cell adds;
    otherwise: what every other text adds.
    """

    column: str
    cells: Mapping[str, float]
    spellings: Mapping[str, str]
    missing: float
    otherwise: float

    @property
    def used(self) -> bool:
        """Whether any cell adds anything."""
        return any((*self.cells.values(), self.missing, self.otherwise))


Term = NumberTerm | CategoryTerm


@dataclass(frozen=True)
class Terms:
    """The constant c and a term for every column, in the order of the features."""

    constant: float
    columns: tuple[Term, ...]

    @property
    def used(self) -> tuple[Term, ...]:
        """The terms that can add anything."""
        return tuple(term for term in self.columns if term.used)

    @property
    def unused(self) -> tuple[str, ...]:
        """The columns that the score does not depend on."""
        return tuple(term.column for term in self.columns if not term.used)


def terms_of(rule: Rule) -> Terms:
    """Return the terms of a rule's score."""
    release = rule.release
    encoding = release.encoding
    centred, effects = encoding.kind == "centred", release.effects.tolist()
    constant = encoding.intercept_scale * effects.pop(0) if encoding.intercept else 0.0
    columns: list[Term] = []
    for block in encoding.blocks:
        own = [effect * encoding.factor for effect in effects[: block.width]]
        del effects[: block.width]
        if not all(map(math.isfinite, (constant, *own))):
            raise ParameterError("the rule has a coefficient that is too large to be exported")
        if isinstance(block, NumberBlock):
            columns.append(_number(block, own[0], centred=centred))
        else:
            columns.append(_category(block, own, centred=centred))
    return Terms(constant, tuple(columns))


def _number(block: NumberBlock, coefficient: float, *, centred: bool) -> NumberTerm:
    zero, unit, least = block.scale(np.array(block.lower), np.array(block.upper), centred=centred)
    return NumberTerm(
        block.column,
        block.lower,
        block.upper,
        block.default,
        float(zero),
        float(unit),
        least,
        coefficient,
    )


def _category(block: CategoryBlock, own: Sequence[float], *, centred: bool) -> CategoryTerm:
    adds = list(own)
    if block.width == 1:
        adds = [-own[0] if centred else 0.0, own[0]]
    default, other = (adds[position] for position in block.positions([None, _NO_CELL]))
    words = sorted(MISSING - block.lookup.keys()) if default != other else []
    cells = {text: adds[position] for text, position in block.lookup.items()}
    written = [cell for level in block.levels if level.cells != "*" for cell in level.cells]
    return CategoryTerm(
        block.column,
        cells | dict.fromkeys(words, default),
        dict(zip(block.lookup, (cell.strip() for cell in written), strict=True)),
        default,
        other,
    )
