"""The scale of each mechanism's noise, by the exact law of its sufficient statistic.

For m releases in p dimensions, in units of the claimed scale:
spherical Laplace Σ‖Z‖ ~ Gamma(mp), product Laplace Σ|Z_j| ~ Gamma(mp), Gaussian ‖Z‖ ~ chi(mp),
the latter for budgets in all three notions.
Power is the exact probability that a scale 10 % off is rejected.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from tests.statistical.samples import BUDGETS, NOTIONS, SOURCES, released_noise

from dpwerm.arrays import FloatArray

POWER = 0.999
WRONG = (0.9, 1.1)

Statistic = Callable[[FloatArray], float]
STATISTICS: dict[str, Statistic] = {
    "spherical-laplace": lambda noise: float(np.linalg.norm(noise, axis=1).sum()),
    "product-laplace": lambda noise: float(np.abs(noise).sum()),
    "gaussian": lambda noise: float(np.linalg.norm(noise)),
}
LAWS = {name: name for name in BUDGETS} | dict.fromkeys(NOTIONS, "gaussian")


@pytest.mark.parametrize(("p", "m"), [(2, 4500), (5, 1800)])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("budget", LAWS)
def test_the_right_scale_is_accepted_and_others_are_not(
    budget: str, source: str, p: int, m: int, alpha: float
) -> None:
    mechanism = LAWS[budget]
    law = stats.chi(m * p) if mechanism == "gaussian" else stats.gamma(m * p)
    # Rounding moves each statistic by at most this, whatever the sample.
    entry = released_noise(budget, source, p, m).rounding
    slack = {
        "spherical-laplace": m * np.sqrt(p) * entry,
        "product-laplace": m * p * entry,
        "gaussian": np.sqrt(m * p) * entry,
    }[mechanism]
    low, high = law.isf(1 - alpha / 2) - slack, law.isf(alpha / 2) + slack
    for factor in WRONG:
        missed = law.cdf((high + slack) / factor) - law.cdf((low - slack) / factor)
        assert 1 - missed >= POWER
    statistic = STATISTICS[mechanism](released_noise(budget, source, p, m).noise)
    assert low <= statistic <= high
