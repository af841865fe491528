r"""Release on a public grid: k_j = ⌊(θ_j + Z_j)/2^e + ½⌋, exactly.

Z is the ideal real-valued noise; the integers are a function of θ + Z alone, so they are
post-processing and the privacy claim of the ideal mechanism holds without a rounding term.
Proof: docs/proofs/exact-release.md.
"""

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, fmpq

from dpwerm.balls import precision
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.samplers import Sampler
from dpwerm.privacy.uniform import LazyUniforms

START_BITS = 64
GUARD_BITS = 32
"""The working precision exceeds the bits of the uniforms, which then decide the width."""


def ball(value: Fraction) -> arb:
    """Return an enclosure of a fraction at the working precision."""
    return arb(fmpq(value.numerator, value.denominator))


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
