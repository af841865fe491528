"""Intervals of a private evaluation hold the truth as often as they say, with the released noise.

If each of m intervals holds with probability 0.95 or more, the number that do is below the
α-quantile of Binomial(m, 0.95) with probability at most α. Intervals that leave out the sampling
error and half of the noise must fail.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpwerm.arrays import FloatArray
from dpwerm.mechanisms.laplace_sums import LaplaceSums, exact_sums
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import SeededBits
from dpwerm.releases.value.interval import gain_target, interval_of, value_target
from dpwerm.releases.value.layout import layout_by_design, split_evenly

M = 500
LAYOUT = layout_by_design(("a", "b"), (Fraction(2, 3), Fraction(1, 3)))
TRUTH = {"rule": 0.85 * 0.55 + 0.15 * 0.35, "gain": 0.35 * (0.55 - 0.35)}
"""The right arm has mean 0.55, the other 0.35; the rule is right for 85 in 100, arm a for 50."""


def noisy_sums(n: int, epsilon: str) -> tuple[FloatArray, float]:
    """Return the released sums of M trials, shape (M, 4, 3), and the scale of their noise."""
    rng = np.random.default_rng(20_261)
    noise = LaplaceSums(12, Relation.REPLACE_ONE, Budget.of(epsilon))
    bits = SeededBits(77)
    found = []
    for _ in range(M):
        x = rng.uniform(size=n)
        got = rng.uniform(size=n) < 1 / 3
        mean = np.where(got == (x > 0.5), 0.55, 0.35)
        cells = (2 * got + (x > 0.35)).astype(np.int64)
        exact = exact_sums(cells, split_evenly(rng.beta(4 * mean, 4 * (1 - mean))), 4)
        found.append(noise.release([one for cell in exact for one in cell], bits))
    sums = np.array(found, dtype=np.float64).reshape(M, 4, 3) * 2.0**noise.exponent
    return sums, float(noise.exact_scale)


@pytest.mark.parametrize(("n", "epsilon"), [(300, "0.5"), (1500, "2")])
def test_intervals_hold_as_often_as_they_say(n: int, epsilon: str, alpha: float) -> None:
    sums, scale = noisy_sums(n, epsilon)
    rule, first, _ = LAYOUT.policies
    # Two counts share the false alarms of one case.
    least = stats.binom.ppf(alpha / 2, M, 0.95)
    targets = {
        "rule": value_target(LAYOUT, rule, sums),
        "gain": gain_target(LAYOUT, rule, first, sums),
    }
    for name, target in targets.items():
        held = {}
        for factor in (1.0, 0.5):
            found = interval_of(LAYOUT, target, sums, factor * scale, 0.95, sampling=factor == 1.0)
            held[factor] = int(((found.lower <= TRUTH[name]) & (TRUTH[name] <= found.upper)).sum())
        assert held[1.0] >= least
        assert held[0.5] < least
