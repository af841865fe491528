"""Objective perturbation with (ε, δ): θ* = argmin F(θ) + bᵀθ, b ~ N(0, σ²I).

With D = kWLr, m = σ/D and e = ε_in − log(1 + Wcρ), the cost of θ* at ε_in is at most

    2k·H(e),   H(e) = Φ(1/(2m) − em) − e^e Φ(−1/(2m) − em),   if e ≥ 1/(2m²)

because the log-ratio is at most log(1 + Wcρ) + |N|/m + 1/(2m²) for a standard normal N, twice
the cost of the Gaussian mechanism; under replace-one two such N share the load.
Proof: docs/proofs/objective-gaussian.md.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from dpwerm.errors import ParameterError
from dpwerm.exact import round_up
from dpwerm.mechanisms.contract import Calibration, Inside, epsilon_delta
from dpwerm.mechanisms.gaussian import smallest_multiplier, suffices
from dpwerm.mechanisms.norms import Norm, Normal
from dpwerm.mechanisms.perturbed import (
    PerturbedObjective,
    Shares,
    check_facts,
    epsilon_left,
    jacobian,
    perturbed_calibration,
)
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.sensitivity import Facts


@lru_cache(maxsize=256)
def inside_multiplier(left: Fraction, delta: Fraction) -> Fraction:
    """Return the smallest m of the grid with H(e) ≤ δ and e ≥ 1/(2m²), for e = ``left`` > 0."""
    return smallest_multiplier(
        lambda m: 2 * left * m**2 >= 1 and suffices(m, left, delta),
    )


@dataclass(frozen=True)
class ObjectiveGaussian(PerturbedObjective):
    r"""Gaussian noise in the objective (after Kifer, Smith and Thakurta 2012).

    .. math:: b \sim N(0, \sigma^2 I), \quad \sigma = m k W L r, \quad 2k H(e) \le \delta
    """

    name: ClassVar[str] = "objective-gaussian"
    needs_delta: ClassVar[bool] = True
    norm: Norm = field(default_factory=Normal)
    proof: ClassVar[str] = "docs/proofs/objective-gaussian.md"
    statement: ClassVar[str] = (
        "The minimiser of F(θ) + bᵀθ with b ~ N(0, σ²I), D = kWLr, e = 0.99·ε − log(1 + Wcr²/γ) ≥ "
        "D²/(2σ²), is (0.99·ε, δ)-differentially private when "
        "2k(Φ(D/2σ − eσ/D) − e^e Φ(−D/2σ − eσ/D)) ≤ δ; a second noise for the solver's tolerance "
        "costs 0.01·ε; together (ε, δ)."
    )

    def order(self, budget: AnyBudget) -> int | None:
        """Return the fourth place for a finite ε with δ > 0."""
        return 40 if isinstance(budget, Budget) and budget.is_private and budget.delta else None

    def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
        """Return σ, τ and the second noise.

        Parameters
        ----------
        facts : Facts with C = 0, a quadratic regularizer, and γ above ``gamma_floor``
        budget : Budget with ε finite, at least 0.0001, and 0 < δ < 1
        """
        shares = Shares.of(self.name, budget)
        asked = epsilon_delta(self.name, budget)
        if asked.delta == 0:
            raise ParameterError(
                f"mechanism {self.name} needs delta above 0 and below 1, such as 1e-6"
            )
        check_facts(self.name, facts)
        terms = facts.relation.terms
        left = Fraction(epsilon_left(self.name, facts, shares))
        multiplier = inside_multiplier(left, asked.exact_delta / (2 * terms))
        inside = Inside(
            norm=self.norm.name,
            kappa=self.norm.kappa(facts),
            epsilon_inside=shares.inside,
            epsilon_outside=shares.outside,
            jacobian=jacobian(facts),
            sigma=round_up(multiplier * terms * facts.gradient_bound),
        )
        return perturbed_calibration(self.name, facts, budget, inside)
