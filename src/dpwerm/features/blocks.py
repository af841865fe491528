"""Features as blocks of encoded columns: each block has length at most 1 before scaling.

A number lies in [−1, 1], two levels are one column, k > 2 levels are one of k unit vectors; so a
block adds at most 1 to r², however many columns it has.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated, Any, ClassVar, Literal, NoReturn, Self, TypeVar

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, Strict, StringConstraints, model_validator

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.data.table import MISSING, Table, normalise
from dpwerm.faults import wrong
from dpwerm.parameters import LARGEST, SMALLEST

MAX_LEVELS = 1_000
MAX_CELLS = 10_000

Name = Annotated[str, Strict(), StringConstraints(min_length=1, max_length=1_000)]
Number = Annotated[float, Strict(), Field(ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]


class Frozen(BaseModel):
    """A record that cannot change, has no unknown keys and never echoes its input in an error."""

    # Validators are built at the first use: an import needs few of them.
    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )


K = TypeVar("K")
V = TypeVar("V")


class ReadOnly(dict[K, V]):
    """A mapping of a record, which cannot change either; unlike a proxy it can be pickled."""

    def _refused(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this mapping cannot be changed: what was declared stays as it was checked")

    __setitem__ = __delitem__ = __ior__ = _refused
    clear = pop = popitem = setdefault = update = _refused

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


Bounds = TypeVar("Bounds", float, FloatArray)


def number_scale(lower: Bounds, upper: Bounds, *, centred: bool) -> tuple[Bounds, Bounds, float]:
    """Return (zero, unit, least): a value x is encoded as (x − zero)/unit in [least, 1]."""
    if centred:
        return (lower + upper) / 2, (upper - lower) / 2, -1.0
    return lower, upper - lower, 0.0


def encode_numbers(values: FloatArray, lower: Bounds, upper: Bounds, *, centred: bool) -> None:
    """Encode numbers where they stand, clipped to their bounds and again after rounding."""
    zero, unit, least = number_scale(lower, upper, centred=centred)
    np.clip(values, lower, upper, out=values)
    values -= zero
    values /= unit
    np.clip(values, least, 1.0, out=values)


class NumberBlock(Frozen):
    """A number within public bounds: one column; a missing value is the default."""

    kind: Literal["number"] = "number"
    name: Name
    column: Name
    lower: Number
    upper: Number
    default: Number

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.name == "intercept":
            raise wrong('a feature cannot be called "intercept"')
        if not self.upper - self.lower >= SMALLEST:
            raise wrong(f"the upper bound must exceed the lower by {SMALLEST:g} or more")
        if not self.lower <= self.default <= self.upper:
            raise wrong("the default must lie within the bounds")
        return self

    width: ClassVar[int] = 1

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names in own units."""
        return (self.name,)

    coefficient_names = own_names

    def fill(self, out: FloatArray, table: Table, *, centred: bool, factor: float) -> None:
        """Write the encoded column into ``out``, shape (n, 1); clipped after rounding."""
        values = table.numbers(self.column)
        values = np.where(np.isnan(values), self.default, values)
        encode_numbers(values, self.lower, self.upper, centred=centred)
        np.multiply(values, factor, out=out[:, 0])

    def own_units(
        self, theta: Sequence[Fraction], *, centred: bool
    ) -> tuple[Fraction, dict[str, Fraction]]:
        """Return the constant and the coefficient per unit of the column."""
        zero, unit, _ = map(Fraction, number_scale(self.lower, self.upper, centred=centred))
        slope = theta[0] / unit
        return -slope * zero, {self.name: slope}


class Level(Frozen):
    """A level and the cell texts that mean it; "*" means every other text."""

    name: Name
    cells: Annotated[tuple[Name, ...], Field(min_length=1, max_length=MAX_CELLS)] | Literal["*"]


class CategoryBlock(Frozen):
    """A category with public levels; a missing cell is the default level.

    A text that is no level's cell goes to the "*" level, or to the first level if there is none.
    """

    kind: Literal["category"] = "category"
    name: Name
    column: Name
    levels: Annotated[tuple[Level, ...], Field(min_length=2, max_length=MAX_LEVELS)]
    default: Name

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.name == "intercept":
            raise wrong('a feature cannot be called "intercept"')
        names = [level.name for level in self.levels]
        if len(set(names)) < len(names):
            raise wrong("two levels have the same name")
        if self.default not in names:
            raise wrong("the default must be one of the levels")
        if sum(level.cells == "*" for level in self.levels) > 1:
            raise wrong('only one level can be "*"')
        cells = [
            normalise(cell) for level in self.levels if level.cells != "*" for cell in level.cells
        ]
        if None in cells or len(set(cells)) < len(cells):
            raise wrong("a cell text is empty or stands in two levels")
        return self

    @property
    def width(self) -> int:
        """The number of encoded columns: one for two levels, else one per level."""
        return 1 if len(self.levels) == 2 else len(self.levels)

    @property
    def own_names(self) -> tuple[str, ...]:
        """The names in own units: one per level."""
        return tuple(f"{self.name}={level.name}" for level in self.levels)

    @property
    def coefficient_names(self) -> tuple[str, ...]:
        """The names of the encoded columns: of two levels the first has none."""
        return self.own_names[-self.width :]

    @property
    def lookup(self) -> dict[str, int]:
        """From each declared cell text to the position of its level."""
        return {
            str(normalise(cell)): position
            for position, level in enumerate(self.levels)
            if level.cells != "*"
            for cell in level.cells
        }

    def positions(self, texts: Sequence[str | None]) -> IntArray:
        """Return the position of the level of each normalised cell text."""
        names = [level.name for level in self.levels]
        cells = [level.cells for level in self.levels]
        default = names.index(self.default)
        other = cells.index("*") if "*" in cells else 0
        lookup: dict[str | None, int] = dict.fromkeys([None, *MISSING], default)
        lookup.update(self.lookup)
        return np.array([lookup.get(text, other) for text in texts], dtype=np.int64)

    def fill(self, out: FloatArray, table: Table, *, centred: bool, factor: float) -> None:
        """Write the encoded columns into ``out``, shape (n, width)."""
        codes, texts = table.factorised(self.column)
        positions = self.positions(texts)[codes]
        if self.width == 1:
            first = -factor if centred else 0.0
            out[:, 0] = np.where(positions == 0, first, factor)
        else:
            out[:] = 0.0
            out[np.arange(table.n_rows), positions] = factor

    def own_units(
        self, theta: Sequence[Fraction], *, centred: bool
    ) -> tuple[Fraction, dict[str, Fraction]]:
        """Return the constant 0 and what each level adds."""
        if self.width == 1:
            theta = [-theta[0] if centred else Fraction(0), theta[0]]
        return Fraction(0), dict(zip(self.own_names, theta, strict=True))


Block = Annotated[NumberBlock | CategoryBlock, Field(discriminator="kind")]


def shrink_factor(n_columns: int) -> float:
    """Return q, the largest double with q²·(n_columns + 1) ≤ 1."""
    q = float(1 / np.sqrt(n_columns + 1))
    while Fraction(q) ** 2 * (n_columns + 1) > 1:
        q = float(np.nextafter(q, 0.0))
    while Fraction(float(np.nextafter(q, 2.0))) ** 2 * (n_columns + 1) <= 1:
        q = float(np.nextafter(q, 2.0))
    return q
