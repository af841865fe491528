"""Objective perturbation with pure ε: θ* = argmin F(θ) + bᵀθ, b of density ∝ exp(−β‖b‖_K).

    kWLκβ + log(1 + Wcρ) = ε_in,   ρ = r²/γ for ridge

One record shifts the b that belongs to a θ by at most kWLκ in the norm K, k = 2 under replace-one
and 1 under add/remove, and changes the Jacobian by the second term.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from dpwerm.exact import round_down
from dpwerm.mechanisms.contract import Calibration, Inside, pure_epsilon, with_epsilon
from dpwerm.mechanisms.norms import Norm
from dpwerm.mechanisms.perturbed import (
    PerturbedObjective,
    Shares,
    check_facts,
    epsilon_left,
    jacobian,
    perturbed_calibration,
)
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.sensitivity import Facts


@dataclass(frozen=True)
class ObjectivePerturbation(PerturbedObjective):
    r"""Noise in the objective, for any norm (Chaudhuri et al. 2011, Algorithm 2, for ‖·‖₂).

    .. math:: \beta = \frac{\varepsilon_{in} - \log(1 + W c \rho)}{k W L \kappa}

    Parameters
    ----------
    norm : Norm, the norm K
    place : int or None, among the automatic candidates for a finite ε; None if it is none
    """

    norm: Norm
    place: int | None = field(default=None, compare=False)
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

    def order(self, budget: AnyBudget) -> int | None:
        """Return the place for a finite ε."""
        return self.place if with_epsilon(budget) else None

    def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
        """Return β, τ and the second noise.

        Parameters
        ----------
        facts : Facts with C = 0, a quadratic regularizer, and γ above ``gamma_floor``
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
