r"""Risks of θ₀, θ̂ and θ* on simulated trials, and the gaps between them that theorems bound.

.. math:: \hat L(\theta) = \frac1n \sum_i w_i \ell(y_i x_i^\top\theta)

with ℓ the hinge (L̂_0) or the loss that is minimised (L̂_H), and weights in units of W.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses import HuberisedHinge, Loss
from dpwerm.solve.batch_problems import BatchProblems


@dataclass(frozen=True)
class Sample:
    """Simulated trials (B, n, d), other people of the same trials (B, m, d), and their size.

    Weights lie in [0, 1], in units of W. n: people, whom fewer rows may stand for.
    """

    trial: BatchProblems
    people: BatchProblems
    n: int


def risk(
    problems: BatchProblems, loss: Callable[[FloatArray], FloatArray], theta: FloatArray
) -> FloatArray:
    """Return the mean of w·ℓ(y·xᵀθ) over the rows of each trial, (B, R) for θ (B, R, p)."""
    first = int(problems.intercept_scale > 0)
    z = theta[..., first:] @ problems.X.swapaxes(1, 2)
    if first:
        z += problems.intercept_scale * theta[..., :1]
    z *= problems.targets[:, None]
    return np.asarray((problems.weights[:, None] * loss(z)).mean(axis=-1))


@dataclass(frozen=True)
class Trials:
    """θ₀, θ̂ and θ* of each simulated trial, and the gaps between them."""

    sample: Sample
    loss: Loss
    lam: float
    theta: tuple[FloatArray, FloatArray, FloatArray]

    @property
    def norms(self) -> FloatArray:
        """‖θ₀‖ of each trial, (B,)."""
        return np.asarray(np.linalg.norm(self.theta[0][:, 0], axis=-1))

    @property
    def lengths(self) -> FloatArray:
        """‖θ* − θ̂‖, (B, R)."""
        return np.asarray(np.linalg.norm(self.theta[2] - self.theta[1], axis=-1))

    def regularising(self) -> FloatArray:
        """L̂_H(θ̂) − L̂_H(θ₀)."""
        best, hat, _ = self.theta
        return self._smooth(hat) - self._smooth(best)

    def noise(self) -> FloatArray:
        """F(θ*) − F(θ̂)."""
        _, hat, star = self.theta
        return self._objective(star) - self._objective(hat)

    def corner(self) -> FloatArray:
        """L̂_H(θ₀) − L̂_0(θ₀)."""
        return self._smooth(self.theta[0]) - self._sharp(self.theta[0])

    def excess(self) -> FloatArray:
        """L̂_0(θ*) − L̂_0(θ₀)."""
        return self._sharp(self.theta[2]) - self._sharp(self.theta[0])

    def population(self) -> FloatArray:
        """L_0(θ*) − L_0(θ₀) on other people."""
        best, _, star = self.theta
        people = self.sample.people
        return risk(people, self._hinge, star) - risk(people, self._hinge, best)

    def generalising(self) -> FloatArray:
        """Twice the larger gap between trial and population, at θ₀ or θ*."""
        people = self.sample.people
        gaps = [
            np.abs(risk(people, self.loss.value, theta) - self._smooth(theta))
            for theta in (self.theta[0], self.theta[2])
        ]
        return 2 * np.maximum(gaps[0], gaps[1])

    def _smooth(self, theta: FloatArray) -> FloatArray:
        return risk(self.sample.trial, self.loss.value, theta)

    def _sharp(self, theta: FloatArray) -> FloatArray:
        return risk(self.sample.trial, self._hinge, theta)

    def _objective(self, theta: FloatArray) -> FloatArray:
        return np.asarray(self._smooth(theta) + self.lam / 2 * (theta**2).sum(axis=-1))

    def _hinge(self, z: FloatArray) -> FloatArray:
        if isinstance(self.loss, HuberisedHinge):
            return np.maximum(1 - z, 0)
        return self.loss.value(z)
