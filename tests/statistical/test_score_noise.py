"""The noise in the score of a repeated run: Σ|Z|/scale ~ Gamma(m), the scale Δ/ε derived here."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.statistical.samples import SOURCES

from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source
from dpwerm.tune.score import noisy_score

POWER = 0.999
WRONG = (0.8, 1.25)
M, SCORE = 2500, 123_456_789
SCALE = 2**20 / 0.3
STEP = 2.0 ** (math.floor(math.log2(SCALE)) - 10)


@pytest.mark.parametrize("source", SOURCES)
def test_the_right_scale_is_accepted_and_others_are_not(source: str, alpha: float) -> None:
    bits, budget = bit_source(SOURCES[source]), Budget.of("0.3")
    found = np.array([noisy_score(SCORE, budget, bits.substream()) for _ in range(M)])
    z = (found * STEP - SCORE) / SCALE
    law = stats.gamma(M)
    slack = M * 0.5 * STEP / SCALE * (1 + 1e-9)
    low, high = law.isf(1 - alpha / 2) - slack, law.isf(alpha / 2) + slack
    for factor in WRONG:
        missed = law.cdf((high + slack) / factor) - law.cdf((low - slack) / factor)
        assert 1 - missed >= POWER
    assert low <= np.abs(z).sum() <= high
