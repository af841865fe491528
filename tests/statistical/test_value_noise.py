"""The noise in the sums of an evaluation: Σ|Z|/scale ~ Gamma(mp), the scale derived anew here."""

import numpy as np
import pytest
from scipy import stats
from tests.statistical.samples import SOURCES

from dpwerm.mechanisms.laplace_sums import UNIT, LaplaceSums
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import bit_source

POWER = 0.999
WRONG = (0.9, 1.1)
P, M = 12, 750
SCALES = {Relation.REPLACE_ONE: 2 / 0.3, Relation.ADD_REMOVE: 1 / 0.3}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("relation", SCALES)
def test_the_right_scale_is_accepted_and_others_are_not(
    relation: Relation, source: str, alpha: float
) -> None:
    noise = LaplaceSums(P, relation, Budget.of("0.3"))
    bits, scale = bit_source(SOURCES[source]), SCALES[relation]
    sums = [j * UNIT // 3 for j in range(P)]
    found = np.array([noise.release(sums, bits) for _ in range(M)], dtype=np.float64)
    z = (found * 2.0**noise.exponent - np.array(sums) / UNIT) / scale
    law = stats.gamma(M * P)
    slack = M * P * 0.5 * 2.0**noise.exponent / scale * (1 + 1e-9)
    low, high = law.isf(1 - alpha / 2) - slack, law.isf(alpha / 2) + slack
    for factor in WRONG:
        missed = law.cdf((high + slack) / factor) - law.cdf((low - slack) / factor)
        assert 1 - missed >= POWER
    assert low <= np.abs(z).sum() <= high
