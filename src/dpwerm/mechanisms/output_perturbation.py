"""Output perturbation: solve first, then add noise made for Δ = Δ₂ + 2τ.

One record moves the exact minimiser by at most Δ₂ and the solver's answer by at most Δ, so any law
of noise for the sensitivity Δ makes the answer private. Proof: docs/proofs/output-perturbation.md.
"""

from dataclasses import dataclass

from dpwerm.mechanisms.contract import Calibration, NoiseLaw, Stage, check_run, no_progress
from dpwerm.objective.objective import Objective
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sensitivity import Facts, default_tolerance, l2_sensitivity, total_sensitivity
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
    def needs_delta(self) -> bool:
        """Whether the law needs δ > 0."""
        return self.law.needs_delta

    @property
    def statement(self) -> str:
        """The claim of the law."""
        return self.law.statement

    @property
    def proof(self) -> str:
        """The proof page of the law."""
        return self.law.proof

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
