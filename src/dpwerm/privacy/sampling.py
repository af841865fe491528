r"""Exact sampling: uniforms known to as many bits as are needed, noise as formulas of them, a grid.

U = 0.b₁b₂b₃… with fair bits b: the first m bits say that U lies in [k, k+1]·2^−m. More bits narrow
the *same* number; it is never drawn anew, because rejecting a draw for being hard to round would
change its law. A sampler is a deterministic map of independent uniforms, so its law is exact. At
too few bits a ball may be infinite or undefined; that only means that more bits are needed.

A release is k_j = ⌊(θ_j + Z_j)/2^e + ½⌋, exactly. Z is the ideal real-valued noise; the integers
are a function of θ + Z alone, so they are post-processing and the privacy claim of the ideal
mechanism holds without a rounding term. Proof: docs/proofs/exact-release.md.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import TypeVar

import numpy as np
from flint import arb, fmpq

from dpwerm.arrays import FloatArray
from dpwerm.exact import fraction_of, precision
from dpwerm.privacy.randomness import BitSource

START_BITS = 64
GUARD_BITS = 32  # the bits of the uniforms, not the working precision, decide the width
Found = TypeVar("Found")
_SPREAD = arb(0, 1)


def ball(value: Fraction) -> arb:
    """Return an enclosure of a fraction at the working precision."""
    return arb(fmpq(value.numerator, value.denominator))


@lru_cache(maxsize=64)
def _power_of_two(exponent: int) -> arb:
    """Return 2^exponent, exactly."""
    return arb((1, exponent))


class LazyUniforms:
    """Independent uniforms U₀, U₁, … of [0, 1]; U_i reads the i-th substream of the source."""

    def __init__(self, source: BitSource) -> None:
        self._source = source
        self._streams: list[BitSource] = []
        self._known: list[tuple[int, int]] = []

    def ball(self, index: int, bits: int) -> arb:
        """Return an enclosure of U_index from at least its first ``bits`` bits (≥ 1)."""
        while len(self._streams) <= index:
            self._streams.append(self._source.substream())
            self._known.append((0, 0))
        value, known = self._known[index]
        if known < bits:
            value = value << (bits - known) | self._streams[index].bits(bits - known)
            known = bits
            self._known[index] = value, known
        return (arb(2 * value + 1) + _SPREAD) * _power_of_two(-known - 1)

    def balls(self, start: int, count: int, bits: int) -> list[arb]:
        """Return enclosures of U_start, …, U_{start+count−1}."""
        return [self.ball(index, bits) for index in range(start, start + count)]


Sampler = Callable[[LazyUniforms, int], list[arb]]
"""Uniforms and how many of their bits to use → one enclosure for each coordinate."""


def gamma_radius(uniforms: Sequence[arb]) -> arb:
    r"""Return a Gamma(p, 1) number from p uniforms.

    .. math:: R = -\log \prod_{i=1}^p U_i

    because −log U is Exp(1) and p of them sum to Gamma(p).
    """
    return -prod(uniforms, start=arb(1)).log()


def gauss(uniforms: Sequence[arb]) -> list[arb]:
    r"""Return as many N(0, 1) numbers as uniforms, an even number (Box and Muller 1958).

    .. math:: Z_1 = \sqrt{-2 \log U} \cos 2\pi V, \quad Z_2 = \sqrt{-2 \log U} \sin 2\pi V
    """
    numbers: list[arb] = []
    for u, v in zip(uniforms[::2], uniforms[1::2], strict=True):
        radius = (-2 * u.log()).sqrt()
        sine, cosine = (2 * v).sin_cos_pi()
        numbers += [radius * cosine, radius * sine]
    return numbers


def sphere_direction(normals: Sequence[arb]) -> list[arb]:
    r"""Return a uniform point of the unit sphere in R^p from p normal numbers.

    .. math:: S = Z / \|Z\|_2

    because the law of Z is invariant under rotation.
    """
    inverse = sum((z * z for z in normals), start=arb(0)).rsqrt()
    return [z * inverse for z in normals]


def laplace(uniforms: Sequence[arb]) -> list[arb]:
    r"""Return half as many Laplace(0, 1) numbers as uniforms.

    .. math:: X = \log (U / V)

    because the difference of two independent Exp(1) numbers is Laplace(0, 1).
    """
    return [(u / v).log() for u, v in zip(uniforms[::2], uniforms[1::2], strict=True)]


def even(count: int) -> int:
    """Return the smallest even number not below ``count``: how many uniforms ``gauss`` needs."""
    return count + count % 2


def spherical(p: int, scale: Fraction) -> Sampler:
    """Return density ∝ exp(−‖z‖₂/scale) from p + even(p) uniforms: radius and direction."""

    def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
        radius = ball(scale) * gamma_radius(uniforms.balls(0, p, m))
        normals = gauss(uniforms.balls(p, even(p), m))[:p]
        return [radius * s for s in sphere_direction(normals)]

    return sample


def normal(p: int, sigma: Fraction) -> Sampler:
    """Return N(0, σ²I) from even(p) uniforms."""

    def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
        return [ball(sigma) * z for z in gauss(uniforms.balls(0, even(p), m))[:p]]

    return sample


def independent_laplace(p: int, square: Fraction) -> Sampler:
    """Return p Laplace numbers from 2p uniforms; ``square`` is the square of their scale."""

    def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
        scale = ball(square).sqrt()
        return [scale * x for x in laplace(uniforms.balls(0, 2 * p, m))]

    return sample


def cell_of(value: Fraction, exponent: int) -> tuple[int, fmpq]:
    """Return k and f in [0, 1) with k + f = x/2^e + ½, exactly."""
    up, down = max(-exponent, 0), max(exponent, 0)
    doubled = value.denominator << down + 1
    whole, rest = divmod((value.numerator << up + 1) + doubled // 2, doubled)
    return whole, fmpq(rest, doubled)


def refined(attempt: Callable[[int], Found | None], bits: int = START_BITS) -> Found:
    """Return what an attempt finds from m bits of each uniform; m doubles until it finds something.

    More bits narrow the *same* uniforms, so what is found does not depend on the first m.
    """
    while True:
        with precision(bits + GUARD_BITS):
            found = attempt(bits)
        if found is not None:
            return found
        bits *= 2


def release_on_grid(
    center: Sequence[Fraction],
    sampler: Sampler,
    exponent: int,
    source: BitSource,
    start_bits: int = START_BITS,
) -> tuple[int, ...]:
    r"""Return the grid integers of center + noise.

    .. math:: k_j = \lfloor (\theta_j + Z_j)/2^e + 1/2 \rfloor

    Each round evaluates all of Z anew, with the scale, and the last one pins every integer down; it
    comes with probability one. Only the place of θ_j within a cell enters the ball arithmetic.
    """
    cells = [cell_of(value, exponent) for value in center]
    uniforms = LazyUniforms(source)

    def integers(bits: int) -> tuple[int, ...] | None:
        per_cell = arb((1, -exponent))
        found = []
        for (whole, rest), z in zip(cells, sampler(uniforms, bits), strict=True):
            step = (arb(rest) + z * per_cell).floor().unique_fmpz()
            if step is None:
                return None
            found.append(whole + int(step))
        return tuple(found)

    return refined(integers, start_bits)


def settled(value: Callable[[], arb], rounding: Callable[[Fraction], float]) -> float:
    """Return the double that a real number rounds to, the same on every machine.

    ``value`` makes an enclosure at the working precision, as narrow as that is high; ``rounding``
    is ``round_up`` or ``round_down``. The number itself must not be a double, which logarithms and
    exponentials of fractions never are.
    """

    def double(_: int) -> float | None:
        number = value()
        if not number.is_finite():
            return None
        low, high = (rounding(fraction_of(end)) for end in (number.lower(), number.upper()))
        return low if low == high else None

    return refined(double)


def nearby_vector(
    sampler: Sampler, error: Fraction, source: BitSource, start_bits: int = START_BITS
) -> tuple[FloatArray, ...]:
    r"""Return arrays of doubles whose exact sum b̃ is near the ideal vector b.

    .. math:: \|\tilde b - b\|_2 \le \text{error}

    b has exactly its law and follows from the bits of the source alone; b̃ is as good as b to
    whoever allows for the error. One array is enough unless the error is below 2⁻⁵³ of b.
    """
    uniforms = LazyUniforms(source)
    return refined(lambda bits: _parts(sampler(uniforms, bits), ball(error)), start_bits)


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
