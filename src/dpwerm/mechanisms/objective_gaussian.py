"""Objective perturbation with (ε, δ): θ* = argmin F(θ) + bᵀθ, b ~ N(0, σ²I).

With D = kWLr, m = σ/D and e = ε_in − log(1 + Wcr²/γ), the cost of θ* at ε_in is at most

    2k·H(e),   H(e) = Φ(1/(2m) − em) − e^e Φ(−1/(2m) − em),   if e ≥ 1/(2m²)

because the log-ratio is at most log(1 + Wcr²/γ) + |N|/m + 1/(2m²) for a standard normal N, twice
the cost of the Gaussian mechanism; under replace-one two such N share the load.
Proof: docs/proofs/objective-gaussian.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from flint import arb

from dpwerm.errors import ParameterError
from dpwerm.exact import round_up
from dpwerm.mechanisms.contract import Calibration, Inside, Stage, epsilon_delta, no_progress
from dpwerm.mechanisms.gaussian import smallest_multiplier, suffices
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
from dpwerm.privacy.grid import ball
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.samplers import LazyUniforms, even, gauss
from dpwerm.privacy.sensitivity import Facts


@lru_cache(maxsize=256)
def inside_multiplier(left: Fraction, delta: Fraction) -> Fraction:
    """Return the smallest m of the grid with H(e) ≤ δ and e ≥ 1/(2m²), for e = ``left`` > 0."""
    return smallest_multiplier(
        lambda m: 2 * left * m**2 >= 1 and suffices(m, left, delta),
    )


@dataclass(frozen=True)
class ObjectiveGaussian:
    r"""Gaussian noise in the objective (after Kifer, Smith and Thakurta 2012).

    .. math:: b \sim N(0, \sigma^2 I), \quad \sigma = m k W L r, \quad 2k H(e) \le \delta

    Private because each weight follows from its own record, every coefficient is penalised by
    ½γθ_j², and the solver's tolerance is covered by a second release with ε_out.
    """

    name: ClassVar[str] = "objective-gaussian"
    needs_delta: ClassVar[bool] = True
    proof: ClassVar[str] = "docs/proofs/objective-gaussian.md"
    statement: ClassVar[str] = (
        "The minimiser of F(θ) + bᵀθ with b ~ N(0, σ²I), D = kWLr, e = 0.99·ε − log(1 + Wcr²/γ) ≥ "
        "D²/(2σ²), is (0.99·ε, δ)-differentially private when "
        "2k(Φ(D/2σ − eσ/D) − e^e Φ(−D/2σ − eσ/D)) ≤ δ; a second noise for the solver's tolerance "
        "costs 0.01·ε; together (ε, δ)."
    )

    def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
        """Return σ, τ and the second noise.

        Parameters
        ----------
        facts : Facts with C = 0, regularizer ridge, and γ above ``gamma_floor``
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
            norm="gaussian",
            kappa=facts.radius,
            epsilon_inside=shares.inside,
            epsilon_outside=shares.outside,
            jacobian=jacobian(facts),
            sigma=round_up(multiplier * terms * facts.gradient_bound),
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
        if calibration.inside is None or calibration.inside.sigma is None:
            raise ParameterError(f"the calibration is not for {self.name}")
        p, sigma = calibration.facts.dimension, Fraction(calibration.inside.sigma)

        def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
            return [ball(sigma) * z for z in gauss(uniforms.balls(0, even(p), m))[:p]]

        return run_perturbed(self, sample, objective, calibration, bits, on_stage)
