r"""What a loss that tapers saves: a record pays for its slope or for its curvature, not for both.

.. math:: \ell'' \le c_t (1 - |\ell'|/L), \qquad g = W L \kappa \beta, \quad u = W c_t \rho

The slope of one record shifts b by at most gs, s = |ℓ'|/L its share of the steepest, and its
curvature multiplies the determinant by at most 1 + u(1 − s). So ε_in = kg + J(g, u) with

    J = 0 if u ≤ g;   log t − 1 + 1/t, t = u/g, if u/(1 + u) ≤ g < u;   log(1 + u) − g below

which is never more than log(1 + u), and nothing at all from γ ≥ kWc_tr²/ε_in on for ridge.
Proof: docs/proofs/tapered-losses.md.
"""

from fractions import Fraction

from flint import arb

from dpwerm.exact import fraction_of, precision, round_down, round_up
from dpwerm.privacy.sampling import ball

_BITS = 256
_HALVINGS = 80


def jacobian_at(g: Fraction, u: Fraction) -> arb:
    """Return J(g, u) at the working precision."""
    if u <= g:
        return arb(0)
    if u <= g * (1 + u):
        return ball(u / g).log() - 1 + ball(g / u)
    return ball(u).log1p() - ball(g)


def largest_shift(u: Fraction, epsilon: Fraction, terms: int) -> Fraction:
    """Return the largest g, rounded down, with kg + J(g, u) ≤ ε; 0 if there is none.

    kg + J does not fall with g, so halving finds it; each side of a comparison is an enclosure, and
    what it leaves undecided counts as too large.
    """

    def holds(g: Fraction) -> bool:
        return bool(terms * ball(g) + jacobian_at(g, u) <= ball(epsilon))

    high = epsilon / terms
    if u <= high:
        return high
    with precision(_BITS):
        if not ball(u).log1p() < ball(epsilon):
            return Fraction(0)
        low = Fraction(0)
        for _ in range(_HALVINGS):
            middle = Fraction(round_down((low + high) / 2))
            if not low < middle < high:
                break
            low, high = (middle, high) if holds(middle) else (low, middle)
        return low


def jacobian_above(g: Fraction, u: Fraction) -> float:
    """Return J(g, u), rounded up, for reading."""
    with precision(_BITS):
        top = jacobian_at(g, u).upper()
        return round_up(fraction_of(top))
