"""What the curvature of one record costs: J = log(1 + Wcr²/γ), and the γ at which it is all of ε.

Under objective perturbation the density of θ has the factor det ∇²F(θ). One record multiplies it
by at most 1 + Wcr²/γ, so J of ε is gone before any noise; with γ ≤ Wcr²/(e^ε − 1) nothing is left.
Proof: docs/proofs/objective-perturbation.md.
"""

from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction

from dpwerm.errors import ParameterError
from dpwerm.exact import round_down, round_up
from dpwerm.mechanisms.shares import Shares
from dpwerm.parameters import LARGEST, SMALLEST
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.enclosure import settled
from dpwerm.privacy.facts import Facts
from dpwerm.privacy.grid import ball

_SHOWN_DIGITS = 4


def jacobian(facts: Facts) -> float:
    """Return J = log(1 + Wcr²/γ), rounded up."""
    growth = facts.curvature_bound / Fraction(facts.gamma)
    return settled(lambda: ball(growth).log1p(), round_up)


def epsilon_left(name: str, facts: Facts, shares: Shares) -> float:
    r"""Return what is left for the noise, rounded down, or raise if it is nothing.

    .. math:: \varepsilon_{in} - \log(1 + W c r^2 / \gamma)
    """
    left = _left(facts.curvature_bound, facts.gamma, shares)
    if left > 0:
        return left
    floor = _floor(facts.curvature_bound, shares)
    if floor > LARGEST:
        raise ParameterError(
            f"mechanism {name} needs a gamma above {LARGEST:g} for this epsilon: "
            "a smaller weight bound, a smoother loss or a larger epsilon would help"
        )
    raise ParameterError(
        f"mechanism {name} needs gamma of at least {_shown(floor)} for this epsilon, weight bound, "
        "loss and encoding. There the noise is still without limit; at twice as much about half of "
        "a small epsilon is left for it, and more at a larger gamma"
    )


def gamma_floor(weight_bound: float, smoothness: float, radius: float, budget: AnyBudget) -> float:
    r"""Return the smallest γ with which objective perturbation can be planned, at least 1e-12.

    .. math:: \gamma > \frac{W c r^2}{e^{\varepsilon_{in}} - 1}

    because only then log(1 + Wcr²/γ) < ε_in. May be above 1e12, and then no γ will do.

    Parameters
    ----------
    weight_bound, smoothness, radius : float > 0, W, c, r
    budget : Budget with ε finite, at least 0.0001
    """
    curvature_bound = Fraction(weight_bound) * Fraction(smoothness) * Fraction(radius) ** 2
    return _floor(curvature_bound, Shares.of("objective perturbation", budget))


def _floor(curvature_bound: Fraction, shares: Shares) -> float:
    """Return the smallest double above Wcr²/(e^ε_in − 1), at least 1e-12."""
    if _left(curvature_bound, SMALLEST, shares) > 0:
        return SMALLEST
    return settled(lambda: ball(curvature_bound) / ball(Fraction(shares.inside)).expm1(), round_up)


def _left(curvature_bound: Fraction, gamma: float, shares: Shares) -> float:
    """Return ε_in − log(1 + Wcr²/γ), rounded down."""
    growth = curvature_bound / Fraction(gamma)
    epsilon = Fraction(shares.inside)
    return settled(lambda: ball(epsilon) - ball(growth).log1p(), round_down)


def _shown(floor: float) -> str:
    """Return a few digits of γ, rounded up, so that the number shown is itself accepted."""
    with localcontext() as context:
        context.prec, context.rounding = _SHOWN_DIGITS, ROUND_CEILING
        return f"{float(+Decimal(floor)):g}"
