"""One Gaussian noise in three notions: with m = σ/Δ it is 1/(2m²)-zCDP and 1/m-GDP, all exact.

A μ or ρ is compared with a total in (ε, δ) by the exact curve δ(ε) of its noise, which loses
nothing: μ-GDP and the curve of N(0, 1) against N(μ, 1) say the same.
Proof: docs/proofs/gaussian.md.
"""

import math
from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction

from dpwerm.exact import round_up, sqrt_up
from dpwerm.mechanisms.gaussian import Gaussian, noise_multiplier, suffices
from dpwerm.mechanisms.noise import Noise, epsilon_delta
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.gaussian_budget import GaussianBudget

_SHOWN_DIGITS = 3


def check_notion(mechanism: str, budget: AnyBudget) -> None:
    """Raise if the mechanism makes no claim in the notion of the budget."""
    if mechanism != Gaussian.name:
        epsilon_delta(mechanism, budget)


def rho_and_mu(noise: Noise) -> tuple[float, float] | None:
    r"""Return the ρ and the μ that Gaussian noise has, rounded up; None for other noise.

    .. math:: \rho = \frac{\Delta^2}{2\sigma^2}, \quad \mu = \frac{\Delta}{\sigma}
    """
    if noise.mechanism != Gaussian.name:
        return None
    mu = noise.exact_sensitivity / Fraction(noise.scale)
    return round_up(mu**2 / 2), round_up(mu)


def is_within(budget: GaussianBudget, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the noise of the budget is (ε, δ)-private, for ε > 0 and 0 ≤ δ < 1.

    With δ = 0 never: Gaussian noise has no finite ε. m is rounded down, which never helps.
    """
    multiplier = sqrt_up(budget.exact_square)
    if Fraction(multiplier) ** 2 > budget.exact_square:
        multiplier = math.nextafter(multiplier, 0.0)
    return delta > 0 and suffices(Fraction(multiplier), epsilon, delta)


def largest_within(budget: GaussianBudget, epsilon: Fraction, delta: Fraction) -> str:
    """Return a parameter of the same notion that is within (ε, δ), rounded down to three digits."""
    multiplier = noise_multiplier(epsilon, delta)
    exact = 1 / (2 * multiplier**2) if budget.notion == "zcdp" else 1 / multiplier
    with localcontext() as context:
        context.prec, context.rounding = _SHOWN_DIGITS, ROUND_FLOOR
        return f"{Decimal(exact.numerator) / Decimal(exact.denominator):f}"
