"""A few data sets held side by side: margins, Σ w ℓ' y x and Σ w ℓ'' x xᵀ as products of matrices.

With a_i = y_i(s₀, x_i) the margins are z = Aθ, the gradient of the data is (wA)ᵀℓ'(z), and the
p(p+1)/2 different entries of its Hessian are Pᵀℓ''(z), where P holds the products w_i a_ij a_ik.
P is made once and serves every step, every γ and every replicate, so no step scales X again.
"""

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.problem.losses.protocol import MarginLoss

_NARROW = 10
"""Up to this p the products pay off for a single replicate."""

_MANY = 4
"""From this many replicates on they pay off for any p."""

_PRODUCTS = 2**22
"""More products than this, 32 megabytes, are not stored."""


@runtime_checkable
class SlopeCurved(Protocol):
    """A loss that offers ℓ'' from the value of ℓ', which spares a second look at the margins."""

    def curvature_at_slope(self, slope: FloatArray) -> FloatArray:
        """Return ℓ''(z) where ℓ'(z) = ``slope``, elementwise."""


def curvature(loss: MarginLoss, z: FloatArray, slope: FloatArray) -> FloatArray:
    """Return ℓ''(z), from ℓ'(z) = ``slope`` if the loss knows how."""
    if isinstance(loss, SlopeCurved):
        return loss.curvature_at_slope(slope)
    return loss.second_derivative(z)


@dataclass(frozen=True, eq=False)
class Block:
    """Data sets b = 1…, prepared for many steps.

    ``rows`` (b, p, n) holds a_ij; ``weighted`` the same times w_i; ``products`` (b, p(p+1)/2, n)
    the w_i a_ij a_ik, or None where they would cost more than they save. ``bounds`` (b, p) holds
    max_i |a_ij| and ``weight`` (b, 1) the sum of the weights.
    """

    rows: FloatArray
    weighted: FloatArray
    products: FloatArray | None
    bounds: FloatArray
    weight: FloatArray

    @property
    def n_rows(self) -> int:
        """Number n of rows of each data set."""
        return int(self.rows.shape[2])

    @property
    def dimension(self) -> int:
        """Number p of entries of θ."""
        return int(self.rows.shape[1])

    def only(self, i: int) -> "Block":
        """Return data set i alone, without copying it."""
        part = slice(i, i + 1)
        products = None if self.products is None else self.products[part]
        return Block(
            self.rows[part], self.weighted[part], products, self.bounds[part], self.weight[part]
        )

    def margins(self, theta: FloatArray) -> FloatArray:
        """Return z (b, R, n) at θ (b, R, p)."""
        z: FloatArray = np.matmul(theta, self.rows)
        return z

    def gradient(self, slope: FloatArray) -> FloatArray:
        """Return Σ_i w_i ℓ'_i a_i (b, R, p) from ℓ' (b, R, n)."""
        g: FloatArray = np.matmul(slope, self.weighted.transpose(0, 2, 1))
        return g

    def hessian(self, bend: FloatArray) -> FloatArray:
        """Return Σ_i w_i ℓ''_i a_i a_iᵀ (b, R, p, p) from ℓ'' (b, R, n)."""
        if self.products is not None:
            packed: FloatArray = np.matmul(bend, self.products.transpose(0, 2, 1))
            return packed.take(_unpacking(self.dimension), axis=-1)
        b, replicates = bend.shape[:2]
        full = np.empty((b, replicates, self.dimension, self.dimension))
        turned = self.rows.transpose(0, 2, 1)
        for r in range(replicates):
            np.matmul(self.weighted * bend[:, r, None], turned, out=full[:, r])
        return full


def prepare(
    X: FloatArray, y: FloatArray, weights: FloatArray, intercept_scale: float, replicates: int
) -> Block:
    """Return the block of the data sets X (b, n, d), y (b, n), weights (b, n)."""
    b, n, d = X.shape
    first = int(intercept_scale > 0)
    p = d + first
    rows = np.empty((b, p, n))
    rows[:, first:] = X.transpose(0, 2, 1)
    rows[:, first:] *= y[:, None]
    if first:
        np.multiply(y, intercept_scale, out=rows[:, 0])
    weighted = rows * weights[:, None]
    return Block(
        rows=rows,
        weighted=weighted,
        products=_products(rows, weighted) if _worthwhile(n, p, replicates) else None,
        bounds=np.abs(rows).max(axis=2, initial=0.0),
        weight=weights.sum(axis=1, keepdims=True),
    )


def numbers_kept(n: int, p: int, replicates: int) -> int:
    """Return about how many doubles one data set with its replicates occupies while solved."""
    products = p * (p + 1) // 2 if _worthwhile(n, p, replicates) else p
    return n * (2 * p + products + 3 * replicates)


def _worthwhile(n: int, p: int, replicates: int) -> bool:
    """Say whether the products w a_j a_k are worth their making and their room."""
    return (p <= _NARROW or replicates >= _MANY) and n * p * (p + 1) // 2 <= _PRODUCTS


def _products(rows: FloatArray, weighted: FloatArray) -> FloatArray:
    """Return w_i a_ij a_ik for j ≥ k, row after row of the lower triangle."""
    b, p, n = rows.shape
    products = np.empty((b, p * (p + 1) // 2, n))
    start = 0
    for j in range(p):
        np.multiply(rows[:, : j + 1], weighted[:, j, None], out=products[:, start : start + j + 1])
        start += j + 1
    return products


def _unpacking(p: int) -> np.typing.NDArray[np.intp]:
    """Return the place (p, p) of entry (j, k) in the packed lower triangle."""
    j, k = np.meshgrid(np.arange(p), np.arange(p), indexing="ij")
    high, low = np.maximum(j, k), np.minimum(j, k)
    place: np.typing.NDArray[np.intp] = high * (high + 1) // 2 + low
    return place
