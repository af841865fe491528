"""The precision of ball arithmetic, changed in one place and always put back; exact balls.

flint keeps one precision for the whole process. A change by another thread could widen an
enclosure and never make it wrong, but it must not outlive the work it was made for.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx

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
