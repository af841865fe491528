"""Private choices follow their exact laws: each candidate's count is binomial, with its exact law.

Count i of m choices lies outside the α/(2k)-quantiles of Binomial(m, p_i) with probability at most
α/k, so all k counts together are in doubt with probability at most α. Power is the exact
probability that the plainest count gives a scale away that is off by a factor of two.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats
from tests.statistical.samples import SOURCES
from tests.unit.mechanisms.selection.laws import softmax

from dpwerm.arrays import FloatArray
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source

POWER = 0.999
M = 4000
DELTA, EPSILON = 3, 1.5
NEIGHBOURS = [(0, 3), (-3, 6)]
"""One person moves both scores by Δ: the first candidate's chance falls by nearly e^ε."""

SCORES = [(5, -9, 2, 11), *NEIGHBOURS]
# ε/(2Δ), written out once more.
RATE = 0.25


def check(
    counts: Sequence[int], law: FloatArray, wrong: Sequence[FloatArray], alpha: float
) -> None:
    m, tail = sum(counts), alpha / (2 * len(law))
    low = np.asarray(stats.binom.ppf(tail, m, law))
    high = np.asarray(stats.binom.isf(tail, m, law))
    for other in wrong:
        missed = np.asarray(stats.binom.cdf(high, m, other) - stats.binom.cdf(low - 1, m, other))
        assert 1 - missed.min() >= POWER
    found = np.array(counts)
    assert (low <= found).all()
    assert (found <= high).all()


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("scores", SCORES, ids=str)
def test_choices_have_their_law_and_no_other_scale(
    scores: tuple[int, ...], source: str, alpha: float
) -> None:
    mechanism = ExponentialMechanism(DELTA, Budget.of("1.5"))
    bits, law = bit_source(SOURCES[source]), softmax
    found = Counter(mechanism.choose(scores, bits) for _ in range(M))
    counts = [found[i] for i in range(len(scores))]
    check(counts, law(scores, RATE), [law(scores, f * RATE) for f in (0.5, 2.0)], alpha)
    # The two neighbours whose laws were measured are as far apart as the claim allows, or nearly.
    one, other = (law(scores, RATE)[0] for scores in NEIGHBOURS)
    assert 0.8 * EPSILON < np.log(one / other) <= EPSILON + 1e-9
