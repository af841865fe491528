r"""Ideal real numbers turned into doubles by way of enclosures, with an error that is known.

A constant is evaluated until its enclosure rounds to one double. A noise vector b is evaluated
until doubles b̃ with ‖b̃ − b‖₂ ≤ error are proven; b̃ is then as good as b to whoever allows for the
error, and b itself has exactly its law. Proof: docs/proofs/exact-release.md.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.balls import fraction_of, precision
from dpwerm.privacy.grid import GUARD_BITS, START_BITS, ball
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.samplers import Sampler
from dpwerm.privacy.uniform import LazyUniforms

_FIRST_BITS = 128


def settled(value: Callable[[], arb], rounding: Callable[[Fraction], float]) -> float:
    """Return the double that a real number rounds to, the same on every machine.

    Parameters
    ----------
    value : makes an enclosure at the working precision, as narrow as that is high
    rounding : ``round_up`` or ``round_down``; the number itself must not be a double, which
        logarithms and exponentials of fractions never are
    """
    bits = _FIRST_BITS
    while True:
        with precision(bits):
            number = value()
            if number.is_finite():
                low, high = rounding(fraction_of(number.lower())), fraction_of(number.upper())
                if low == rounding(high):
                    return low
        bits *= 2


def nearby_vector(
    sampler: Sampler, error: Fraction, source: BitSource, start_bits: int = START_BITS
) -> tuple[FloatArray, ...]:
    r"""Return arrays of doubles whose exact sum b̃ is near the ideal vector b.

    .. math:: \|\tilde b - b\|_2 \le \text{error}

    b follows from the bits of the source alone; more bits of the *same* uniforms are read until
    the inequality is proven. One array is enough unless the error is below 2⁻⁵³ of b.

    Parameters
    ----------
    sampler : the vector b
    error : Fraction > 0
    source : BitSource
    start_bits : int ≥ 1, how many bits of each uniform the first round uses
    """
    uniforms = LazyUniforms(source)
    bits = start_bits
    while True:
        with precision(bits + GUARD_BITS):
            parts = _parts(sampler(uniforms, bits), ball(error))
        if parts is not None:
            return parts
        bits *= 2


def _parts(rest: Sequence[arb], error: arb) -> tuple[FloatArray, ...] | None:
    """Return doubles that leave at most ``error`` of a vector, None if it is not known so well."""
    parts: list[FloatArray] = []
    while all(entry.is_finite() for entry in rest):
        if sum((entry * entry for entry in rest), start=arb(0)) <= error * error:
            return tuple(parts)
        part = [float(entry.mid()) for entry in rest]
        if not any(part):
            return None
        parts.append(np.array(part))
        rest = [entry - arb(b) for entry, b in zip(rest, part, strict=True)]
    return None
