"""Exact numbers: rationals rounded to doubles in the direction that keeps a bound true.

A bound such as r or Δ must hold for real numbers, so it is computed as a fraction and rounded
once, upwards. Rounding to nearest could make it smaller than the truth.

flint keeps one precision of ball arithmetic for the whole process. A change by another thread could
widen an enclosure and never make it wrong, but it must not outlive the work it was made for.

A sum of products in which every term passes through at most k roundings errs by at most
G(k) = ku/(1 − ku) times the sum of the absolute products, in whatever order it is taken;
docs/proofs/solver-certificate.md uses it.
"""

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction

from flint import arb, ctx


def round_up(value: Fraction) -> float:
    """Return the smallest double that is not below ``value``."""
    nearest = float(value)
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def round_down(value: Fraction) -> float:
    """Return the largest double that is not above ``value``."""
    return -round_up(-value)


def sqrt_up(value: Fraction) -> float:
    """Return the smallest double whose square is not below ``value`` (which is ≥ 0)."""
    # One step from the root of the nearest double leads there, wherever doubles have full length.
    shift = floor_log2(value) // 2 if value > 0 else 0
    root = math.ldexp(math.sqrt(float(value / Fraction(4) ** shift)), shift)
    while Fraction(root) ** 2 < value:
        root = math.nextafter(root, math.inf)
    while root > 0 and Fraction(math.nextafter(root, 0.0)) ** 2 >= value:
        root = math.nextafter(root, 0.0)
    return root


def floor_log2(value: Fraction) -> int:
    """Return the largest e with 2^e ≤ ``value`` (which is > 0)."""
    e = value.numerator.bit_length() - value.denominator.bit_length()
    return e if Fraction(2) ** e <= value else e - 1


def decimal_of(value: Decimal | float | str) -> Decimal:
    """Return the decimal a person wrote: 0.1 means one tenth, not its nearest double."""
    return value if isinstance(value, Decimal) else Decimal(str(value))


_LOCK = threading.RLock()


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work at that many bits; afterwards the precision is as before, also after an exception."""
    with _LOCK:
        before = ctx.prec
        try:
            ctx.prec = bits
            yield
        finally:
            ctx.prec = before


def fraction_of(number: arb) -> Fraction:
    """Return an exact ball, such as a midpoint or an end, as a fraction."""
    mantissa, exponent = number.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


U = 2.0**-53
"""Unit roundoff: the largest relative error of one rounding to nearest."""

ETA = 2.0**-1000
"""Far more than what underflow can do to one product, even if small numbers are flushed to 0."""

SLACK = 1 + 2.0**-40
"""More than a hundred roundings of a bound can take from it."""


def growth(k: int) -> float:
    """Return G(k) = ku/(1 − ku), the relative error that k roundings can build up."""
    return k * U / (1 - k * U)
