"""Objective perturbation with pure ε: θ* = argmin F(θ) + bᵀθ, b of density ∝ exp(−β‖b‖_K).

    kWLκβ + log(1 + Wcr²/γ) = ε_in

One record shifts the b that belongs to a θ by at most kWLκ in the norm K, k = 2 under replace-one
and 1 under add/remove, and changes the Jacobian by the second term.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpwerm.errors import ParameterError
from dpwerm.exact import round_down
from dpwerm.mechanisms.contract import Calibration, Inside, Stage, no_progress, pure_epsilon
from dpwerm.mechanisms.norms import Norm
from dpwerm.mechanisms.perturbed import (
    Shares,
    check_facts,
    epsilon_left,
    jacobian,
    perturbed_calibration,
    run_perturbed,
)
from dpwerm.objective.objective import Objective
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sensitivity import Facts


@dataclass(frozen=True)
class ObjectivePerturbation:
    r"""Noise in the objective, for any norm (Chaudhuri et al. 2011, Algorithm 2, for ‖·‖₂).

    .. math:: \beta = \frac{\varepsilon_{in} - \log(1 + W c r^2 / \gamma)}{k W L \kappa}

    Private because each weight follows from its own record, every coefficient is penalised by
    ½γθ_j², and the solver's tolerance is covered by a second release with ε_out.

    Parameters
    ----------
    norm : Norm, the norm K
    """

    norm: Norm
    needs_delta: ClassVar[bool] = False
    proof: ClassVar[str] = "docs/proofs/objective-perturbation.md"

    @property
    def name(self) -> str:
        """The name in the registry: objective- and the norm."""
        return f"objective-{self.norm.name}"

    @property
    def statement(self) -> str:
        """The claim, with the norm it is about."""
        return (
            "If ‖x‖_K ≤ κ for every row, the minimiser of F(θ) + bᵀθ with noise density "
            f"∝ exp(−β‖b‖_K), K = {self.norm.name}, is differentially private at "
            "kWLκβ + log(1 + Wcr²/γ) = 0.99·ε, and a second noise for the solver's tolerance at "
            "0.01·ε; together ε."
        )

    def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
        """Return β, τ and the second noise.

        Parameters
        ----------
        facts : Facts with C = 0, regularizer ridge, and γ above ``gamma_floor``
        budget : Budget with ε finite, at least 0.0001, and δ = 0
        """
        pure_epsilon(self.name, budget)
        check_facts(self.name, facts)
        shares = Shares.of(self.name, budget)
        kappa = self.norm.kappa(facts)
        shift = Fraction(facts.weight_bound) * Fraction(facts.lipschitz) * Fraction(kappa)
        left = Fraction(epsilon_left(self.name, facts, shares))
        inside = Inside(
            norm=self.norm.name,
            kappa=kappa,
            epsilon_inside=shares.inside,
            epsilon_outside=shares.outside,
            jacobian=jacobian(facts),
            rate=round_down(left / (facts.relation.terms * shift)),
        )
        return perturbed_calibration(self.name, facts, budget, inside)

    def run(
        self,
        objective: Objective,
        calibration: Calibration,
        bits: BitSource,
        on_stage: Stage = no_progress,
    ) -> tuple[int, ...]:
        """Return the grid integers of the perturbed minimiser plus the second noise."""
        if calibration.inside is None or calibration.inside.rate is None:
            raise ParameterError(f"the calibration is not for {self.name}")
        sampler = self.norm.sampler(calibration.facts, calibration.inside.rate)
        return run_perturbed(self, sampler, objective, calibration, bits, on_stage)
