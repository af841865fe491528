"""Samplers as formulas: enclosures of uniforms in, enclosures of the ideal real numbers out.

Each is a deterministic map of independent uniforms, so its law is exact. At too few bits a ball
may be infinite or undefined; that only means that more bits are needed.
"""

from collections.abc import Callable, Sequence
from math import prod

from flint import arb

from dpwerm.privacy.uniform import LazyUniforms

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
