"""The shape of each mechanism's noise, by Kolmogorov's distance to its exact distribution.

The bounds on false alarms and on power are in ``kolmogorov``.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from tests.statistical.kolmogorov import Distribution, Shape, gamma
from tests.statistical.samples import BUDGETS, SOURCES, released_noise

from dpwerm.arrays import FloatArray

P = 3
# Enough that the power holds also for the few samples whose direction is in doubt.
M = {"spherical-laplace": 15_000, "product-laplace": 12_000, "gaussian": 8000}


def two_sided(tail: Distribution) -> Distribution:
    """Return the distribution function of a symmetric law from its upper tail at x ≥ 0."""
    return lambda x: np.where(x >= 0, 1 - tail(np.abs(x)), tail(np.abs(x)))


laplace = two_sided(lambda x: np.exp(-x) / 2)
# (1 + |x|)e^(−|x|)/4: one coordinate of spherical Laplace noise in R³, and also the sum of two
# independent Laplace numbers.
laplace_sum = two_sided(lambda x: (2 + x) * np.exp(-x) / 4)
normal: Distribution = stats.norm.cdf


ROOT = float(np.sqrt(0.5))
# One coordinate; the wrong law is a common other noise of the same variance or dimension 1.
COORDINATE = {
    "spherical-laplace": Shape(laplace_sum, 0.25, laplace),
    "product-laplace": Shape(laplace, 0.5, lambda x: stats.norm.cdf(ROOT * x)),
    "gaussian": Shape(normal, 0.4, lambda x: laplace(x / ROOT)),
}
# A factor times the sum of two coordinates; wrong if the two were one number.
PROJECTION = {
    "spherical-laplace": (ROOT, Shape(laplace_sum, 0.25, lambda x: laplace_sum(ROOT * x))),
    "product-laplace": (1.0, Shape(laplace_sum, 0.25, lambda x: laplace(x / 2))),
    "gaussian": (ROOT, Shape(normal, 0.4, lambda x: stats.norm.cdf(ROOT * x))),
}
# The sizes of the last number of a release and the first of the next; wrong if they were equal.
Combine = Callable[[FloatArray, FloatArray], FloatArray]
ACROSS: dict[str, tuple[Combine, Shape]] = {
    "product-laplace": (np.add, Shape(gamma(2), 0.4, lambda x: gamma(1)(x / 2))),
    "gaussian": (np.hypot, Shape(stats.rayleigh.cdf, 0.7, lambda x: stats.halfnorm.cdf(ROOT * x))),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("mechanism", BUDGETS)
def test_coordinates_alone_and_in_pairs_have_their_law(
    mechanism: str, source: str, alpha: float
) -> None:
    sample = released_noise(mechanism, source, P, M[mechanism])
    factor, pair = PROJECTION[mechanism]
    for j in range(P):
        COORDINATE[mechanism].check(sample.noise[:, j], sample.rounding, alpha / 6)
    for columns in ([0, 1], [1, 2]):
        together = factor * sample.noise[:, columns].sum(axis=1)
        pair.check(together, 2 * factor * sample.rounding, alpha / 6)
    if mechanism in ACROSS:
        last, first = np.abs(sample.noise[:-1:2, P - 1]), np.abs(sample.noise[1::2, 0])
        combine, shape = ACROSS[mechanism]
        shape.check(combine(last, first), 2 * sample.rounding, alpha / 6)


# A coordinate of a uniform direction in R³ is uniform (Archimedes); in R⁴ it has a half-circle
# for its density: what a dimension off by one would give.
DIRECTION = Shape(
    lambda x: (1 + np.clip(x, -1, 1)) / 2,
    0.5,
    lambda x: stats.beta.cdf((1 + x) / 2, 1.5, 1.5),
)
RADIUS_DENSITY = 0.28


@pytest.mark.parametrize("source", SOURCES)
def test_spherical_noise_has_its_radius_and_its_direction(source: str, alpha: float) -> None:
    sample = released_noise("spherical-laplace", source, P, M["spherical-laplace"])
    off = float(np.sqrt(P)) * sample.rounding
    radius = np.linalg.norm(sample.noise, axis=1)
    for wrong in (P - 1, P + 1):
        Shape(gamma(P), RADIUS_DENSITY, gamma(wrong)).check(radius, off, alpha / 6)
    # Two releases are independent: their radii add up to Gamma(2P), not to twice one radius.
    sums = radius[::2] + radius[1::2]
    doubled = Shape(gamma(2 * P), RADIUS_DENSITY, lambda x: gamma(P)(x / 2))
    doubled.check(sums, 2 * off, alpha / 6)

    # A direction is off by at most 2·off/radius, which says nothing near the origin; so the
    # directions are those outside a ball. They are uniform there, as radius and direction are
    # independent. A radius within ``off`` of the ball's may be on the wrong side: it is counted.
    along = np.array([1.0, 1.0, -1.0]) / np.sqrt(3)
    for ball, projected in [
        (0.25, sample.noise[:, 0]),
        (0.25, sample.noise @ along),
        (1.4, sample.noise[:, 0]),
    ]:
        outside = radius > ball
        doubtful = 2 * (np.abs(radius - ball) <= off).sum() / outside.sum()
        rounding = 2 * off / ball + doubtful / DIRECTION.density
        DIRECTION.check((projected / radius)[outside], rounding, alpha / 6)
