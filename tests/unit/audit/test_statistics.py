from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.audit.laws import LaplaceShift

from dpwerm.arrays import FloatArray
from dpwerm.audit.guesser import SCORE, bits_used, lowest_bit, statistics
from dpwerm.audit.target import Pair

doubles = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(doubles.filter(lambda x: x != 0))
def test_the_lowest_bit_is_the_largest_power_of_two_that_divides(x: float) -> None:
    e = int(lowest_bit(np.array([x]))[0])
    whole = Fraction(x) / Fraction(2) ** e
    assert whole.denominator == 1
    assert whole.numerator % 2 == 1
    assert bits_used(np.array([x]))[0] == abs(whole.numerator).bit_length()


def test_nothing_is_known_of_zero() -> None:
    assert lowest_bit(np.zeros(1))[0] > 1023
    assert bits_used(np.zeros(1))[0] == 0


def test_a_score_comes_first_and_every_statistic_gives_one_number_for_each_output() -> None:
    class Known(LaplaceShift):
        def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
            del pair
            return -outputs[:, 0]

    first, second = np.random.default_rng(1).normal(size=(2, 50, 3))
    found = list(statistics(Known(1.0, "1"), Pair("", 0.0, 1.0), first, second))
    assert found[0].name == SCORE
    names = {one.name for one in found}
    assert {"coordinate 3", "minus coordinate 3", "lowest bit of coordinate 1"} <= names
    assert "same output" not in names
    assert {"difference of means", "discriminant", "nearer centre"} <= names
    for one in found:
        assert one.of(first).shape == (50,)
        assert np.isfinite(one.of(first)).all()


def test_outputs_that_come_again_are_counted() -> None:
    first = np.repeat([0.0, 1.0], [40, 20])[:, None]
    second = np.repeat([1.0, 2.0], [40, 20])[:, None]
    target, pair = LaplaceShift(1.0, "1"), Pair("", 0.0, 1.0)
    (same,) = [s for s in statistics(target, pair, first, second) if s.name == "same output"]
    seen = same.of(np.array([[0.0], [1.0], [2.0], [3.0]]))
    np.testing.assert_allclose(seen, np.log([40.5 / 0.5, 20.5 / 40.5, 0.5 / 20.5, 1.0]))


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("dimension", [1, 2])
def test_every_statistic_is_finite_whatever_the_output_is(odd: float, dimension: int) -> None:
    class Naive(LaplaceShift):
        def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
            del pair
            return outputs[:, 0]

    first, second = np.random.default_rng(1).normal(size=(2, 50, dimension))
    first[:10] = odd
    pair = Pair("", 0.0, 1.0)
    for one in statistics(Naive(1.0, "1"), pair, first, second):
        assert np.isfinite(one.of(first)).all()
    names = {one.name for one in statistics(Naive(1.0, "1"), pair, first, second)}
    assert ("not a number" in names) == bool(np.isnan(odd))


def test_outputs_are_the_same_if_their_bits_are() -> None:
    first, second = np.repeat([[np.nan], [0.0]], 60, axis=0), np.full((120, 1), -0.0)
    target, pair = LaplaceShift(1.0, "1"), Pair("", 0.0, 1.0)
    (same,) = [s for s in statistics(target, pair, first, second) if s.name == "same output"]
    seen = same.of(np.array([[np.nan], [0.0], [-0.0]]))
    np.testing.assert_allclose(seen, np.log([60.5 / 0.5, 60.5 / 0.5, 0.5 / 120.5]))
