"""Box noise has its law: the radius is Gamma(m), by Kolmogorov's test; other scales are told."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpwerm.mechanisms.box_sums import BoxSums
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source

M = 4000
ALPHA = 1e-9


@pytest.mark.parametrize("count", [1, 3])
def test_the_radius_has_its_law_and_no_other_scale(count: int) -> None:
    sums = BoxSums(count, Fraction(2), Budget.of("0.5"))
    bits = bit_source(None)
    zeros = [Fraction(0)] * count
    drawn = np.array([sums.release(zeros, bits.substream()) for _ in range(M)])
    radius = np.abs(drawn * 2.0**sums.exponent).max(axis=1)
    # ‖z‖_∞·ε/Δ is Gamma(m): ε/Δ written out once more. The grid is 2^-10 of the scale.
    law = stats.gamma(count)
    assert stats.kstest(radius / 4.0, law.cdf).pvalue > ALPHA
    for wrong in (0.5, 2.0):
        assert stats.kstest(radius / (4.0 * wrong), law.cdf).pvalue < ALPHA
