r"""How far the privacy noise reaches in one coefficient, and in all of them at once.

One: the half width t with P(|Z_j| ≤ t) = coverage. Together: t with P(max_j |Z_j| ≤ t) = coverage,
so that only so seldom does the noise alone lift any coefficient beyond it. An effect is φ_j·θ_j, so
its noise reaches φ_j·t.

For output perturbation the law of the noise is public; under objective perturbation the noise in
θ passes through the curvature of the data, so its law is sensitive and nothing is stated.

Spherical Laplace noise is normal noise of a random scale: Z = s·K·N with K ~ χ(p+1) and N standard
normal, because ‖N‖·K ~ χ(p)·χ(p+1) ~ Gamma(p), by the duplication of the gamma function. So
P(|Z_j| ≤ t for k of the j) = E[(2Φ(t/(sK)) − 1)^k].
"""

import math
from collections.abc import Callable

from scipy import optimize, special, stats

from dpwerm.arrays import FloatArray
from dpwerm.learn.release import Release
from dpwerm.rules.rule import Rule
from dpwerm.rules.tuning import SPLIT

NODES = 400
"""Of the integral over K. The relative error of t is below 1e-6 at 0.95, 2e-5 up to 0.999."""

KEPT = (
    "The rule is one of several releases, chosen by its score. ± is the reach of the noise in one "
    "release by itself. The choice changes that reach, and how much depends on the data."
)
WEIGHTS = (
    "The noise of the private propensity model moves the weights, and through them the "
    "coefficients. That is not in ±, which is the reach of the rule's own noise."
)


def _spherical(scale: float, dimension: int, coverage: float, count: int) -> float:
    # Gauss–Legendre nodes in probability space of K; the integrand is smooth and bounded.
    nodes, weights = special.roots_legendre(NODES)
    sizes = stats.chi(dimension + 1).ppf((nodes + 1) / 2)

    def excess(t: float) -> float:
        inside = special.erf(t / sizes / math.sqrt(2)) ** count
        return float(weights @ inside / 2 - coverage)

    return scale * float(optimize.brentq(excess, 1e-9, 100.0 * (dimension + 10)))


def _laplace(scale: float, _dimension: int, coverage: float, count: int) -> float:
    return -scale * math.log(-math.expm1(math.log(coverage) / count))


def _gaussian(scale: float, _dimension: int, coverage: float, count: int) -> float:
    return scale * float(stats.norm.isf(-math.expm1(math.log(coverage) / count) / 2))


def _none(_scale: float, _dimension: int, _coverage: float, _count: int) -> float:
    return 0.0


LAWS: dict[str, Callable[[float, int, float, int], float]] = {
    "spherical-laplace": _spherical,
    "product-laplace": _laplace,
    "gaussian": _gaussian,
    "none": _none,
}
"""t of each law by scale, dimension p, coverage, and how many of the p must stay within it."""


def half_width(release: Release, coverage: float = 0.95, count: int = 1) -> float | None:
    """Return t with P(|noise in encoded coefficients| ≤ t) = coverage, for ``count`` at once.

    None under objective perturbation, where t depends on the data.

    Parameters
    ----------
    release : Release
    coverage : float above 0 and below 1
    count : int from 1 to p
    """
    certificate = release.certificate
    if certificate.perturbation is not None:
        return None
    law = LAWS[certificate.mechanism]
    return law(certificate.noise.scale, certificate.dimension, coverage, count)


def effect_reach(release: Release, coverage: float = 0.95) -> FloatArray | None:
    """Return φ_j·t, the half width of the noise in each effect; None where ``half_width`` is."""
    reach = half_width(release, coverage)
    return None if reach is None else reach * release.encoding.stretch


def effect_reach_together(release: Release, coverage: float = 0.95) -> FloatArray | None:
    """Return φ_j·t that the noise of no effect exceeds in such a share of releases.

    Exact for Laplace and Gaussian noise; of spherical noise t has a relative error below 1e-6.
    None where ``effect_reach`` is.
    """
    reach = half_width(release, coverage, release.certificate.dimension)
    return None if reach is None else reach * release.encoding.stretch


def caveat(rule: Rule) -> str:
    """Return what the reach of the noise leaves out for a rule, "" where it is the whole story."""
    if not rule.release.certificate.budget.is_private:
        return ""
    found = []
    if rule.tuning is not None and rule.tuning.how != SPLIT:
        found.append(KEPT)
    if rule.propensity is not None and rule.propensity.certificate.budget.is_private:
        found.append(WEIGHTS)
    return " ".join(found)
