"""Box noise has its law: its size ‖z‖_∞ε/Δ is Gamma(m), and so has each column; no other scale."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import special, stats
from tests.statistical.samples import SOURCES

from dpwerm.arrays import FloatArray
from dpwerm.mechanisms.box_sums import BoxSums
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source

M = 4000
POWER = 0.999
WRONG = (0.9, 1.1)
SCALE = 2 / 0.5


def drawn(count: int, times: int, seed: int | None = None) -> FloatArray:
    """Return noise (times, m) in units of Δ/ε, which is written out here once more."""
    sums, bits = BoxSums(count, Fraction(2), Budget.of("0.5")), bit_source(seed)
    zeros = [Fraction(0)] * count
    found = np.array([sums.release(zeros, bits.substream()) for _ in range(times)], np.float64)
    return np.asarray(found * 2.0**sums.exponent / SCALE)


@pytest.mark.parametrize("count", [1, 3])
def test_the_radius_has_its_law_and_no_other_scale(count: int, alpha: float) -> None:
    radius = np.abs(drawn(count, M)).max(axis=1)
    law = stats.gamma(count)
    assert stats.kstest(radius, law.cdf).pvalue > alpha / 2
    for wrong in (0.5, 2.0):
        assert stats.kstest(radius / wrong, law.cdf).pvalue < alpha / 2


@pytest.mark.parametrize(("count", "times"), [(2, 4500), (5, 1800)])
@pytest.mark.parametrize("source", SOURCES)
def test_the_right_scale_is_accepted_and_others_are_not(
    source: str, count: int, times: int, alpha: float
) -> None:
    law, slack = stats.gamma(count * times), times * 2.0**-10
    low, high = law.isf(1 - alpha / 2) - slack, law.isf(alpha / 2) + slack
    for factor in WRONG:
        missed = law.cdf((high + slack) / factor) - law.cdf((low - slack) / factor)
        assert 1 - missed >= POWER
    sizes = np.abs(drawn(count, times, SOURCES[source])).max(axis=1)
    assert low <= sizes.sum() <= high


def column(z: FloatArray, m: int) -> FloatArray:
    """Return P(Z_j ≤ z) of one column of m: E (1 + z/R)/2 within ±R, with R ~ Gamma(m + 1)."""
    t = np.abs(z)
    above = special.gammaincc(m + 1, t) - t / m * special.gammaincc(m, t)
    return np.asarray(np.where(z > 0, 1 - above / 2, above / 2))


def test_a_column_has_its_law_and_no_other(alpha: float) -> None:
    z = column(drawn(3, 5 * M)[:, 1], 3)
    assert stats.kstest(z, "uniform").pvalue > alpha
    # Independent Laplace numbers of the same mean size (m + 1)/2 have another shape.
    laplace = stats.laplace(scale=2).rvs(5 * M, random_state=1)
    assert stats.kstest(column(laplace, 3), "uniform").pvalue < alpha
