r"""Ideal real numbers on a public grid or as doubles, by way of enclosures, with a known error.

A release is k_j = ⌊(θ_j + Z_j)/2^e + ½⌋, exactly. Z is the ideal real-valued noise; the integers
are a function of θ + Z alone, so they are post-processing and the privacy claim of the ideal
mechanism holds without a rounding term. A constant is evaluated until its enclosure rounds to one
double. A noise vector b is evaluated until doubles b̃ with ‖b̃ − b‖₂ ≤ error are proven; b̃ is then as
good as b to whoever allows for the error, and b itself has exactly its law.
Proof: docs/proofs/exact-release.md.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from flint import arb, fmpq

from dpwerm.arrays import FloatArray
from dpwerm.exact import fraction_of, precision
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.samplers import LazyUniforms, Sampler, ball

START_BITS = 64
_FIRST_BITS = 128
GUARD_BITS = 32
"""The working precision exceeds the bits of the uniforms, which then decide the width."""


def cell_of(value: Fraction, exponent: int) -> tuple[int, fmpq]:
    """Return k and f in [0, 1) with k + f = x/2^e + ½, exactly."""
    up, down = max(-exponent, 0), max(exponent, 0)
    doubled = value.denominator << down + 1
    whole, rest = divmod((value.numerator << up + 1) + doubled // 2, doubled)
    return whole, fmpq(rest, doubled)


def release_on_grid(
    center: Sequence[Fraction],
    sampler: Sampler,
    exponent: int,
    source: BitSource,
    start_bits: int = START_BITS,
) -> tuple[int, ...]:
    r"""Return the grid integers of center + noise.

    .. math:: k_j = \lfloor (\theta_j + Z_j)/2^e + 1/2 \rfloor

    Each round evaluates all of Z anew from more bits of the *same* uniforms, with the scale, and
    ends once every enclosure pins its integer down; it does with probability one.
    The result is the same whatever ``start_bits``, for the same bits of the source.

    Parameters
    ----------
    center : fractions θ_j; only their place within a cell enters the ball arithmetic
    sampler : the noise Z
    exponent : int, e
    source : BitSource
    start_bits : int ≥ 1, how many bits of each uniform the first round uses
    """
    cells = [cell_of(value, exponent) for value in center]
    uniforms = LazyUniforms(source)
    bits = start_bits
    while True:
        with precision(bits + GUARD_BITS):
            per_cell = arb((1, -exponent))
            noise = sampler(uniforms, bits)
            steps = [
                (arb(rest) + z * per_cell).floor().unique_fmpz()
                for (_, rest), z in zip(cells, noise, strict=True)
            ]
        resolved = tuple(
            whole + int(step)
            for (whole, _), step in zip(cells, steps, strict=True)
            if step is not None
        )
        if len(resolved) == len(cells):
            return resolved
        bits *= 2


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
