"""Output perturbation: solve first, then add noise made for Δ = Δ₂ + 2τ, or none at ε = ∞.

One record moves the exact minimiser by at most Δ₂ and the solver's answer by at most Δ, so any law
of noise for the sensitivity Δ makes the answer private. Proof: docs/proofs/output-perturbation.md.

Here are the laws of pure ε. Density ∝ exp(−ε‖z‖₂/Δ): a shift by Δ changes it by e^ε at most.
Independent Laplace coordinates of scale √p·Δ/ε pay for an ℓ₂ sensitivity because ‖v‖₁ ≤ √p·‖v‖₂.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.exact import floor_log2, round_up, sqrt_up
from dpwerm.mechanisms.contract import (
    GRID_BITS,
    Calibration,
    Mechanism,
    Noise,
    checked_dimension,
    epsilon_delta,
    pure_epsilon,
    with_epsilon,
)
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sampling import Sampler, independent_laplace, release_on_grid, spherical
from dpwerm.privacy.sensitivity import (
    Facts,
    checked,
    default_tolerance,
    l2_sensitivity,
    total_sensitivity,
)

FINE_GRID_BITS = 40
NODES = 400  # of the integral over K


class OutputPerturbation(Mechanism):
    r"""The minimiser plus noise of one law (Chaudhuri et al. 2011, Algorithm 1).

    .. math:: \theta = \tilde\theta + Z, \quad \|\tilde\theta - \hat\theta\|_2 \le \tau

    Private because Z is made for Δ₂ + 2τ. A class gives the law of Z for a sensitivity Δ.
    """

    how: ClassVar[str] = (
        "The rule was computed from the rows of the people in it, with each person's weight held "
        "below a public bound, so one person can move the coefficients only so far. Random noise "
        "made for that distance was added before anything left the computer"
    )

    @abstractmethod
    def scale_and_grid(self, change: Fraction, p: int, budget: AnyBudget) -> tuple[float, int]:
        """Return the scale of the noise for Δ = ``change``, rounded up, and the e of the grid."""

    @abstractmethod
    def sampler(self, noise: Noise) -> Sampler:
        """Return Z, exactly."""

    @abstractmethod
    def simulated(self, draws: Draws) -> FloatArray:
        """Return noise (…, p) of scale 1 in doubles."""

    @abstractmethod
    def log_law(self, z: FloatArray) -> FloatArray:
        """Return the log-density of noise (m, p) of scale 1, up to a constant, (m,)."""

    def noise_for(self, sensitivity: float, dimension: int, budget: AnyBudget) -> Noise:
        """Return the noise that makes the claim true for an ℓ₂ sensitivity Δ > 0."""
        delta2, p = checked("sensitivity", sensitivity), checked_dimension(dimension)
        scale, exponent = self.scale_and_grid(Fraction(delta2), p, budget)
        return Noise(self.name, p, delta2, budget, scale, exponent)

    def release(self, theta: Sequence[Fraction], noise: Noise, bits: BitSource) -> tuple[int, ...]:
        """Return the grid integers of θ + Z."""
        center = checked_release(self, theta, noise)
        return release_on_grid(center, self.sampler(noise), noise.exponent, bits)

    def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
        """Return Δ₂, τ, and the noise for Δ₂ + 2τ."""
        sensitivity = l2_sensitivity(facts)
        tolerance = default_tolerance(sensitivity)
        total = total_sensitivity(sensitivity, tolerance)
        noise = self.noise_for(total, facts.dimension, budget)
        return Calibration(self.name, facts, budget, sensitivity, tolerance, noise)

    def inside_noise(self, calibration: Calibration, draws: Draws) -> None:
        """Return None: the objective is left as it is."""

    def outside_noise(self, calibration: Calibration, draws: Draws) -> FloatArray:
        """Return noise of the law."""
        return self.simulated(draws) * calibration.noise.scale

    def log_density(self, calibration: Calibration, noise: FloatArray) -> FloatArray:
        """Return the law's log-density."""
        return self.log_law(noise / (calibration.noise.scale or 1.0))


def checked_release(
    law: OutputPerturbation, theta: Sequence[Fraction], noise: Noise
) -> list[Fraction]:
    """Return θ if ``noise`` is what the law itself derives, so no claim can be edited."""
    if noise.mechanism != law.name:
        raise ParameterError(f"the noise is for {noise.mechanism}, not for {law.name}")
    if noise != law.noise_for(noise.sensitivity, noise.dimension, noise.budget):
        raise ParameterError("the noise does not follow from its sensitivity and its budget")
    if len(theta) != noise.dimension:
        raise ParameterError(f"theta must have {noise.dimension} entries, not {len(theta)}")
    if not all(isinstance(value, Fraction | int) for value in theta):
        raise ParameterError("theta must hold exact fractions")
    return [Fraction(value) for value in theta]


class SphericalLaplace(OutputPerturbation):
    r"""Radius Gamma(p, Δ/ε) times a uniform direction (Chaudhuri et al. 2011, Algorithm 1).

    .. math:: Z = \frac{\Delta}{\varepsilon} R S, \quad R \sim \Gamma(p),
              \quad S \sim U(\text{sphere})

    Private because ‖θ − θ'‖₂ ≤ Δ for neighbours and the density is exp(−ε‖z‖₂/Δ) up to a factor.
    """

    name = "spherical-laplace"
    statement = (
        "If the ℓ₂ sensitivity is at most Δ, adding noise with density ∝ exp(−ε‖z‖₂/Δ) "
        "is ε-differentially private."
    )
    proof = "docs/proofs/spherical-laplace.md"

    def scale_and_grid(self, change: Fraction, p: int, budget: AnyBudget) -> tuple[float, int]:
        """Return Δ/ε; the budget must have ε finite and δ = 0."""
        del p
        scale = change / pure_epsilon(self.name, budget)
        return round_up(scale), floor_log2(scale) - GRID_BITS

    def sampler(self, noise: Noise) -> Sampler:
        """Return Z: radius and direction."""
        scale = noise.exact_sensitivity / pure_epsilon(self.name, noise.budget)
        return spherical(noise.dimension, scale)

    def simulated(self, draws: Draws) -> FloatArray:
        """Return a Gamma(p) radius times a uniform direction."""
        return draws.spherical

    def log_law(self, z: FloatArray) -> FloatArray:
        """Return −‖z‖₂."""
        return np.asarray(-np.linalg.norm(z, axis=1))

    def order(self, budget: AnyBudget) -> int | None:
        """Return the third place for a finite ε."""
        return 30 if with_epsilon(budget) else None

    def is_plain(self, budget: AnyBudget) -> bool:
        """Whether the budget has no δ."""
        return isinstance(budget, Budget) and budget.delta == 0

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float:
        r"""Return t by quadrature, with a relative error below 1e-6 at 0.95, 2e-5 up to 0.999.

        .. math:: P(|Z_j| \le t \text{ for } k \text{ of the } j) = E[(2\Phi(t/(sK)) - 1)^k]

        because Z = s·K·N with K ~ χ(p+1) and N standard normal: ‖N‖·K ~ χ(p)·χ(p+1) ~ Gamma(p), by
        the duplication of the gamma function.
        """
        from scipy import optimize, special, stats

        # Gauss–Legendre nodes in probability space of K; the integrand is smooth and bounded.
        nodes, weights = special.roots_legendre(NODES)
        sizes = stats.chi(dimension + 1).ppf((nodes + 1) / 2)

        def excess(t: float) -> float:
            inside = special.erf(t / sizes / math.sqrt(2)) ** count
            return float(weights @ inside / 2 - coverage)

        return scale * float(optimize.brentq(excess, 1e-9, 100.0 * (dimension + 10)))


class ProductLaplace(OutputPerturbation):
    r"""Independent Laplace coordinates, a baseline (Rubinstein et al. 2012; Spicker et al. 2024).

    .. math:: Z_j = \frac{\sqrt p \, \Delta}{\varepsilon} X_j, \quad X_j \sim \text{Laplace}(0, 1)

    Private because ‖θ − θ'‖₁ ≤ √p·Δ for neighbours; noisier than the spherical mechanism.
    """

    name = "product-laplace"
    statement = (
        "If the ℓ₂ sensitivity is at most Δ, adding independent Laplace noise of scale √p·Δ/ε "
        "to each of the p coordinates is ε-differentially private."
    )
    proof = "docs/proofs/product-laplace.md"

    def scale_and_grid(self, change: Fraction, p: int, budget: AnyBudget) -> tuple[float, int]:
        """Return √p·Δ/ε; the budget must have ε finite and δ = 0."""
        square = p * (change / pure_epsilon(self.name, budget)) ** 2
        return sqrt_up(square), floor_log2(square) // 2 - GRID_BITS

    def sampler(self, noise: Noise) -> Sampler:
        """Return Z: p Laplace numbers."""
        unit = noise.exact_sensitivity / pure_epsilon(self.name, noise.budget)
        return independent_laplace(noise.dimension, noise.dimension * unit**2)

    def simulated(self, draws: Draws) -> FloatArray:
        """Return Laplace numbers."""
        return draws.laplace

    def log_law(self, z: FloatArray) -> FloatArray:
        """Return −‖z‖₁."""
        return np.asarray(-np.abs(z).sum(axis=1))

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float:
        """Return −s·log(1 − coverage^(1/k)): the coordinates are independent."""
        del dimension
        return -scale * math.log(-math.expm1(math.log(coverage) / count))


class NotPrivate(OutputPerturbation):
    """The non-private baseline: ε = ∞, no noise, k_j = ⌊θ_j/2^e + ½⌋ on a grid 2^e ≤ 2^−40·Δ.

    It has the form of a release so that everything after it is alike; nothing is promised.
    """

    name = "none"
    private = False
    statement = "Nothing is promised: the result is not private."
    proof = "docs/proofs/README.md"
    how = "No noise was added"

    def scale_and_grid(self, change: Fraction, p: int, budget: AnyBudget) -> tuple[float, int]:
        """Return the scale 0; the budget must have ε = ∞ and δ = 0."""
        del p
        asked = epsilon_delta(self.name, budget)
        if asked.is_private:
            raise ParameterError("mechanism none needs epsilon = inf: it adds no noise")
        if asked.delta != 0:
            raise ParameterError("mechanism none needs delta = 0")
        return 0.0, floor_log2(change) - FINE_GRID_BITS

    def sampler(self, noise: Noise) -> Sampler:
        """Return zeros; no bit is drawn."""
        return lambda uniforms, bits: [arb(0)] * noise.dimension  # noqa: ARG005

    def simulated(self, draws: Draws) -> FloatArray:
        """Return zeros."""
        return np.zeros_like(draws.normals)

    def log_law(self, z: FloatArray) -> FloatArray:
        """Return 0 at 0 and −∞ elsewhere."""
        return np.where(np.any(z != 0, axis=1), -np.inf, 0.0)

    def order(self, budget: AnyBudget) -> int | None:
        """Return a place for ε = ∞ alone."""
        return None if budget.is_private else 0

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float:
        """Return 0."""
        del scale, dimension, coverage, count
        return 0.0
