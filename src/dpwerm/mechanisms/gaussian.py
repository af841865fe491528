r"""Gaussian noise with the smallest σ that meets a budget in (ε, δ), ρ-zCDP or μ-GDP.

With m = σ/Δ the exact cost is, in (ε, δ) (Balle and Wang 2018, Theorem 8),

    δ(m) = Φ(1/(2m) − εm) − e^ε Φ(−1/(2m) − εm)

which falls as m grows; m is the smallest number of a public grid with δ(m) ≤ δ, decided in ball
arithmetic. It is therefore the same on every machine. In ρ-zCDP m² = 1/(2ρ), and in μ-GDP m = 1/μ.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.exact import floor_log2, precision, round_up, sqrt_up
from dpwerm.mechanisms.contract import GRID_BITS, Noise, finite_budget
from dpwerm.mechanisms.output_perturbation import OutputPerturbation
from dpwerm.privacy.budget import AnyBudget, GaussianBudget
from dpwerm.privacy.sampling import Sampler, ball, normal

MULTIPLIER_BITS = 30  # the grid of m has 2^30 points in every octave (2^a, 2^(a+1)]
_FIRST_BITS, _LAST_BITS = 128, 1 << 14


def delta_ball(multiplier: Fraction, epsilon: Fraction) -> arb:
    r"""Return an enclosure of δ(m) at the working precision.

    .. math:: \delta(m) = \Phi(1/(2m) - \varepsilon m) - e^\varepsilon \Phi(-1/(2m) - \varepsilon m)
    """
    half, product = ball(1 / (2 * multiplier)), ball(epsilon * multiplier)
    root = arb(2).sqrt()
    first = ((product - half) / root).erfc()
    second = ((product + half) / root).erfc()
    return (first - ball(epsilon).exp() * second) / 2


def suffices(multiplier: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether δ(m) ≤ δ; decided at rising precision, and "no" if it cannot be."""
    bits = _FIRST_BITS
    while bits <= _LAST_BITS:
        with precision(bits):
            cost, allowed = delta_ball(multiplier, epsilon), ball(delta)
            if cost <= allowed:
                return True
            if cost > allowed:
                return False
        bits *= 2
    return False


@lru_cache(maxsize=256)
def noise_multiplier(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the smallest m of the grid with δ(m) ≤ δ, for ε > 0 and 0 < δ < 1."""
    return smallest_multiplier(lambda m: suffices(m, epsilon, delta))


def smallest_multiplier(holds: Callable[[Fraction], bool]) -> Fraction:
    """Return the smallest m of the grid at which a condition holds that larger m keep."""
    octave = 0
    while not holds(Fraction(2) ** octave):
        octave += 1
    while holds(Fraction(2) ** (octave - 1)):
        octave -= 1
    step = Fraction(2) ** (octave - 1 - MULTIPLIER_BITS)
    low, high = 1 << MULTIPLIER_BITS, 1 << MULTIPLIER_BITS + 1
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle * step):
            high = middle
        else:
            low = middle
    return high * step


class Gaussian(OutputPerturbation):
    r"""The analytic Gaussian mechanism.

    .. math:: Z \sim N(0, \sigma^2 I), \quad \sigma = m \Delta, \quad \delta(m) \le \delta

    Private because ‖θ − θ'‖₂ ≤ Δ for neighbours; with any σ also Δ²/(2σ²)-zCDP and (Δ/σ)-GDP.
    """

    name = "gaussian"
    needs_delta = True
    needs_epsilon = False
    statement = (
        "If the ℓ₂ sensitivity is at most Δ, adding N(0, σ²) noise to each coordinate is "
        "(ε, δ)-differentially private when Φ(Δ/2σ − εσ/Δ) − e^ε Φ(−Δ/2σ − εσ/Δ) ≤ δ, ρ-zCDP when "
        "Δ²/(2σ²) ≤ ρ, and μ-GDP when Δ/σ ≤ μ."
    )
    proof = "docs/proofs/gaussian.md"

    def scale_and_grid(self, change: Fraction, p: int, budget: AnyBudget) -> tuple[float, int]:
        """Return σ = m·Δ, a double, rounded up.

        The budget must have ε finite and 0 < δ < 1, or be a GaussianBudget.
        """
        del p
        if isinstance(budget, GaussianBudget):
            sigma = sqrt_up(budget.exact_square * change**2)
        else:
            asked = finite_budget(self.name, budget, delta=True)
            sigma = round_up(noise_multiplier(asked.exact_epsilon, asked.exact_delta) * change)
        return sigma, floor_log2(Fraction(sigma)) - GRID_BITS

    def sampler(self, noise: Noise) -> Sampler:
        """Return Z; σ is the double ``noise.scale``, exactly."""
        return normal(noise.dimension, Fraction(noise.scale))

    def simulated(self, draws: Draws) -> FloatArray:
        """Return normal numbers."""
        return draws.normals

    def log_law(self, z: FloatArray) -> FloatArray:
        """Return −½‖z‖₂²."""
        return np.asarray(-0.5 * (z**2).sum(axis=1))

    def order(self, budget: AnyBudget) -> int | None:
        """Return the fifth place where δ > 0, and the only one for ρ or μ."""
        return 50 if budget.is_private and self.is_plain(budget) else None

    def is_plain(self, budget: AnyBudget) -> bool:
        """Whether the budget has a δ, or is in ρ or μ."""
        return isinstance(budget, GaussianBudget) or budget.delta != 0

    def half_width(self, scale: float, dimension: int, coverage: float, count: int) -> float:
        """Return σ times a quantile of |N|: the coordinates are independent."""
        del dimension
        from scipy import stats

        return scale * float(stats.norm.isf(-math.expm1(math.log(coverage) / count) / 2))

    def rho_and_mu(self, noise: Noise) -> tuple[float, float]:
        r"""Return ρ and μ, rounded up.

        .. math:: \rho = \frac{\Delta^2}{2\sigma^2}, \quad \mu = \frac{\Delta}{\sigma}
        """
        mu = noise.exact_sensitivity / Fraction(noise.scale)
        return round_up(mu**2 / 2), round_up(mu)
