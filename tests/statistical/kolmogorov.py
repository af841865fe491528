"""Kolmogorov's distance of a sample to an exact distribution, with bounds on both errors.

P(distance > d) ≤ 2·exp(−2nd²) (Massart 1990) bounds the false alarms. Rounding each number by at
most η moves the distance by at most η times the largest density, which the threshold allows for.
The same inequality around a wrong law bounds the chance to miss it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import stats

from dpwerm.arrays import FloatArray

Distribution = Callable[[FloatArray], FloatArray]
POWER = 0.999


def gamma(shape: float) -> Distribution:
    return lambda x: stats.gamma.cdf(x, shape)


def threshold(n: int, alpha: float, slack: float) -> float:
    return float(np.sqrt(np.log(2 / alpha) / (2 * n)) + slack)


def distance(values: FloatArray, law: Distribution) -> float:
    """Return the largest gap between the empirical distribution function and ``law``."""
    at = law(np.sort(values))
    n = len(values)
    steps = np.arange(n + 1) / n
    return float(max((steps[1:] - at).max(), (at - steps[:-1]).max()))


def assert_power(
    n: int, limit: float, slack: float, law: Distribution, wrong: Distribution
) -> None:
    """Assert that a sample of the wrong law would be rejected."""
    x = np.linspace(-20, 20, 40_001)
    gap = float(np.abs(law(x) - wrong(x)).max()) - slack - limit
    assert gap > 0
    assert 1 - 2 * np.exp(-2 * n * gap**2) >= POWER


@dataclass(frozen=True)
class Shape:
    """A law, its largest density, and a wrong law that the test must tell from it."""

    law: Distribution
    density: float
    wrong: Distribution

    def check(self, values: FloatArray, rounding: float, alpha: float) -> None:
        """Assert that values, each off by at most ``rounding``, follow the law."""
        n, slack = len(values), rounding * self.density
        limit = threshold(n, alpha, slack)
        assert_power(n, limit, slack, self.law, self.wrong)
        assert distance(values, self.law) <= limit
