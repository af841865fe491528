r"""How far the privacy noise moves one coefficient: the half width t with P(|Z_j| ≤ t) = coverage.

An effect is φ_j·θ_j, so its noise reaches φ_j·t.

For output perturbation the law of the noise is public; under objective perturbation the noise in
θ passes through the curvature of the data, so its law is sensitive and nothing is stated.

Spherical Laplace: Z_j = R·U with R ~ Gamma(p, s) and U² ~ Beta(½, (p−1)/2), so
P(|Z_j| ≤ t) = E[Gamma_p(t/(s|U|))].
"""

import math
from collections.abc import Callable

import numpy as np
from scipy import optimize, special, stats

from dpwerm.arrays import FloatArray
from dpwerm.learn.release import Release


def _spherical(scale: float, dimension: int, coverage: float) -> float:
    if dimension == 1:
        return _laplace(scale, dimension, coverage)
    # Gauss–Legendre nodes in probability space of |U|; the integrand is smooth and bounded.
    nodes, weights = special.roots_legendre(400)
    squares = stats.beta(0.5, (dimension - 1) / 2).ppf((nodes + 1) / 2)
    lengths = np.sqrt(np.maximum(squares, 1e-300))

    def excess(t: float) -> float:
        inside = stats.gamma(dimension).cdf(t / lengths)
        return float(weights @ inside / 2 - coverage)

    return scale * float(optimize.brentq(excess, 1e-9, 100.0 * (dimension + 10)))


def _laplace(scale: float, _dimension: int, coverage: float) -> float:
    return -scale * math.log1p(-coverage)


def _gaussian(scale: float, _dimension: int, coverage: float) -> float:
    return scale * float(stats.norm.ppf((1 + coverage) / 2))


def _none(_scale: float, _dimension: int, _coverage: float) -> float:
    return 0.0


LAWS: dict[str, Callable[[float, int, float], float]] = {
    "spherical-laplace": _spherical,
    "product-laplace": _laplace,
    "gaussian": _gaussian,
    "none": _none,
}


def half_width(release: Release, coverage: float = 0.95) -> float | None:
    """Return t with P(|noise in one encoded coefficient| ≤ t) = coverage in (0, 1).

    None under objective perturbation, where t depends on the data.
    """
    certificate = release.certificate
    if certificate.perturbation is not None:
        return None
    law = LAWS[certificate.mechanism]
    return law(certificate.noise.scale, certificate.dimension, coverage)


def effect_reach(release: Release, coverage: float = 0.95) -> FloatArray | None:
    """Return φ_j·t, the half width of the noise in each effect; None where ``half_width`` is."""
    reach = half_width(release, coverage)
    return None if reach is None else reach * release.encoding.stretch
