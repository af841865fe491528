"""One Gaussian noise in three notions: with m = σ/Δ it is 1/(2m²)-zCDP and 1/m-GDP, all exact.

Proof: docs/proofs/gaussian.md.
"""

from fractions import Fraction

from dpwerm.exact import round_up
from dpwerm.mechanisms.gaussian import Gaussian
from dpwerm.mechanisms.noise import Noise, epsilon_delta
from dpwerm.privacy.budget import AnyBudget


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
