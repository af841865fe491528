"""Uniform numbers known to as many bits as are needed, and samplers as formulas of them.

U = 0.b₁b₂b₃… with fair bits b: the first m bits say that U lies in [k, k+1]·2^−m. More bits narrow
the *same* number; it is never drawn anew, because rejecting a draw for being hard to round would
change its law. A sampler is a deterministic map of independent uniforms, so its law is exact. At
too few bits a ball may be infinite or undefined; that only means that more bits are needed.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import prod

from flint import arb, fmpq

from dpwerm.privacy.randomness import BitSource

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
