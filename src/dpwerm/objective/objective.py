"""The one objective, always a sum: F(θ) = Σ_i w_i ℓ(z_i) + γ R(θ) + bᵀθ.

    z_i = σ_i ξ_iᵀθ − o_i       σ_i = t_i, o_i = 0 (margin)   or   σ_i = 1, o_i = t_i (residual)

    ∇F = Σ_i w_i ℓ'(z_i) σ_i ξ_i + γ∇R + b        ∇²F = Σ_i w_i ℓ''(z_i) ξ_i ξ_iᵀ + γ∇²R

A sum and not a mean, because one record then changes ∇F by at most 2WLr whatever n is. The linear
term b is 0 but for objective perturbation, where it is the noise. R is ½θᵀMθ with a public M ⪰ I,
the identity unless another is chosen, or any other 1-strongly convex function.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import Loss, form_of, mean_curvature
from dpwerm.objective.regularizers import Regularizer, Ridge, checked_matrix
from dpwerm.objective.rows import Block, Rows
from dpwerm.parameters import positive


class Evaluation(NamedTuple):
    """F, ∇F (p,) and ∇²F (p, p) at one θ, in plain doubles."""

    value: float
    gradient: FloatArray
    hessian: FloatArray


@dataclass(frozen=True, eq=False)
class Objective:
    """F(θ) = Σ_i w_i ℓ(z_i) + γ R(θ) + bᵀθ over ``data``; γ-strongly convex everywhere.

    data : Rows, with targets −1 and +1 if the loss is one of margins
    loss : Loss
    gamma : float in [1e-12, 1e12], γ, on the summed objective
    regularizer : Regularizer
    linear_term : tuple of arrays (p,) whose exact sum is b, or None for b = 0; two hold 106 bits
        of b_j
    """

    data: Rows
    loss: Loss
    gamma: float
    regularizer: Regularizer = field(default_factory=Ridge)
    linear_term: tuple[FloatArray, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "gamma", positive("gamma", self.gamma))
        if not self.residual and not all(self.data.map(_signs)):
            raise ParameterError("targets must hold -1 and +1 only")
        checked_matrix(self.regularizer, self.data.dimension)
        if self.linear_term is None:
            return
        parts = tuple(np.asarray(part, dtype=np.float64) for part in self.linear_term)
        object.__setattr__(self, "linear_term", parts)
        for part in parts:
            if part.shape != (self.data.dimension,) or not np.all(np.isfinite(part)):
                raise ParameterError(
                    "linear term must hold finite vectors with one entry per coefficient"
                )

    @property
    def residual(self) -> bool:
        """Whether the loss is one of residuals, z = ξᵀθ − t, and not of margins, z = t·ξᵀθ."""
        return form_of(self.loss) == "residual"

    @property
    def linear_terms(self) -> tuple[FloatArray, ...]:
        """The arrays whose exact sum is b; none if b = 0."""
        return self.linear_term or ()

    def arguments(self, block: Block, theta: FloatArray) -> FloatArray:
        """Return z_i = σ_i ξ_iᵀθ − o_i for the rows of a block."""
        z = block.scores(theta)
        if self.residual:
            z -= block.targets
        else:
            z *= block.targets
        return z

    def forces(self, block: Block, z: FloatArray) -> FloatArray:
        """Return a_i = w_i ℓ'(z_i) σ_i, so that Σ_i a_i ξ_i is the data's part of ∇F."""
        a = self.loss.derivative(z)
        a *= block.weights
        if not self.residual:
            a *= block.targets
        return a

    def evaluate(self, theta: FloatArray, window: float = 0.0) -> Evaluation:
        """Return F, ∇F and ∇²F at θ in one walk over the rows.

        A ``window`` b > 0 puts the mean of ℓ'' over [z−b, z+b] in the place of ℓ''(z). Far from
        the minimiser that is the better model: it also sees the bends a step of size b will meet.
        """
        second = self.loss.second_derivative

        def part(block: Block) -> Evaluation:
            z = self.arguments(block, theta)
            bend = mean_curvature(self.loss, z, window) if window else second(z)
            bend *= block.weights
            value = float(block.weights @ self.loss.value(z))
            return Evaluation(value, block.pull(self.forces(block, z)), block.gram(bend))

        p = self.data.dimension
        value, gradient, hessian = 0.0, np.zeros(p), np.zeros((p, p))
        for found in self.data.map(part):
            value += found.value
            gradient += found.gradient
            hessian += found.hessian
        value += self.gamma * self.regularizer.value(theta)
        gradient += self.gamma * self.regularizer.gradient(theta)
        for linear_term in self.linear_terms:
            value += float(linear_term @ theta)
            gradient += linear_term
        hessian = hessian + self.gamma * self.regularizer.hessian(theta)
        return Evaluation(value, gradient, hessian)


def _signs(block: Block) -> bool:
    """Say whether every target is −1 or +1."""
    return bool(np.all(np.abs(block.targets) == 1))
