"""Output perturbation: solve first, then add noise made for Δ = Δ₂ + 2τ, or none at ε = ∞.

One record moves the exact minimiser by at most Δ₂ and the solver's answer by at most Δ, so any law
of noise for the sensitivity Δ makes the answer private. Proof: docs/proofs/output-perturbation.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.exact import floor_log2
from dpwerm.mechanisms.contract import (
    Calibration,
    Noise,
    NoiseLaw,
    PureClaim,
    Stage,
    check_run,
    checked_dimension,
    checked_release,
    epsilon_delta,
    no_progress,
)
from dpwerm.objective.objective import Objective
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.grid import cell_of
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sensitivity import (
    Facts,
    checked,
    default_tolerance,
    l2_sensitivity,
    total_sensitivity,
)
from dpwerm.solve.newton import minimise


@dataclass(frozen=True)
class OutputPerturbation:
    r"""The minimiser plus noise of one law (Chaudhuri et al. 2011, Algorithm 1).

    .. math:: \theta = \tilde\theta + Z, \quad \|\tilde\theta - \hat\theta\|_2 \le \tau

    Private because Z is made for Δ₂ + 2τ; it has the name, claim and proof page of its law.

    Parameters
    ----------
    law : NoiseLaw
    """

    law: NoiseLaw

    @property
    def name(self) -> str:
        """The name of the law."""
        return self.law.name

    @property
    def private(self) -> bool:
        """Whether the law promises anything."""
        return self.law.private

    @property
    def needs_delta(self) -> bool:
        """Whether the law needs δ > 0."""
        return self.law.needs_delta

    @property
    def needs_epsilon(self) -> bool:
        """Whether the law claims nothing in ρ or μ."""
        return self.law.needs_epsilon

    @property
    def statement(self) -> str:
        """The claim of the law."""
        return self.law.statement

    @property
    def proof(self) -> str:
        """The proof page of the law."""
        return self.law.proof

    @property
    def how(self) -> str:
        """The words of the law."""
        return self.law.how

    def order(self, budget: AnyBudget) -> int | None:
        """Return the place of the law."""
        return self.law.order(budget)

    def is_plain(self, budget: AnyBudget) -> bool:
        """Whether the law is plain for the budget."""
        return self.law.is_plain(budget)

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float | None:
        """Return the half-width of the law."""
        return self.law.half_width(scale, dimension, coverage, count)

    def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
        """Return Δ₂, τ, and the law's noise for Δ₂ + 2τ."""
        sensitivity = l2_sensitivity(facts)
        tolerance = default_tolerance(sensitivity)
        total = total_sensitivity(sensitivity, tolerance)
        return Calibration(
            mechanism=self.name,
            facts=facts,
            budget=budget,
            sensitivity=sensitivity,
            tolerance=tolerance,
            noise=self.law.calibrate(total, facts.dimension, budget),
        )

    def run(
        self,
        objective: Objective,
        calibration: Calibration,
        bits: BitSource,
        on_stage: Stage = no_progress,
    ) -> tuple[int, ...]:
        """Return the grid integers of the minimiser plus noise."""
        check_run(self, objective, calibration)
        on_stage("solving")
        solution = minimise(objective, calibration.tolerance)
        on_stage("adding noise")
        return self.law.release(solution.theta, calibration.noise, bits)

    def inside_noise(self, calibration: Calibration, draws: Draws) -> None:
        """Return None: the objective is left as it is."""
        del calibration, draws

    def outside_noise(self, calibration: Calibration, draws: Draws) -> FloatArray:
        """Return noise of the law."""
        return self.law.simulated(draws) * calibration.noise.scale

    def log_density(self, calibration: Calibration, noise: FloatArray) -> FloatArray:
        """Return the law's log-density."""
        return self.law.log_density(noise / (calibration.noise.scale or 1.0))


FINE_GRID_BITS = 40


@dataclass(frozen=True)
class NotPrivate(PureClaim):
    """The non-private baseline: ε = ∞, no noise, k_j = ⌊θ_j/2^e + ½⌋ on a grid 2^e ≤ 2^−40·Δ.

    It has the form of a release so that everything after it is alike; nothing is promised.
    """

    name: ClassVar[str] = "none"
    private: ClassVar[bool] = False
    statement: ClassVar[str] = "Nothing is promised: the result is not private."
    proof: ClassVar[str] = "docs/proofs/README.md"
    how: ClassVar[str] = "No noise was added"

    def calibrate(self, sensitivity: float, dimension: int, budget: AnyBudget) -> Noise:
        """Return a record with scale 0.

        Parameters
        ----------
        sensitivity : float > 0, Δ, which sets the grid
        dimension : int ≥ 1, p
        budget : Budget with ε = ∞ and δ = 0
        """
        delta2 = checked("sensitivity", sensitivity)
        p = checked_dimension(dimension)
        asked = epsilon_delta(self.name, budget)
        if asked.is_private:
            raise ParameterError("mechanism none needs epsilon = inf: it adds no noise")
        if asked.delta != 0:
            raise ParameterError("mechanism none needs delta = 0")
        return Noise(
            mechanism=self.name,
            dimension=p,
            sensitivity=delta2,
            budget=asked,
            scale=0.0,
            exponent=floor_log2(Fraction(delta2)) - FINE_GRID_BITS,
        )

    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        """Return the grid integers of θ; no bit is drawn."""
        del bits
        return tuple(
            cell_of(value, noise.exponent)[0] for value in checked_release(self, theta, noise)
        )

    def simulated(self, draws: Draws) -> FloatArray:
        """Return zeros."""
        return np.zeros_like(draws.normals)

    def log_density(self, z: FloatArray) -> FloatArray:
        """Return 0 at 0 and −∞ elsewhere."""
        return np.where(np.any(z != 0, axis=1), -np.inf, 0.0)

    def order(self, budget: AnyBudget) -> int | None:
        """Return a place for ε = ∞ alone."""
        return 0 if not budget.is_private else None

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float:
        """Return 0."""
        del scale, dimension, coverage, count
        return 0.0
