"""Both sources of bits are fair: the number of ones is binomial, with its exact law."""

from itertools import pairwise

import pytest
from scipy import stats
from tests.statistical.samples import SOURCES

from dpwerm.privacy.randomness import bit_source

COUNT = 1_000_000


@pytest.mark.parametrize("source", SOURCES)
def test_bits_are_fair(source: str, alpha: float) -> None:
    bits = bit_source(SOURCES[source])
    ones = sum(bits.bits(1000).bit_count() for _ in range(COUNT // 1000))
    assert stats.binomtest(ones, COUNT).pvalue > alpha


@pytest.mark.parametrize("source", SOURCES)
def test_substreams_are_fair_and_independent(source: str, alpha: float) -> None:
    # The first bits of neighbouring substreams agree half of the time.
    bits = bit_source(SOURCES[source])
    words = [bits.substream().bits(64) for _ in range(10_001)]
    agreements = sum(64 - (one ^ other).bit_count() for one, other in pairwise(words))
    assert stats.binomtest(agreements, 64 * 10_000).pvalue > alpha
