"""Sets side by side: a row of several parts, or of one part at a time.

A row (u, v) with u and v each in its set lies in their product. Where only one of u, v is not zero,
it lies in the hull of the union:

    product: ‖(u, v)‖ = max(‖u‖, ‖v‖), r² = r_u² + r_v²
    hull:    ‖(u, v)‖ = ‖u‖ + ‖v‖,     r² = max(r_u², r_v²)

so that every allowed row has norm at most 1. ``faces`` tells which columns of a row can differ from
0 together. Proof: docs/proofs/hull-norm.md.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import accumulate, chain, islice, product

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.exact import sqrt_up
from dpwerm.features.domain import ULP, Domain, Face, Interval


@dataclass(frozen=True)
class _Composed(Domain):
    """Several sets side by side, at least one, each in columns of its own."""

    parts: tuple[Domain, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not self.parts or not all(isinstance(part, Domain) for part in self.parts):
            raise ParameterError("a domain is composed of domains, at least one")

    @cached_property
    def dimension(self) -> int:
        """The columns of all parts."""
        return sum(part.dimension for part in self.parts)

    @cached_property
    def radius(self) -> float:
        """The largest ‖x‖₂ of a row, rounded up."""
        return sqrt_up(self.radius_squared)

    @cached_property
    def column_bounds(self) -> FloatArray:
        """The bounds of all parts."""
        bounds = np.concatenate([part.column_bounds for part in self.parts])
        bounds.flags.writeable = False
        return bounds

    @cached_property
    def _placed(self) -> tuple[tuple[Domain, slice], ...]:
        """Each part with its columns."""
        ends = list(accumulate(part.dimension for part in self.parts))
        return tuple(zip(self.parts, map(slice, [0, *ends], ends), strict=True))

    @cached_property
    def _faces(self) -> tuple[tuple[Face, ...], ...]:
        """The faces of each part, with their columns among those of all."""
        return tuple(
            tuple(
                tuple((tuple(columns.start + j for j in js), square) for js, square in face)
                for face in part.faces
            )
            for part, columns in self._placed
        )

    def _split(self, points: FloatArray) -> Iterator[tuple[Domain, FloatArray]]:
        """Yield each part with its columns of points (…, p)."""
        for part, columns in self._placed:
            yield part, points[..., columns]

    def _balls(self, point: Sequence[arb]) -> list[arb]:
        """Return the norm of each part of a point of balls."""
        return [part.gauge_ball(point[columns]) for part, columns in self._placed]

    def _simulated_parts(
        self, draws: Draws, columns: slice, depth: int
    ) -> Iterator[tuple[Domain, slice, FloatArray]]:
        """Yield each part with its columns of the draws and its uniform points."""
        for part, own in self._placed:
            place = slice(columns.start + own.start, columns.start + own.stop)
            yield part, place, part.simulated(draws, place, depth)


@dataclass(frozen=True)
class Product(_Composed):
    """Every part of a row in its own set: norm max, r² adds; a uniform point has such parts."""

    @cached_property
    def radius_squared(self) -> Fraction:
        """The sum over the parts."""
        return sum((part.radius_squared for part in self.parts), start=Fraction(0))

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """The pieces of one face of every part, in every combination."""
        return tuple(tuple(chain.from_iterable(faces)) for faces in product(*self._faces))

    @property
    def longest(self) -> FloatArray:
        """The longest row of every part."""
        return np.concatenate([part.longest for part in self.parts])

    @property
    def uniforms(self) -> int:
        """Those of the parts."""
        return sum(part.uniforms for part in self.parts)

    def gauge(self, points: FloatArray) -> FloatArray:
        """Return the largest norm of a part."""
        largest = np.zeros(points.shape[:-1])
        for part, own in self._split(points):
            np.maximum(largest, part.gauge(own), out=largest)
        return largest

    def gauge_ball(self, point: Sequence[arb]) -> arb:
        """Return the largest norm of a part."""
        return reduce(arb.max, self._balls(point))

    def contains(self, rows: FloatArray) -> bool:
        """Whether every part of every row lies in its set."""
        # Intervals are columns within their bounds, all of them at once.
        if not np.all(np.abs(rows) <= self.column_bounds):
            return False
        wide = (pair for pair in self._split(rows) if not isinstance(pair[0], Interval))
        return all(part.contains(own) for part, own in wide)

    def point(self, uniforms: Sequence[arb]) -> list[arb]:
        """Return a uniform point of each part, in their order."""
        left = iter(uniforms)
        points = (part.point(list(islice(left, part.uniforms))) for part in self.parts)
        return list(chain.from_iterable(points))

    def simulated(self, draws: Draws, columns: slice, depth: int = 0) -> FloatArray:
        """Return a uniform point of each part."""
        parts = self._simulated_parts(draws, columns, depth)
        return np.concatenate([point for _, _, point in parts], axis=-1)

    def pulled(self, row: FloatArray) -> FloatArray:
        """Return the row with every part in its set."""
        return np.concatenate([part.pulled(own) for part, own in self._split(row)])


@dataclass(frozen=True)
class Hull(_Composed):
    r"""One part of a row at most is not zero: norm sum, r² = max.

    .. math:: V = \frac{(G_1 v_1/\|v_1\|, \dots, G_m v_m/\|v_m\|)}{G_1 + \dots + G_m + E},
              \quad G_i \sim \Gamma(p_i), E \sim Exp(1)

    is uniform on the hull if v_i is uniform on part i: G_i v_i/‖v_i‖ has density ∝ exp(−‖·‖), so
    together they have ∝ exp(−Σ‖·‖), and dividing by norm plus an exponential gives the ball.
    """

    @cached_property
    def radius_squared(self) -> Fraction:
        """The largest of the parts."""
        return max(part.radius_squared for part in self.parts)

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """The faces of each part: no other column of such a row is not zero."""
        return tuple(chain.from_iterable(self._faces))

    @property
    def longest(self) -> FloatArray:
        """The longest row of the part that has one."""
        part, columns = max(self._placed, key=lambda pair: pair[0].radius_squared)
        row = np.zeros(self.dimension)
        row[columns] = part.longest
        return row

    @property
    def uniforms(self) -> int:
        """Those of the parts, one for each column, and one for E."""
        return sum(part.uniforms for part in self.parts) + self.dimension + 1

    def gauge(self, points: FloatArray) -> FloatArray:
        """Return the sum of the norms of the parts."""
        sizes = (part.gauge(own) for part, own in self._split(points))
        return sum(sizes, start=np.zeros(points.shape[:-1]))

    def gauge_ball(self, point: Sequence[arb]) -> arb:
        """Return the sum of the norms of the parts."""
        return sum(self._balls(point), start=arb(0))

    def contains(self, rows: FloatArray) -> bool:
        """Whether every row has norm at most 1: exactly where one part is not zero."""
        used = np.stack([np.any(own != 0, axis=1) for _, own in self._split(rows)])
        several: NDArray[np.bool_] = used.sum(axis=0) > 1
        # Sums, divisions and their own sum: fewer roundings than there are columns and parts.
        slack = 1 + (self.dimension + 4 * len(self.parts)) * ULP
        if not np.all(self.gauge(rows[several]) * slack <= 1):
            return False
        return all(part.contains(own[~several]) for part, own in self._split(rows))

    def point(self, uniforms: Sequence[arb]) -> list[arb]:
        """Return V: for each part the uniforms of its point, then those of its radius; E last."""
        parts: list[arb] = []
        total, left = -uniforms[-1].log(), iter(uniforms)
        for part in self.parts:
            direction = part.point(list(islice(left, part.uniforms)))
            radius = -math.prod(islice(left, part.dimension), start=arb(1)).log()
            scale = radius / part.gauge_ball(direction)
            parts += [scale * v for v in direction]
            total = total + radius
        inverse = 1 / total
        return [v * inverse for v in parts]

    def simulated(self, draws: Draws, columns: slice, depth: int = 0) -> FloatArray:
        """Return V from the parts' points and further exponentials."""
        numbers, spare = draws.spare(depth)
        total = spare[..., columns.start : columns.start + 1]
        found = []
        for part, place, point in self._simulated_parts(draws, columns, depth + 1):
            radius = numbers[..., place].sum(axis=-1, keepdims=True)
            found.append(point / part.gauge(point)[..., None] * radius)
            total = total + radius
        return np.asarray(np.concatenate(found, axis=-1) / total)

    def pulled(self, row: FloatArray) -> FloatArray:
        """Return the row, shortened if need be."""
        if self.contains(row[None]):
            return row
        slack = 4 * (self.dimension + 4 * len(self.parts)) * ULP
        return np.asarray(row * ((1 - slack) / float(self.gauge(row))))
