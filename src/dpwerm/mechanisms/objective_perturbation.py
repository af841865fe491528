"""Objective perturbation: θ* = argmin F(θ) + bᵀθ with b of a norm's density, or normal.

With pure ε, b has density ∝ exp(−β‖b‖_K) for a norm K, and κ = sup ‖x‖_K over the allowed rows:

    kWLκβ + log(1 + Wcρ) = ε_in,   ρ = r²/γ for ridge

One record shifts the b that belongs to a θ by at most kWLκ in the norm K, k = 2 under replace-one
and 1 under add/remove, and changes the Jacobian by the second term. A radius Gamma(p+1)/β times a
uniform point of the unit ball of K has that density. Proof: docs/proofs/objective-perturbation.md.

With (ε, δ), b ~ N(0, σ²I). For D = kWLr, m = σ/D and e = ε_in − log(1 + Wcρ) the cost of θ* at ε_in
is at most

    2k·H(e),   H(e) = Φ(1/(2m) − em) − e^e Φ(−1/(2m) − em),   if e ≥ 1/(2m²)

which is 2k times the cost of the Gaussian mechanism. Proof: docs/proofs/objective-gaussian.md.
"""

from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.exact import round_down, round_up
from dpwerm.mechanisms.contract import with_epsilon
from dpwerm.mechanisms.gaussian import Gaussian, smallest_multiplier, suffices
from dpwerm.mechanisms.output_perturbation import SphericalLaplace
from dpwerm.mechanisms.perturbed import PerturbedObjective, Shares
from dpwerm.mechanisms.tapered import jacobian_above, largest_shift
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.sampling import LazyUniforms, Sampler, ball, gamma_radius, normal, spherical
from dpwerm.privacy.sensitivity import Facts

CLAIM = (
    "If ‖x‖_K ≤ κ for every row, the minimiser of F(θ) + bᵀθ with noise density "
    "∝ exp(−β‖b‖_K), K = {}, is differentially private at "
    "kWLκβ + log(1 + Wcr²/γ) = 0.99·ε, and a second noise for the solver's tolerance at "
    "0.01·ε; together ε."
)
"""The claim, with the norm it is about."""

TAPERED = (
    "If ‖x‖_K ≤ κ for every row and ℓ'' ≤ c_t(1 − |ℓ'|/L), the minimiser of F(θ) + bᵀθ with noise "
    "density ∝ exp(−β‖b‖_K), K = {}, is differentially private at kg + J(g, u) = 0.99·ε, "
    "g = WLκβ, u = Wc_tρ, J = 0 from u ≤ g on, and a second noise for the solver's tolerance at "
    "0.01·ε; together ε."
)
"""The claim for a loss that tapers."""


class ObjectivePerturbation(PerturbedObjective):
    r"""Noise in the objective, for any norm K (Chaudhuri et al. 2011, Algorithm 2, for ‖·‖₂).

    .. math:: \beta = \frac{\varepsilon_{in} - \log(1 + W c \rho)}{k W L \kappa}

    A class gives the norm, and its place among the automatic candidates for a finite ε.
    """

    proof = "docs/proofs/objective-perturbation.md"
    place: ClassVar[int | None] = None

    def order(self, budget: AnyBudget) -> int | None:
        """Return the place for a finite ε."""
        return self.place if with_epsilon(budget) else None

    def claim(self, facts: Facts) -> tuple[str, str]:
        """Return the claim and its proof; of a loss that tapers, the tapered theorem's."""
        if facts.taper is None or facts.taper > facts.smoothness:
            return super().claim(facts)
        return TAPERED.format(self.norm), "docs/proofs/tapered-losses.md"

    def left(self, facts: Facts, shares: Shares) -> tuple[float, float]:
        """Return what is left of ε_in for the noise, and J.

        A loss that tapers with c_t ≤ c never pays more for it; a larger c_t is not used.
        """
        bound = facts.tapered_bound
        if bound is None or facts.taper is None or facts.taper > facts.smoothness:
            return super().left(facts, shares)
        growth, terms = bound / Fraction(facts.gamma), facts.relation.terms
        shift = largest_shift(growth, Fraction(shares.inside), terms)
        if shift == 0:
            return super().left(facts, shares)  # which refuses where nothing is left
        return round_down(terms * shift), jacobian_above(shift, growth)

    def rate_and_sigma(self, facts: Facts, budget: Budget, left: Fraction) -> tuple[float, None]:
        """Return β, rounded down."""
        del budget
        kappa = Fraction(self.kappa(facts))
        shift = Fraction(facts.weight_bound) * Fraction(facts.lipschitz) * kappa
        return round_down(left / (facts.relation.terms * shift)), None


class ObjectiveEuclidean(ObjectivePerturbation):
    """The norm ‖b‖₂: radius Gamma(p) times a uniform direction; κ = r."""

    name = "objective-l2"
    norm = "l2"
    statement = CLAIM.format(norm)
    place = 20

    def kappa(self, facts: Facts) -> float:
        """Return r."""
        return facts.radius

    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        """Return b from p + even(p) uniforms."""
        return spherical(facts.dimension, scale)

    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        """Return spherical Laplace noise."""
        del facts
        return draws.spherical

    def log_law(self, facts: Facts, b: FloatArray) -> FloatArray:
        """Return −‖b‖₂."""
        del facts
        return SphericalLaplace().log_law(b)


class ObjectiveBlock(ObjectivePerturbation):
    """The norm whose unit ball is the domain, the set of allowed rows, so that κ = 1."""

    name = "objective-block"
    norm = "block"
    statement = CLAIM.format(norm)
    place = 10

    def kappa(self, facts: Facts) -> float:
        """Return 1: every allowed row lies in the unit ball, and some on its boundary."""
        del facts
        return 1.0

    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        """Return b: radius Gamma(p+1) times a uniform point of the domain."""
        p, domain = facts.dimension, facts.domain

        def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
            radius = ball(scale) * gamma_radius(uniforms.balls(0, p + 1, m))
            return [radius * v for v in domain.point(uniforms.balls(p + 1, domain.uniforms, m))]

        return sample

    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        """Return a Gamma(p+1) radius times a uniform point of the domain."""
        point = facts.domain.simulated(draws, slice(0, facts.dimension))
        return np.asarray(point * draws.longer[..., None])

    def log_law(self, facts: Facts, b: FloatArray) -> FloatArray:
        """Return −‖b‖_K."""
        return -facts.domain.gauge(b)


@lru_cache(maxsize=256)
def inside_multiplier(left: Fraction, delta: Fraction) -> Fraction:
    """Return the smallest m of the grid with H(e) ≤ δ and e ≥ 1/(2m²), for e = ``left`` > 0."""
    return smallest_multiplier(lambda m: 2 * left * m**2 >= 1 and suffices(m, left, delta))


class ObjectiveGaussian(PerturbedObjective):
    r"""Gaussian noise in the objective (after Kifer, Smith and Thakurta 2012); κ = r.

    .. math:: b \sim N(0, \sigma^2 I), \quad \sigma = m k W L r, \quad 2k H(e) \le \delta
    """

    name = "objective-gaussian"
    norm = "gaussian"
    needs_delta = True
    proof = "docs/proofs/objective-gaussian.md"
    statement = (
        "The minimiser of F(θ) + bᵀθ with b ~ N(0, σ²I), D = kWLr, e = 0.99·ε − log(1 + Wcr²/γ) ≥ "
        "D²/(2σ²), is (0.99·ε, δ)-differentially private when "
        "2k(Φ(D/2σ − eσ/D) − e^e Φ(−D/2σ − eσ/D)) ≤ δ; a second noise for the solver's tolerance "
        "costs 0.01·ε; together (ε, δ)."
    )

    def order(self, budget: AnyBudget) -> int | None:
        """Return the fourth place for a finite ε with δ > 0."""
        return 40 if isinstance(budget, Budget) and budget.is_private and budget.delta else None

    def rate_and_sigma(self, facts: Facts, budget: Budget, left: Fraction) -> tuple[None, float]:
        """Return σ, rounded up."""
        terms = facts.relation.terms
        multiplier = inside_multiplier(left, budget.exact_delta / (2 * terms))
        return None, round_up(multiplier * terms * facts.gradient_bound)

    def kappa(self, facts: Facts) -> float:
        """Return r: a shift is measured by ‖·‖₂."""
        return facts.radius

    def sampler(self, facts: Facts, scale: Fraction) -> Sampler:
        """Return b from even(p) uniforms."""
        return normal(facts.dimension, scale)

    def simulated(self, facts: Facts, draws: Draws) -> FloatArray:
        """Return normal numbers."""
        del facts
        return draws.normals

    def log_law(self, facts: Facts, b: FloatArray) -> FloatArray:
        """Return −½‖b‖₂²."""
        del facts
        return Gaussian().log_law(b)
