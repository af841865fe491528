"""The convex set that holds every row: its bounds, and the norm whose unit ball it is.

``Interval`` and ``CrossPolytope`` are the sets of one feature; ``features/composed.py`` puts sets
side by side. Another set inherits ``Domain``. All of it is public. Proof:
docs/proofs/objective-perturbation.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.parameters import LARGEST, real

ULP = 2.0**-52

Piece = tuple[tuple[int, ...], Fraction]
"""Columns of a row, and the largest ‖·‖₂² of the row there."""

Face = tuple[Piece, ...]
"""Pieces that together hold all of a row that is not zero; each is as large as it likes."""


class Domain(ABC):
    """A convex set K = −K of R^p with 0 inside it, and the norm whose unit ball it is."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number p of columns."""

    @property
    @abstractmethod
    def radius_squared(self) -> Fraction:
        """The largest ‖x‖₂² of a row, exactly."""

    @property
    @abstractmethod
    def radius(self) -> float:
        """The largest ‖x‖₂ of a row, rounded up."""

    @property
    @abstractmethod
    def column_bounds(self) -> FloatArray:
        """The largest |x_j| of each column, (p,)."""

    @property
    @abstractmethod
    def longest(self) -> FloatArray:
        """A row of the largest length, (p,)."""

    @property
    def faces(self) -> tuple[Face, ...]:
        """Which columns of a row can differ from 0 together, in pieces, and how long each can be.

        Every extreme row lies in one of the faces; all columns are one, where none is smaller.
        """
        return (((tuple(range(self.dimension)), self.radius_squared),),)

    @property
    @abstractmethod
    def uniforms(self) -> int:
        """How many uniforms ``point`` needs."""

    @abstractmethod
    def gauge(self, points: FloatArray) -> FloatArray:
        """Return ‖b‖_K of points (…, p), up to rounding."""

    @abstractmethod
    def gauge_ball(self, point: Sequence[arb]) -> arb:
        """Return an enclosure of ‖b‖_K for a point of balls."""

    @abstractmethod
    def contains(self, rows: FloatArray) -> bool:
        """Whether every one of the rows (n, p) lies in K, for the doubles themselves."""

    @abstractmethod
    def point(self, uniforms: Sequence[arb]) -> list[arb]:
        """Return enclosures of a uniform point of K."""

    @abstractmethod
    def simulated(self, draws: Draws, columns: slice, depth: int = 0) -> FloatArray:
        """Return uniform points of K (…, width of columns) in doubles, from these columns."""

    @abstractmethod
    def pulled(self, row: FloatArray) -> FloatArray:
        """Return a row (p,) of K, the same one if it lies in K."""


class _Simple(Domain):
    """The set {‖v‖₁ ≤ s} of R^k, which for k = 1 is the interval [−s, s]."""

    bound: float

    def __post_init__(self) -> None:
        bound = real("the bound of a domain", self.bound)
        if not 0 < bound <= LARGEST:
            reason = f"must be above 0 and at most {LARGEST:g}, not {bound:g}"
            raise ParameterError(f"the bound of a domain {reason}")
        object.__setattr__(self, "bound", bound)

    @property
    def radius_squared(self) -> Fraction:
        """The square of s."""
        return Fraction(self.bound) ** 2

    @property
    def radius(self) -> float:
        """The bound s itself."""
        return self.bound

    @property
    def column_bounds(self) -> FloatArray:
        """The bound s in every column."""
        return np.full(self.dimension, self.bound)

    @property
    def longest(self) -> FloatArray:
        """The bound s in the first column."""
        row = np.zeros(self.dimension)
        row[0] = self.bound
        return row

    def gauge(self, points: FloatArray) -> FloatArray:
        """Return ‖v‖₁/s."""
        return np.asarray(np.abs(points).sum(axis=-1) / self.bound)

    def gauge_ball(self, point: Sequence[arb]) -> arb:
        """Return an enclosure of ‖v‖₁/s."""
        return sum((abs(x) for x in point), start=arb(0)) / arb(self.bound)

    def contains(self, rows: FloatArray) -> bool:
        """Whether ‖v‖₁ ≤ s in every row; one number is its own sum."""
        sizes = np.abs(rows)
        sums = sizes.sum(axis=1)
        # A sum of several may have been rounded down.
        several = np.count_nonzero(sizes, axis=1) > 1
        sums[several] *= 1 + self.dimension * ULP
        return bool(np.all(sums <= self.bound))

    def pulled(self, row: FloatArray) -> FloatArray:
        """Return the row, shortened if need be."""
        if not self.contains(row[None]):
            size = np.abs(row).sum()
            row = row * (self.bound / size * (1 - 4 * self.dimension * ULP))
        return np.clip(row, -self.bound, self.bound)


@dataclass(frozen=True)
class Interval(_Simple):
    """The interval [−s, s] for ``bound`` s > 0: one column, in which V = s(2U − 1) is uniform."""

    bound: float
    dimension: ClassVar[int] = 1
    uniforms: ClassVar[int] = 1

    def point(self, uniforms: Sequence[arb]) -> list[arb]:
        """Return s(2U − 1)."""
        (one,) = uniforms
        return [arb(self.bound) * (2 * one - 1)]

    def simulated(self, draws: Draws, columns: slice, depth: int = 0) -> FloatArray:
        """Return s times a uniform of [−1, 1]."""
        del depth
        return np.asarray(draws.uniforms[..., columns] * self.bound)


@dataclass(frozen=True)
class CrossPolytope(_Simple):
    r"""The ball {‖v‖₁ ≤ s} of R^k: s times each unit vector, and all between them.

    .. math:: V_j = s X_j / ({\textstyle\sum_i} |X_i| + E), \quad X \sim \text{Laplace},
              E \sim Exp(1)

    is uniform on it, because k of k+1 exponentials over their sum are uniform on the simplex
    {v ≥ 0, Σv ≤ 1}, and a Laplace number is an exponential with an independent fair sign. ``width``
    is k ≥ 1 and ``bound`` s > 0.
    """

    width: int
    bound: float

    def __post_init__(self) -> None:
        if type(self.width) is not int or self.width < 1:
            raise ParameterError("the width of a domain must be a whole number from 1 on")
        super().__post_init__()

    @property
    def dimension(self) -> int:
        """The width k."""
        return self.width

    @property
    def uniforms(self) -> int:
        """Two for each Laplace number and one for E."""
        return 2 * self.width + 1

    def point(self, uniforms: Sequence[arb]) -> list[arb]:
        """Return enclosures of V from 2k + 1 uniforms; X = log(U/U') is a Laplace number."""
        *pairs, last = uniforms
        numbers = [(u / v).log() for u, v in zip(pairs[::2], pairs[1::2], strict=True)]
        inverse = 1 / sum((abs(x) for x in numbers), start=-last.log())
        return [arb(self.bound) * (x * inverse) for x in numbers]

    def simulated(self, draws: Draws, columns: slice, depth: int = 0) -> FloatArray:
        """Return V from Laplace numbers and the first column's exponential."""
        del depth
        numbers = draws.laplace[..., columns]
        sizes = np.abs(numbers).sum(axis=-1, keepdims=True)
        rest = draws.exponential[..., columns.start : columns.start + 1]
        return np.asarray(numbers / (sizes + rest) * self.bound)
