"""Shares of a row add up to at most 1, as whole numbers, whatever the row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.arrays import IntArray
from dpwerm.mechanisms.laplace_sums import UNIT
from dpwerm.releases.value.layout import split_evenly, split_pair, split_weighted

UNITS = st.floats(0, 1)
NEAR = 4 / UNIT
"""Each share is rounded down once or twice; the middle one takes what is left."""


def one(value: float) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return np.array([value])


def check_total(shares: IntArray, most: float) -> None:
    assert (shares >= 0).all()
    total = int(shares.sum())
    assert total <= UNIT
    assert total == pytest.approx(most * UNIT, abs=2)


@given(UNITS)
def test_three_shares_have_total_one_and_tell_three_moments(u: float) -> None:
    shares = split_evenly(one(u))
    assert int(shares.sum()) == UNIT
    check_total(shares, 1.0)
    first, middle, last = shares[0] / UNIT
    assert middle / 2 + last == pytest.approx(u, abs=NEAR)
    assert last == pytest.approx(u * u, abs=NEAR)
    assert first == pytest.approx((1 - u) ** 2, abs=NEAR)


@given(UNITS, UNITS)
def test_weighted_shares_tell_the_moments_with_weights(u: float, t: float) -> None:
    shares = split_weighted(one(u), one(t))
    check_total(shares, t * t + 2 * t * (1 - t))
    p = shares[0] / UNIT
    assert p[:3].sum() + p[3:].sum() / 2 == pytest.approx(t, abs=NEAR)
    assert p[1] / 2 + p[2] + p[4] / 2 == pytest.approx(t * u, abs=NEAR)
    assert p[:3].sum() == pytest.approx(t * t, abs=NEAR)
    assert p[1] / 2 + p[2] == pytest.approx(t * t * u, abs=NEAR)
    assert p[2] == pytest.approx(t * t * u * u, abs=NEAR)


@given(UNITS, UNITS)
def test_shares_of_a_pair_tell_the_moments_of_both(u: float, w: float) -> None:
    shares = split_pair(one(u), one(w))
    assert int(shares.sum()) == UNIT
    check_total(shares, 1.0)
    p = (shares[0] / UNIT).reshape(3, 3)
    mean, square = np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.0, 1.0])
    ones = np.ones(3)
    for a, b, expected in (
        (mean, ones, u),
        (ones, mean, w),
        (square, ones, u * u),
        (ones, square, w * w),
        (mean, mean, u * w),
    ):
        assert a @ p @ b == pytest.approx(expected, abs=3 * NEAR)


@pytest.mark.parametrize("u", [0.0, 1.0])
def test_the_ends_are_exact(u: float) -> None:
    expected = [[0, 0, UNIT] if u else [UNIT, 0, 0]]
    assert split_evenly(one(u)).tolist() == expected
    assert split_weighted(one(u), one(1.0)).tolist() == [[*expected[0], 0, 0]]
