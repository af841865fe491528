"""The encoded rows (w_i, y_i, x_i) of one problem, with the public bounds s_j on |x_ij|.

The intercept is a column of the constant s₀. It is never stored: its margin is s₀θ₀ and its
gradient s₀Σ_i, so storing it would cost memory and say nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError

BLOCK_ROWS = 1024
"""Rows summed in one go; the rounding error of a sum grows with it."""

CHUNK_NUMBERS = 2**18
"""Numbers of X taken at once: two megabytes, so that a chunk stays in cache over several uses."""


@dataclass(frozen=True, eq=False)
class WeightedData:
    """Rows of one weighted problem; θ has p = d + 1 entries with an intercept, else p = d.

    Parameters
    ----------
    X : array (n, d), C-contiguous float64
        Encoded features without the intercept column; n may be 0.
    y : array (n,) of −1 and +1
    weights : array (n,), finite and ≥ 0
    intercept_scale : float ≥ 0
        s₀; 0 means no intercept.
    column_bounds : array (p,)
        s_j ≥ |x_ij|, the intercept's s₀ first if there is one.
    """

    X: FloatArray
    y: FloatArray
    weights: FloatArray
    intercept_scale: float
    column_bounds: FloatArray

    def __post_init__(self) -> None:
        for name in ("X", "y", "weights", "column_bounds"):
            array = np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "intercept_scale", float(self.intercept_scale))
        self._check_shapes()
        self._check_values()

    @property
    def n_rows(self) -> int:
        """Number of rows n."""
        return len(self.y)

    @property
    def dimension(self) -> int:
        """Number p of entries of θ."""
        return len(self.column_bounds)

    @property
    def first_feature(self) -> int:
        """Position in θ of the first column of X: 1 with an intercept, else 0."""
        return int(self.intercept_scale > 0)

    def chunks(self) -> Iterator[slice]:
        """Yield slices of rows, whole blocks each, that together cover every row once."""
        blocks = max(1, CHUNK_NUMBERS // (BLOCK_ROWS * max(1, self.X.shape[1])))
        rows = blocks * BLOCK_ROWS
        for start in range(0, self.n_rows, rows):
            yield slice(start, min(start + rows, self.n_rows))

    def margins(self, theta: FloatArray, rows: slice) -> FloatArray:
        """Return z_i = y_i(s₀θ₀ + x_iᵀθ) for some rows."""
        z: FloatArray = self.X[rows] @ theta[self.first_feature :]
        if self.first_feature:
            z += self.intercept_scale * theta[0]
        z *= self.y[rows]
        return z

    def every(self, stride: int) -> "WeightedData":
        """Return each ``stride``-th row with its weight times the stride: a rough, small F."""
        rows = slice(None, None, stride)
        return WeightedData(
            X=self.X[rows],
            y=self.y[rows],
            weights=self.weights[rows] * stride,
            intercept_scale=self.intercept_scale,
            column_bounds=self.column_bounds,
        )

    def _check_shapes(self) -> None:
        """Raise if the arrays do not belong together."""
        if self.X.ndim != 2:
            raise ParameterError("X must have two dimensions")
        n, d = self.X.shape
        if self.y.shape != (n,) or self.weights.shape != (n,):
            raise ParameterError("X, y and weights must have the same number of rows")
        if not (np.isfinite(self.intercept_scale) and self.intercept_scale >= 0):
            raise ParameterError("intercept_scale must be finite and at least 0")
        if self.column_bounds.shape != (d + self.first_feature,):
            raise ParameterError("column_bounds must have one entry per entry of theta")
        if not np.all(np.isfinite(self.column_bounds) & (self.column_bounds >= 0)):
            raise ParameterError("column_bounds must be finite and at least 0")
        if self.first_feature and self.column_bounds[0] < self.intercept_scale:
            raise ParameterError("column_bounds must start with the intercept's scale")

    def _check_values(self) -> None:
        """Raise, without quoting any value, if a row is outside its declared bounds."""
        bounds = self.column_bounds[self.first_feature :]
        tightest = bounds.min(initial=np.inf)
        for rows in self.chunks():
            X, y, w = self.X[rows], self.y[rows], self.weights[rows]
            clear = X.max(initial=0) <= tightest and X.min(initial=0) >= -tightest
            if not (clear or np.all(np.abs(X) <= bounds)):
                raise ParameterError("X must be finite and within column_bounds")
            if not np.all(np.abs(y) == 1):
                raise ParameterError("y must hold -1 and +1 only")
            if not (w.min() >= 0 and w.max() < np.inf):
                raise ParameterError("weights must be finite and at least 0")
