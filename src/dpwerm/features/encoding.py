r"""Rows become points x of a known ball, by a map that is public and never looks at the data.

.. math:: \|x\|_2^2 \le r^2 = s_0^2 + \sum_{blocks} s_{block}^2, \qquad |x_j| \le s_j

because every block (a number, a category) lies in [−s, s] or is s times one unit vector. The bounds
hold for the doubles themselves: values are clipped after rounding, r is rounded up.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Any, Literal, Self

import numpy as np
from pydantic import Field, Strict, ValidationError, model_validator

from dpwerm.arrays import FloatArray
from dpwerm.data.table import Table
from dpwerm.errors import ParameterError, RuleFileError
from dpwerm.faults import faults_of, wrong
from dpwerm.features.blocks import Block, Frozen, Number, NumberBlock, encode_numbers, shrink_factor
from dpwerm.features.composed import Product
from dpwerm.features.domain import CrossPolytope, Domain, Interval
from dpwerm.parameters import LARGEST, SMALLEST, interval
from dpwerm.text import one_line, stays_in_line

MAX_FEATURES = 5_000
MAX_COLUMNS = 5_000


class Encoding(Frozen):
    r"""The map from declared columns to encoded rows.

    ``centred``: a number x within [lower, upper] becomes (x − mid)/half in [−1, 1], a category of
    two levels one column of −1 and +1, a category of k > 2 levels k indicator columns; so s = 1.

    ``paper``: numbers become (x − lower)/(upper − lower) in [0, 1], two levels 0 and 1, and
    everything, the intercept too, is multiplied by

    .. math:: q = 1/\sqrt{d+1}

    (d: columns without the intercept), which gives ‖x‖ ≤ 1; q is rounded down so that s = q.

    A saturation k > 1 learns from clip(kx, −1, 1) in the place of each number's x: the middle of
    its range speaks up, at the same bounds. The rule itself is linear in x: a coefficient learned
    that way is multiplied by

    .. math:: \phi = \frac{E[x\,\mathrm{clip}(kx)]}{E[x^2]} = \frac{3}{2} - \frac{1}{2k^2}

    which is the slope of the line nearest to clip(kx) for a uniform x.

    kind : {"centred", "paper"}
    intercept : float, 0 for none or in [1e-12, 1e12]: its column before ``paper`` shrinks it
    saturation : float in [1, 100], 1 for ``paper``
    blocks : tuple of NumberBlock or CategoryBlock, at least one
    """

    kind: Literal["centred", "paper"] = "centred"
    intercept: Number = 1.0
    saturation: Annotated[float, Strict(), Field(ge=1, le=100, allow_inf_nan=False)] = 1.0
    blocks: tuple[Block, ...]

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.intercept != 0 and self.intercept < SMALLEST:
            raise wrong(f"the intercept must be 0 or in [{SMALLEST:g}, {LARGEST:g}]")
        if self.kind == "paper" and self.saturation != 1:
            raise wrong("the paper's encoding has no saturation", "leave it at 1")
        if not 1 <= len(self.blocks) <= MAX_FEATURES:
            raise wrong(f"there must be 1 to {MAX_FEATURES:,} features")
        if self.n_columns > MAX_COLUMNS:
            raise wrong(f"the features become more than {MAX_COLUMNS:,} columns")
        names = [block.name for block in self.blocks]
        if len(set(names)) < len(names):
            raise wrong("two features have the same name")
        own = [name for block in self.blocks for name in block.own_names]
        if len(set(own)) < len(own):
            problem = "a feature is called like the level of another one, such as sex=F"
            raise wrong(problem, 'name features without "="')
        return self

    @classmethod
    def of_numbers(
        cls,
        names: Sequence[str],
        bounds: Sequence[tuple[float, float]],
        *,
        kind: Literal["centred", "paper"] = "centred",
        intercept: float = 1.0,
    ) -> Self:
        """Return the encoding of columns that all are numbers, one (lower, upper) for each.

        A feature is called like its column; of a column's name with line breaks, in one line.
        """
        if len(names) != len(bounds):
            raise ParameterError(f"{len(bounds)} pairs of bounds for {len(names)} columns")
        try:
            blocks = []
            for name, pair in zip(names, bounds, strict=True):
                low, high = interval(f"bounds of {name}", pair)
                middle = low + (high - low) / 2
                called = name if stays_in_line(name) else one_line(name)
                blocks.append(
                    NumberBlock(name=called, column=name, lower=low, upper=high, default=middle)
                )
            return cls(kind=kind, intercept=float(intercept), blocks=tuple(blocks))
        except ValidationError as error:
            raise ParameterError("; ".join(str(fault) for fault in faults_of(error))) from None

    def __eq__(self, other: object) -> bool:
        """Whether two encodings declare the same; what was computed from them does not count."""
        return isinstance(other, Encoding) and self._declared() == other._declared()

    def __hash__(self) -> int:
        return hash(tuple(self._declared().values()))

    def _declared(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in type(self).model_fields}

    def changed(self, **fields: Any) -> Self:
        """Return an encoding that differs in these fields, checked anew."""
        try:
            return type(self)(**(self._declared() | fields))
        except ValidationError as error:
            faults = [str(fault).removeprefix("contents: ") for fault in faults_of(error)]
            raise ParameterError("; ".join(faults)) from None

    @cached_property
    def n_columns(self) -> int:
        """The number d of encoded columns, the intercept not counted."""
        return sum(block.width for block in self.blocks)

    @cached_property
    def factor(self) -> float:
        """The factor on every column: 1, or q for ``paper``."""
        return 1.0 if self.kind == "centred" else shrink_factor(self.n_columns)

    @cached_property
    def intercept_scale(self) -> float:
        """The constant s₀ of the intercept column as the solver sees it; 0 means none."""
        return self.intercept * self.factor

    @cached_property
    def domain(self) -> Product:
        """The set that holds every row, for the doubles themselves; the intercept comes first.

        A number or two levels lie in [−s, s], a category of k > 2 levels in {‖v‖₁ ≤ s}, which holds
        s times each unit vector.
        """
        blocks: list[Domain] = [
            Interval(self.factor) if block.width == 1 else CrossPolytope(block.width, self.factor)
            for block in self.blocks
        ]
        first = [Interval(self.intercept_scale)] if self.intercept else []
        return Product((*first, *blocks))

    @cached_property
    def coefficient_names(self) -> tuple[str, ...]:
        """One name per entry of θ: "intercept", "age", "sex=M", "race=W", ..."""
        names = [name for block in self.blocks for name in block.coefficient_names]
        return ("intercept", *names) if self.intercept else tuple(names)

    @property
    def columns(self) -> tuple[str, ...]:
        """The table columns that are read, in the order of the features."""
        return tuple(block.column for block in self.blocks)

    def encode(self, table: Table) -> FloatArray:
        """Return the encoded rows, shape (n, d), C-contiguous; total for every cell value."""
        X = np.empty((table.n_rows, self.n_columns))
        start = 0
        for block in self.blocks:
            stop = start + block.width
            block.fill(X[:, start:stop], table, centred=self.kind == "centred", factor=self.factor)
            start = stop
        return X

    def encode_numbers(self, X: FloatArray) -> FloatArray:
        """Return the encoded rows of an array (n, d) in the columns' own units, all numbers."""
        numbers = [block for block in self.blocks if isinstance(block, NumberBlock)]
        if len(numbers) < len(self.blocks):
            raise ParameterError("an array holds numbers only; this encoding has categories")
        if X.ndim != 2 or X.shape[1] != len(numbers):
            raise ParameterError(f"X must have {len(numbers)} columns")
        lower = np.array([block.lower for block in numbers])
        upper = np.array([block.upper for block in numbers])
        encoded: FloatArray = np.array(X, dtype=np.float64, order="C")
        encode_numbers(encoded, lower, upper, centred=self.kind == "centred")
        if self.factor != 1.0:
            encoded *= self.factor
        return encoded

    def learning_rows(self, X: FloatArray) -> FloatArray:
        """Return encoded rows (…, d) as they are learned from: numbers saturated, the rest alike.

        Levels are −1, 0 or +1 and stay where they are.
        """
        return X if self.saturation == 1 else np.clip(self.saturation * X, -1.0, 1.0)

    def of_centred(self, X: FloatArray) -> FloatArray:
        """Return rows (…, d) of the kind ``centred`` as rows of this kind."""
        if self.kind == "centred":
            return X
        levels = [block.width > 1 for block in self.blocks for _ in range(block.width)]
        return np.where(levels, X, (X + 1) / 2) * self.factor

    @cached_property
    def stretch(self) -> FloatArray:
        """The factors (p,) on the coefficients in a score: φ for numbers, 1 for the rest."""
        phi = 1.5 - 0.5 / self.saturation**2
        factors = [
            phi if isinstance(block, NumberBlock) else 1.0
            for block in self.blocks
            for _ in range(block.width)
        ]
        stretch = np.array([1.0, *factors] if self.intercept else factors)
        stretch.flags.writeable = False
        return stretch

    def own_units(self, theta: Sequence[float | Fraction]) -> dict[str, float]:
        """Return the rule in the columns' own units, for reading.

        f(x) = a["intercept"] + Σ a[number]·x + Σ a["category=level"] for rows within the bounds.
        """
        if len(theta) != len(self.coefficient_names):
            raise ParameterError(f"theta must have {len(self.coefficient_names)} entries")
        pairs = zip(theta, self.stretch.tolist(), strict=True)
        values = [Fraction(value) * Fraction(factor) for value, factor in pairs]
        constant = Fraction(0)
        if self.intercept:
            constant = Fraction(self.intercept_scale) * values.pop(0)
        effects: dict[str, float] = {}
        for block in self.blocks:
            part = [value * Fraction(self.factor) for value in values[: block.width]]
            del values[: block.width]
            shift, own = block.own_units(part, centred=self.kind == "centred")
            constant += shift
            effects |= {name: float(value) for name, value in own.items()}
        return {"intercept": float(constant), **effects}

    def to_dict(self) -> dict[str, object]:
        """Return plain values for a rule file; :meth:`from_dict` is the inverse."""
        return self.model_dump(mode="json")

    @classmethod
    def from_dict(cls, raw: Mapping[str, object]) -> Self:
        """Return the encoding a rule file describes; every fault is reported at once."""
        try:
            return cls.model_validate(raw)
        except ValidationError as error:
            raise RuleFileError("encoding", faults_of(error)) from None
