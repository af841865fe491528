"""What rounding can do to sums and products of doubles; docs/proofs/solver-certificate.md uses it.

A sum of products in which every term passes through at most k roundings errs by at most
G(k) = ku/(1 − ku) times the sum of the absolute products, in whatever order it is taken.
"""

U = 2.0**-53
"""Unit roundoff: the largest relative error of one rounding to nearest."""

ETA = 2.0**-1000
"""Far more than what underflow can do to one product, even if small numbers are flushed to 0."""

SLACK = 1 + 2.0**-40
"""More than a hundred roundings of a bound can take from it."""


def growth(k: int) -> float:
    """Return G(k) = ku/(1 − ku), the relative error that k roundings can build up."""
    return k * U / (1 - k * U)
