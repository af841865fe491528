"""Private choices follow their exact laws: each candidate's count is binomial, with its exact law.

Count i of m choices lies outside the α/(2k)-quantiles of Binomial(m, p_i) with probability at most
α/k, so all k counts together are in doubt with probability at most α. Power is the exact
probability that the plainest count gives a scale away that is off by a factor of two.
"""

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy import stats
from tests.statistical.samples import SOURCES
from tests.unit.mechanisms.selection.laws import flips, softmax

from dpwerm.arrays import FloatArray
from dpwerm.mechanisms.selection.exponential import ExponentialMechanism
from dpwerm.mechanisms.selection.permute_and_flip import PermuteAndFlip
from dpwerm.mechanisms.selection.repeats import GeometricRepeats
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source

POWER = 0.999
M = 4000
DELTA, EPSILON = 3, 1.5
NEIGHBOURS = [(0, 3), (-3, 6)]
"""One person moves both scores by Δ: the first candidate's chance falls by nearly e^ε."""

SCORES = [(5, -9, 2, 11), *NEIGHBOURS]
Law = Callable[[Sequence[int], float], FloatArray]
LAWS: dict[str, Law] = {"exponential": softmax, "permute-and-flip": flips}
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
@pytest.mark.parametrize("name", LAWS)
def test_choices_have_their_law_and_no_other_scale(
    name: str, scores: tuple[int, ...], source: str, alpha: float
) -> None:
    budget = Budget.of("1.5")
    mechanisms = ExponentialMechanism(DELTA, budget), PermuteAndFlip(DELTA, budget)
    (mechanism,) = (one for one in mechanisms if one.name == name)
    bits, law = bit_source(SOURCES[source]), LAWS[name]
    found = Counter(mechanism.choose(scores, bits) for _ in range(M))
    counts = [found[i] for i in range(len(scores))]
    check(counts, law(scores, RATE), [law(scores, f * RATE) for f in (0.5, 2.0)], alpha)
    # The two neighbours whose laws were measured are as far apart as the claim allows, or nearly.
    one, other = (law(scores, RATE)[0] for scores in NEIGHBOURS)
    assert 0.8 * EPSILON < np.log(one / other) <= EPSILON + 1e-9


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("mean", [3, 10])
def test_the_number_of_runs_is_geometric(mean: int, source: str, alpha: float) -> None:
    bits, most = bit_source(SOURCES[source]), 4 * mean
    found = Counter(min(GeometricRepeats(mean).draw(bits), most) for _ in range(M))

    def law(stop: float) -> FloatArray:
        chances: FloatArray = stop * np.power(1 - stop, np.arange(most, dtype=np.float64))
        chances[-1] = (1 - stop) ** (most - 1)
        return chances

    counts = [found[k] for k in range(1, most + 1)]
    check(counts, law(1 / mean), [law(0.5 / mean), law(2 / mean)], alpha)
