"""What the batch solver takes: stacked data sets (B, n, d), and γ, linear term and tolerance.

A problem is a data set b, a replicate r that shares its rows, and a place g on a path of γ, so all
that is asked has the axes (G, B, R). Axes of length 1 are repeated by broadcasting, never copied.

A few data sets are held side by side. With a_i = σ_i(s₀, x_i) the arguments of the loss are
z = Aθ − o, the gradient of the data is (wA)ᵀℓ'(z), and the p(p+1)/2 different entries of its
Hessian are Pᵀℓ''(z), where P holds the products w_i a_ij a_ik. P is made once and serves every
step, every γ and every replicate, so no step scales X again.
"""

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import Form
from dpwerm.objective.rows import MemoryRows
from dpwerm.parameters import LARGEST, SMALLEST

_FAR = 1e100  # no linear term is larger, so that nothing overflows
_PART = 2**14  # targets checked at once, in memory that is already at hand
_NARROW = 12  # up to this p the products pay off for a single replicate
_MANY = 8  # from this many replicates on they pay off for any p
_PRODUCTS = 2**22  # more products than this, 32 megabytes, are not stored


@dataclass(frozen=True, eq=False)
class BatchProblems:
    """Stacked data sets of equal size; θ has p = d + 1 entries with an intercept, else p = d.

    X : array (B, n, d), entries within ±1e12, encoded without the intercept column; n may be 0
    targets : array (B, n), entries within ±1e12, −1 and +1 under a margin loss
    weights : array (B, n), entries in [0, 1e12]
    intercept_scale : float in [0, 1e12], s₀; 0 means no intercept
    """

    X: FloatArray
    targets: FloatArray
    weights: FloatArray
    intercept_scale: float

    def __post_init__(self) -> None:
        for name in ("X", "targets", "weights"):
            array = np.ascontiguousarray(getattr(self, name), dtype=np.float64)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "intercept_scale", float(self.intercept_scale))
        if self.X.ndim != 3:
            raise ParameterError("X must have three dimensions: data sets, rows, columns")
        if not self.targets.shape == self.weights.shape == self.X.shape[:2]:
            raise ParameterError("targets and weights must have the shape (data sets, rows) of X")
        if not 0 <= self.intercept_scale <= LARGEST:
            raise ParameterError(f"intercept_scale must be between 0 and {LARGEST:g}")
        _check_range("X", self.X, -LARGEST, LARGEST)
        _check_range("targets", self.targets, -LARGEST, LARGEST)
        _check_range("weights", self.weights, 0.0, LARGEST)

    @cached_property
    def signed(self) -> bool:
        """Whether every target is −1 or +1, as a margin loss needs them."""
        targets = self.targets.reshape(-1)
        parts = (targets[i : i + _PART] for i in range(0, len(targets), _PART))
        return all(np.all(np.abs(part) == 1) for part in parts)

    @property
    def n_sets(self) -> int:
        """Number B of data sets."""
        return len(self.X)

    @property
    def n_rows(self) -> int:
        """Number n of rows of each data set."""
        return int(self.X.shape[1])

    @property
    def dimension(self) -> int:
        """Number p of entries of θ."""
        return int(self.X.shape[2]) + int(self.intercept_scale > 0)

    def data(self, b: int) -> MemoryRows:
        """Return data set b as the single solver takes it."""
        bounds = np.abs(self.X[b]).max(axis=0, initial=0.0)
        if self.intercept_scale > 0:
            bounds = np.concatenate([[self.intercept_scale], bounds])
        return MemoryRows(self.X[b], self.targets[b], self.weights[b], self.intercept_scale, bounds)


@dataclass(frozen=True, eq=False)
class Requests:
    """All that is asked: γ and tolerance (G, B, R), and linear term (G, B, R, p)."""

    gamma: FloatArray
    tolerance: FloatArray
    linear_term: FloatArray
    replicated: bool

    @classmethod
    def of(
        cls,
        problems: BatchProblems,
        gamma: ArrayLike,
        tolerance: ArrayLike,
        linear_term: ArrayLike | None,
    ) -> "Requests":
        """Return the requests with every axis in place; arrays come with their G axis first."""
        p = problems.dimension
        points = (
            np.broadcast_to(0.0, (1, 1, 1, p))
            if linear_term is None
            else _linear_terms(linear_term, p)
        )
        several = 3 in (np.ndim(gamma), np.ndim(tolerance))
        gammas, near = _numbers("gamma", gamma), _numbers("tolerance", tolerance)
        _check_range("gamma", gammas, SMALLEST, LARGEST)
        if not np.all((near > 0) & np.isfinite(near)):
            raise ParameterError("tolerance must be finite and positive")
        shapes = (1, problems.n_sets, 1), gammas.shape, near.shape, points.shape[:3]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            shape = ()
        if len(shape) != 3 or shape[1] != problems.n_sets:
            raise ParameterError("gamma, tolerance and linear term must fit the data sets")
        return cls(
            gamma=np.broadcast_to(gammas, shape),
            tolerance=np.broadcast_to(near, shape),
            linear_term=np.broadcast_to(points, (*shape, p)),
            replicated=several or (linear_term is not None and np.ndim(linear_term) == 4),
        )

    def part(self, part: tuple[slice, slice, slice]) -> "Requests":
        """Return what is asked of some problems."""
        return Requests(
            self.gamma[part], self.tolerance[part], self.linear_term[part], self.replicated
        )


def _numbers(name: str, value: ArrayLike) -> FloatArray:
    """Return one number per problem with the axes (G, B, R)."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim > 3:
        raise ParameterError(f"{name} has too many dimensions")
    return array.reshape(array.shape + (1,) * (3 - array.ndim))


def _linear_terms(value: ArrayLike, p: int) -> FloatArray:
    """Return one linear term per problem with the axes (G, B, R, p)."""
    array = np.asarray(value, dtype=np.float64)
    if array.ndim not in (3, 4) or array.shape[-1] != p:
        raise ParameterError("linear term must have one entry per entry of theta for each problem")
    _check_range("linear term", array, -_FAR, _FAR)
    return array[:, :, None] if array.ndim == 3 else array


def _check_range(name: str, array: FloatArray, low: float, high: float) -> None:
    """Raise, without quoting any value, if an entry is outside [low, high] or not a number."""
    if array.size and not (array.min() >= low and array.max() <= high):
        raise ParameterError(f"{name} must be finite and between {low:g} and {high:g}")


@dataclass(frozen=True, eq=False)
class Block:
    """Data sets b = 1…, prepared for many steps.

    ``rows`` (b, p, n) holds a_ij; ``weighted`` the same times w_i; ``products`` (b, p(p+1)/2, n)
    the w_i a_ij a_ik, or None where they would cost more than they save. ``bounds`` (b, p) holds
    max_i |a_ij| and ``weight`` (b, 1) the sum of the weights. ``offsets`` (b, 1, n) holds the o_i,
    None under a margin loss, and ``offset`` (b, 1) the sum of w_i|o_i|.
    """

    rows: FloatArray
    weighted: FloatArray
    products: FloatArray | None
    bounds: FloatArray
    weight: FloatArray
    offsets: FloatArray | None
    offset: FloatArray

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
        arrays = {name: array[i : i + 1] for name, array in vars(self).items() if array is not None}
        return replace(self, **arrays)

    def arguments(self, theta: FloatArray) -> FloatArray:
        """Return z (b, R, n) at θ (b, R, p)."""
        z: FloatArray = np.matmul(theta, self.rows)
        if self.offsets is not None:
            z -= self.offsets
        return z

    def reach(self, hop: FloatArray) -> FloatArray:
        """Return a bound (b, R) on how far a step (b, R, p) moves any z."""
        return np.asarray(np.vecdot(np.abs(hop), self.bounds[:, None]))

    def gradient(self, slope: FloatArray) -> FloatArray:
        """Return Σ_i w_i ℓ'_i a_i (b, R, p) from ℓ' (b, R, n)."""
        return np.asarray(np.matmul(slope, self.weighted.transpose(0, 2, 1)))

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


class Room:
    """Memory for one block after the other, so that the system is not asked for it each time."""

    def __init__(self, sets: int, n: int, p: int, replicates: int) -> None:
        self._rows = np.empty((sets, p, n))
        self._weighted = np.empty((sets, p, n))
        kept = _worthwhile(n, p, replicates)
        self._products = np.empty((sets, p * (p + 1) // 2, n)) if kept else None

    def fill(self, problems: BatchProblems, sets: slice, form: Form = "margin") -> Block:
        """Return the block of some data sets; it is good until the next one is filled in."""
        X, targets, weights = problems.X[sets], problems.targets[sets], problems.weights[sets]
        b, first = len(X), problems.dimension - problems.X.shape[2]
        rows, weighted = self._rows[:b], self._weighted[:b]
        signs = targets if form == "margin" else np.broadcast_to(1.0, targets.shape)
        offsets = None if form == "margin" else targets[:, None]
        np.multiply(X.transpose(0, 2, 1), signs[:, None], out=rows[:, first:])
        if first:
            np.multiply(signs, problems.intercept_scale, out=rows[:, 0])
        np.multiply(rows, weights[:, None], out=weighted)
        products = None if self._products is None else self._products[:b]
        if products is not None:
            start = 0
            for j in range(rows.shape[1]):  # row after row of the lower triangle
                stop = start + j + 1
                np.multiply(rows[:, : j + 1], weighted[:, j, None], out=products[:, start:stop])
                start = stop
        bounds = np.maximum(rows.max(axis=2, initial=0.0), -rows.min(axis=2, initial=0.0))
        weight, offset = weights.sum(axis=1, keepdims=True), np.zeros((b, 1))
        if offsets is not None:
            offset = np.vecdot(np.abs(offsets), weights[:, None])
        return Block(rows, weighted, products, bounds, weight, offsets, offset)


def numbers_kept(n: int, p: int, replicates: int) -> int:
    """Return how many doubles a block keeps for one data set, at least 1."""
    products = p * (p + 1) // 2 if _worthwhile(n, p, replicates) else 0
    return max(1, n * (2 * p + products))


def _worthwhile(n: int, p: int, replicates: int) -> bool:
    """Say whether the products w a_j a_k are worth their making and their room."""
    return (p <= _NARROW or replicates >= _MANY) and n * p * (p + 1) // 2 <= _PRODUCTS


@cache
def _unpacking(p: int) -> np.typing.NDArray[np.intp]:
    """Return the place (p, p) of entry (j, k) in the packed lower triangle."""
    j, k = np.meshgrid(np.arange(p), np.arange(p), indexing="ij")
    high, low = np.maximum(j, k), np.minimum(j, k)
    return np.asarray(high * (high + 1) // 2 + low)
