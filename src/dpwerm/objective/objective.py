"""The one objective, always a sum: F(θ) = Σ_i w_i ℓ(y_i x_iᵀθ) + γ R(θ) + bᵀθ.

    ∇F = Σ_i w_i ℓ'(z_i) y_i x_i + γ∇R + b        ∇²F = Σ_i w_i ℓ''(z_i) x_i x_iᵀ + γ∇²R

A sum and not a mean, because one record then changes ∇F by at most 2WLr whatever n is. The tilt b
is 0 but for objective perturbation, where it is the noise.
"""

from dataclasses import dataclass, field

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses.contract import MarginLoss
from dpwerm.objective.regularizers import Regularizer, Ridge
from dpwerm.objective.rows import WeightedData
from dpwerm.parameters import positive

_SYRK_PRODUCTS = 2**17
_SYRK_FEWEST = 64


@dataclass(frozen=True)
class Evaluation:
    """F, ∇F (p,) and ∇²F (p, p) at one θ, in plain doubles."""

    value: float
    gradient: FloatArray
    hessian: FloatArray


@dataclass(frozen=True, eq=False)
class Objective:
    """F(θ) = Σ_i w_i ℓ(y_i x_iᵀθ) + γ R(θ) + bᵀθ over ``data``; γ-strongly convex everywhere.

    Parameters
    ----------
    data : WeightedData
    loss : MarginLoss
    gamma : float in [1e-12, 1e12]
        γ, on the summed objective.
    regularizer : Regularizer
    tilt : tuple of arrays (p,), or None for b = 0
        b is the exact sum of these arrays; two doubles hold 106 bits of each b_j, three 159.
    """

    data: WeightedData
    loss: MarginLoss
    gamma: float
    regularizer: Regularizer = field(default_factory=Ridge)
    tilt: tuple[FloatArray, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive("gamma", self.gamma))
        if self.tilt is None:
            return
        parts = tuple(np.asarray(part, dtype=np.float64) for part in self.tilt)
        object.__setattr__(self, "tilt", parts)
        for part in parts:
            if part.shape != (self.data.dimension,) or not np.all(np.isfinite(part)):
                raise ParameterError("tilt must hold finite vectors with one entry per coefficient")

    @property
    def tilts(self) -> tuple[FloatArray, ...]:
        """The arrays whose exact sum is b; none if b = 0."""
        return self.tilt or ()

    def evaluate(self, theta: FloatArray, window: float = 0.0) -> Evaluation:
        """Return F, ∇F and ∇²F at θ in one walk over the rows.

        A ``window`` b > 0 puts the mean of ℓ'' over [z−b, z+b] in the place of ℓ''(z). Far from
        the minimiser that is the better model: it also sees the bends a step of size b will meet.
        """
        data, first = self.data, self.data.first_feature
        value = 0.0
        gradient = np.zeros(data.dimension)
        hessian = np.zeros((data.dimension, data.dimension))
        for rows in data.chunks():
            z = data.margins(theta, rows)
            value += float(data.weights[rows] @ self.loss.value(z))
            self._add_gradient(gradient, z, rows)
            self._add_hessian(hessian, self._curvature(z, window), rows)
        if first:
            gradient[0] *= data.intercept_scale
            hessian[0, 1:] *= data.intercept_scale
            hessian[1:, 0] = hessian[0, 1:]
            hessian[0, 0] *= data.intercept_scale**2
        value += self.gamma * self.regularizer.value(theta)
        gradient += self.gamma * self.regularizer.gradient(theta)
        for part in self.tilts:
            value += float(part @ theta)
            gradient += part
        return Evaluation(
            value=value,
            gradient=gradient,
            hessian=hessian + self.gamma * self.regularizer.hessian(theta),
        )

    def _add_gradient(self, gradient: FloatArray, z: FloatArray, rows: slice) -> None:
        """Add Σ w ℓ'(z) y x over some rows, the intercept still without its scale."""
        data, first = self.data, self.data.first_feature
        a = self.loss.derivative(z)
        a *= data.weights[rows]
        a *= data.y[rows]
        gradient[first:] += a @ data.X[rows]
        if first:
            gradient[0] += a.sum()

    def _curvature(self, z: FloatArray, window: float) -> FloatArray:
        """Return ℓ''(z), or its mean over a window."""
        if window == 0:
            return self.loss.second_derivative(z)
        rise = self.loss.derivative(z + window)
        rise -= self.loss.derivative(z - window)
        rise /= 2 * window
        return np.maximum(rise, 0, out=rise)

    def _add_hessian(self, hessian: FloatArray, curvature: FloatArray, rows: slice) -> None:
        """Add Σ w ℓ'' x xᵀ over the rows where it is not 0."""
        data, first = self.data, self.data.first_feature
        curvature *= data.weights[rows]
        active = np.flatnonzero(curvature)
        curvature = curvature[active]
        X = data.X[rows].take(active, axis=0)
        if first:
            hessian[0, 0] += curvature.sum()
            hessian[0, 1:] += curvature @ X
        X *= np.sqrt(curvature)[:, None]
        for start in range(0, len(X), self._syrk_rows):
            part = X[start : start + self._syrk_rows]
            hessian[first:, first:] += part.T @ part

    @property
    def _syrk_rows(self) -> int:
        """Rows per product XᵀX: few enough that a narrow product is not split over threads."""
        few = _SYRK_PRODUCTS // max(1, self.data.X.shape[1]) ** 2
        return few if few >= _SYRK_FEWEST else self.data.n_rows
