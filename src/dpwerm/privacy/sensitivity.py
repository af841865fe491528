r"""The ℓ₂ sensitivity of the minimiser: Δ₂ = (C + 2WLr)/γ.

F is γ-strongly convex, so its minimiser moves by at most (change of ∇F)/γ; replacing one record
changes ∇F by at most W·L·r for the old term, as much for the new one, and C for the others.
Proof: docs/proofs/output-perturbation.md.
"""

from fractions import Fraction

from dpwerm.errors import ParameterError
from dpwerm.exact import round_down, round_up
from dpwerm.parameters import real
from dpwerm.privacy.facts import Facts

__all__ = [
    "Facts",
    "default_tolerance",
    "l2_sensitivity",
    "objective_tolerance",
    "total_sensitivity",
]

SMALLEST, LARGEST = 1e-100, 1e100
"""The range of a sensitivity; wider than any that valid facts can give."""


def l2_sensitivity(facts: Facts) -> float:
    r"""Return a bound on how far one record moves the exact minimiser, rounded up.

    .. math:: \Delta_2 = \frac{C + k W L r}{\gamma}

    k = 2 under replace-one and 1 under add/remove; C: ``facts.origin.constant``.
    """
    change = facts.origin.constant(facts) + facts.relation.terms * facts.gradient_bound
    return round_up(change / Fraction(facts.gamma))


def default_tolerance(sensitivity: float) -> float:
    """Return τ = 10⁻⁶·Δ₂, so small that 2τ costs nothing, and public as Δ₂ is."""
    return round_down(Fraction(checked("sensitivity", sensitivity)) / 10**6)


def objective_tolerance(facts: Facts) -> float:
    r"""Return what objective perturbation solves to, rounded down.

    .. math:: \tau = \min(10^{-8} k W L r / \gamma,\; 10^{-6} / r)

    A second noise covers the whole of τ. The first term is tiny beside the noise inside; the second
    keeps it tiny beside the margin 1 = |xᵀθ| where γ is so small that the first is not.
    """
    change = facts.relation.terms * facts.gradient_bound / Fraction(facts.gamma)
    return round_down(min(change / 10**8, 1 / (10**6 * Fraction(facts.radius))))


def total_sensitivity(sensitivity: float, tolerance: float) -> float:
    """Return Δ = Δ₂ + 2τ, rounded up: each of the two neighbours is solved to within τ.

    Parameters
    ----------
    sensitivity : float > 0, Δ₂
    tolerance : float ≥ 0, τ, fixed before the data are seen
    """
    tau = real("tolerance", tolerance)
    if tau < 0:
        raise ParameterError(f"tolerance must not be negative, not {tau:g}")
    return round_up(Fraction(checked("sensitivity", sensitivity)) + 2 * Fraction(tau))


def checked(name: str, value: object) -> float:
    """Return a sensitivity as a float in [1e-100, 1e100]."""
    number = real(name, value)
    if not SMALLEST <= number <= LARGEST:
        raise ParameterError(f"{name} must be between {SMALLEST:g} and {LARGEST:g}, not {number:g}")
    return number
