"""The encoded rows (w_i, t_i, ξ_i) of one problem, walked block by block in one fixed order.

Blocks are cut by the position of a row, at multiples of 1,024 rows, by a rule that knows only how
wide a row is. Whatever spreads the blocks over threads or machines gives back their results in the
order of position, and whoever adds them up does so in that order: a sum over all rows, and so a
release, does not depend on how the blocks were spread.

The intercept is a column of the constant s₀. It is never stored: its score is s₀θ₀ and its
gradient s₀Σ_i, so storing it would cost memory and say nothing.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError

BLOCK_ROWS = 1024  # rows summed in one go; the rounding error of a sum grows with it
CHUNK_NUMBERS = 2**18  # numbers of X in a block: 2 MB, so that it stays in cache over several uses
_SYRK_PRODUCTS = 2**17
_SYRK_FEWEST = 64

T = TypeVar("T")


def rows_per_block(width: int) -> int:
    """Return how many rows of ``width`` stored numbers make a block, a multiple of 1,024."""
    return max(1, CHUNK_NUMBERS // (BLOCK_ROWS * max(1, width))) * BLOCK_ROWS


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows ξ_i = (s₀, x_i) with their targets and weights, and the sums a solver needs.

    ``X`` (n, d) has no intercept column; ``intercept_scale`` s₀ = 0 means no intercept. A block of
    another make may keep less than X, as long as ``scores`` and ``pull`` round each term at most as
    often as here: p + 1 times, and once per row that is added up.
    """

    X: FloatArray
    targets: FloatArray
    weights: FloatArray
    intercept_scale: float

    @property
    def n_rows(self) -> int:
        """Number n of rows."""
        return len(self.targets)

    @property
    def first_feature(self) -> int:
        """Position in θ of the first column of X: 1 with an intercept, else 0."""
        return int(self.intercept_scale > 0)

    def scores(self, theta: FloatArray) -> FloatArray:
        """Return f_i = ξ_iᵀθ = s₀θ₀ + x_iᵀθ."""
        f: FloatArray = self.X @ theta[self.first_feature :]
        if self.first_feature:
            f += self.intercept_scale * theta[0]
        return f

    def pull(self, a: FloatArray) -> FloatArray:
        """Return Σ_i a_i ξ_i, shape (p,)."""
        first = self.first_feature
        total = np.empty(self.X.shape[1] + first)
        np.matmul(a, self.X, out=total[first:])
        if first:
            total[0] = a.sum() * self.intercept_scale
        return total

    def pulls(self, a: FloatArray, height: int) -> FloatArray:
        """Return Σ a_i ξ_i over each ``height`` rows and over what is left, one row per sum."""
        first, (n, d) = self.first_feature, self.X.shape
        sums = np.empty((-(-n // height), d + first))
        whole = n // height * height
        for rows in (slice(0, whole), slice(whole, n)):
            part = a[rows]
            if len(part):
                part = part.reshape(-1, min(height, len(part)))
                some = sums[rows.start // height :][: len(part)]
                X = self.X[rows].reshape(*part.shape, d)
                np.matmul(part[:, None], X, out=some[:, None, first:])
                if first:
                    some[:, 0] = part.sum(axis=1) * self.intercept_scale
        return sums

    def gram(self, a: FloatArray) -> FloatArray:
        """Return Σ_i a_i ξ_i ξ_iᵀ for a ≥ 0, shape (p, p), from the rows where a is not 0."""
        first, d = self.first_feature, self.X.shape[1]
        total = np.zeros((d + first, d + first))
        active = np.flatnonzero(a)
        a = a[active]
        X = self.X.take(active, axis=0)
        if first:
            # A power of a Python float raises where it overflows; a product is infinite.
            total[0, 0] = a.sum() * (self.intercept_scale * self.intercept_scale)
            total[0, 1:] = a @ X * self.intercept_scale
            total[1:, 0] = total[0, 1:]
        X *= np.sqrt(a)[:, None]
        # Few enough rows per product that a narrow one is not split over threads.
        few = _SYRK_PRODUCTS // max(1, d) ** 2
        height = few if few >= _SYRK_FEWEST else max(1, len(X))
        for start in range(0, len(X), height):
            part = X[start : start + height]
            total[first:, first:] += part.T @ part
        return total

    def design(self) -> FloatArray:
        """Return the rows ξ_i, the intercept's column among them, shape (n, p)."""
        if not self.first_feature:
            return self.X
        return np.column_stack([np.full(self.n_rows, self.intercept_scale), self.X])

    def pick(self, rows: slice) -> "Block":
        """Return some of the rows."""
        return Block(self.X[rows], self.targets[rows], self.weights[rows], self.intercept_scale)


class Rows(Protocol):
    """Sensitive rows that can be walked again and again, block by block."""

    @property
    def n_rows(self) -> int:
        """Number n of rows."""

    @property
    def dimension(self) -> int:
        """Number p of entries of θ."""

    @property
    def column_bounds(self) -> FloatArray:
        """Bounds s_j ≥ |ξ_ij|, shape (p,), checked against every row."""

    def map(self, function: Callable[[Block], T]) -> Iterator[T]:
        """Yield ``function`` of each block, in the order of position, however they are spread."""


@dataclass(frozen=True, eq=False)
class MemoryRows(Block):
    """All rows in memory, as one block; θ has p = d + 1 entries with an intercept, else p = d.

    X : array (n, d), C-contiguous float64, encoded without the intercept column; n may be 0
    targets : array (n,), finite t_i, −1 and +1 under a margin loss
    weights : array (n,), finite and ≥ 0
    intercept_scale : float ≥ 0, s₀; 0 means no intercept
    column_bounds : array (p,), s_j ≥ |x_ij|, the intercept's s₀ first if there is one
    """

    column_bounds: FloatArray

    def __post_init__(self) -> None:
        for name in ("X", "targets", "weights", "column_bounds"):
            array = np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "intercept_scale", float(self.intercept_scale))
        if self.X.ndim != 2:
            raise ParameterError("X must have two dimensions")
        n, d = self.X.shape
        if self.targets.shape != (n,) or self.weights.shape != (n,):
            raise ParameterError("X, targets and weights must have the same number of rows")
        if not (np.isfinite(self.intercept_scale) and self.intercept_scale >= 0):
            raise ParameterError("intercept_scale must be finite and at least 0")
        first = self.first_feature
        if self.column_bounds.shape != (d + first,):
            raise ParameterError("column_bounds must have one entry per entry of theta")
        if not np.all(np.isfinite(self.column_bounds) & (self.column_bounds >= 0)):
            raise ParameterError("column_bounds must be finite and at least 0")
        if first and self.column_bounds[0] < self.intercept_scale:
            raise ParameterError("column_bounds must start with the intercept's scale")
        for fault in self.map(self._fault):
            if fault:
                raise ParameterError(fault)

    @property
    def dimension(self) -> int:
        """Number p of entries of θ."""
        return len(self.column_bounds)

    def map(self, function: Callable[[Block], T]) -> Iterator[T]:
        """Yield ``function`` of one block after the other."""
        height = rows_per_block(self.X.shape[1])
        for start in range(0, self.n_rows, height):
            yield function(self.pick(slice(start, start + height)))

    def _fault(self, block: Block) -> str | None:
        """Say, without quoting any value, what is wrong with a row of a block."""
        X, w = block.X, block.weights
        bounds = self.column_bounds[block.first_feature :]
        tightest = bounds.min(initial=np.inf)
        clear = X.max(initial=0) <= tightest and X.min(initial=0) >= -tightest
        if not (clear or np.all(np.abs(X) <= bounds)):
            return "X must be finite and within column_bounds"
        if not np.all(np.isfinite(block.targets)):
            return "targets must be finite"
        if not (w.min() >= 0 and w.max() < np.inf):
            return "weights must be finite and at least 0"
        return None


def every(rows: Rows, stride: int) -> MemoryRows:
    """Return each ``stride``-th row with its weight times the stride: a rough, small F.

    A stride that divides 1,024 picks the rows by their position, however they are cut into blocks.
    A weight that would overflow becomes the largest double.
    """
    if BLOCK_ROWS % stride:
        raise ParameterError(f"stride must divide {BLOCK_ROWS}")
    blocks = list(rows.map(lambda block: block.pick(slice(None, None, stride))))
    weights = np.concatenate([block.weights for block in blocks])
    return MemoryRows(
        X=np.concatenate([block.X for block in blocks]),
        targets=np.concatenate([block.targets for block in blocks]),
        weights=np.minimum(weights, np.finfo(np.float64).max / stride) * stride,
        intercept_scale=blocks[0].intercept_scale,
        column_bounds=rows.column_bounds,
    )
