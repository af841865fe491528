"""Tightness: what it is, how far one person moves it, its law, and how it is told in documents."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source
from dpwerm.releases.tightness import (
    CUT,
    STEP,
    TIGHT,
    Tightness,
    TightnessRecord,
    apart,
    law,
    simulated_tight,
)

ONE = Budget.of(1)
PLACES = st.lists(
    st.one_of(st.none(), st.floats(-1, 1, allow_nan=False, width=32)), min_size=2, max_size=2
)


def by_hand(u: FloatArray) -> Fraction:
    """Return the mean over columns of the sum over pairs, each pair by itself."""
    found, columns = Fraction(0), Fraction(u.shape[1])
    for one, other in itertools.combinations(u, 2):
        for a, b in zip(one, other, strict=True):
            if not (np.isnan(a) or np.isnan(b)):
                far = abs(Fraction(round(a * STEP)) - Fraction(round(b * STEP))) / STEP
                found += min(far, CUT)
    return found / columns


@given(st.lists(PLACES, min_size=1, max_size=12))
def test_it_is_the_sum_over_all_pairs_exactly_whatever_the_order(rows: list[list[float]]) -> None:
    u = np.array(rows, dtype=float)
    assert apart(u) == by_hand(u) == apart(u[::-1])


@given(st.lists(PLACES, min_size=2, max_size=12), PLACES)
def test_one_person_moves_the_sum_by_less_than_is_covered(
    rows: list[list[float]], other: list[float]
) -> None:
    u, changed = np.array(rows, dtype=float), np.array(rows, dtype=float)
    changed[0] = np.array(other, dtype=float)
    assert abs(apart(u) - apart(changed)) <= law(len(u), ONE).sensitivity


@pytest.mark.parametrize("n", [2, 3, 40])
def test_what_is_covered_is_attained(n: int) -> None:
    together = np.zeros((n, 2))
    alone = together.copy()
    alone[-1] = 1.0
    assert apart(alone) - apart(together) == law(n, ONE).sensitivity == Fraction(n - 1, 2)


def test_columns_that_fill_their_bounds_are_tight_and_others_are_not() -> None:
    rng = np.random.default_rng(5)
    n, large = 2000, Budget.of(1000)
    for width, tight in ((1.0, True), (0.2, False)):
        u = rng.uniform(-width, width, size=(n, 3))
        found = Tightness.released(("a", "b", "c"), u, large, bit_source(1))
        assert found.tight is tight
        assert float(found.value) == pytest.approx(float(apart(u)) * 2 / (n * (n - 1)), abs=1e-4)
        assert (float(found.value) >= TIGHT) is tight


def test_a_record_gives_back_what_was_released() -> None:
    u = np.random.default_rng(6).uniform(-1, 1, size=(50, 2))
    found = Tightness.released(("benefit", "x"), u, ONE, bit_source(2))
    plain = found.plain()
    assert TightnessRecord.model_validate(plain).tightness() == found
    assert plain["sensitivity"] == 24.5
    assert plain["scale"] == 24.5


@pytest.mark.parametrize("n", [1, 2])
def test_few_people_have_one_too(n: int) -> None:
    found = Tightness.released(("x",), np.full((n, 1), np.nan), ONE, bit_source(3))
    assert found.n == n


def test_what_is_none_is_refused() -> None:
    with pytest.raises(ParameterError, match="no tightness"):
        Tightness((), 5, ONE, 0)
    with pytest.raises(ParameterError, match="delta = 0"):
        Tightness(("x",), 5, Budget.of(1, "1e-6"), 0)


def test_simulated_and_real_ones_have_the_law_of_the_claim() -> None:
    """Of people at one place: P(tight) = exp(−TIGHT·nε)/2. Six standard errors: 4e-9 in all."""
    n, budget, runs = 60, Budget.of("0.05"), 3000
    expected = 0.5 * math.exp(-float(TIGHT) * n * 0.05)
    assert 0.15 < expected < 0.3  # twice the scale, or half of it, would be far from this
    bits = bit_source(4)
    real = [Tightness.released(("x",), np.zeros((n, 1)), budget, bits).tight for _ in range(runs)]
    told = simulated_tight(np.zeros((runs, n, 1)), n, budget, np.random.default_rng(7))
    for found in (np.mean(real), told.mean()):
        assert abs(found - expected) < 6 * math.sqrt(expected * (1 - expected) / runs)
