"""The first place of a grid that reaches a target, found without trying them all."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.plan.expected import Expected, Spread
from dpwerm.plan.smallest import EPSILONS, SIZES, Aim, smallest, target_of


def at(accuracy: float) -> Expected:
    one = Spread(accuracy, 0.01, accuracy - 0.1, accuracy + 0.1)
    return Expected(one, one, one, one, gain=one, harm=0.1, trials=10, rows=10)


@given(places=st.integers(2, 200), first=st.integers(0, 250))
def test_it_is_the_first_place_that_reaches_the_target(places: int, first: int) -> None:
    tried: list[int] = []

    def evaluate(place: int) -> Expected:
        tried.append(place)
        return at(0.9 if place >= first else 0.8)

    answer = smallest(range(places), evaluate, Aim(0.9))
    assert answer.reached == (first < places)
    assert len(tried) == len(set(tried)) <= 2 + math.ceil(math.log2(places))
    assert tried[0] == places - 1
    if not answer.reached:
        assert tried == [places - 1]
        assert (answer.place, answer.found.accuracy.mean) == (places - 1, 0.8)
        return
    assert answer.place == first
    assert answer.found.accuracy.mean == 0.9
    assert (answer.below is None) == (first == 0)
    if answer.below is not None:
        assert answer.below[0] == first - 1
        assert answer.below[1].accuracy.mean == 0.8


def test_the_grids_grow_and_end_at_their_ceilings() -> None:
    sizes = [float(one) for one in EPSILONS]
    assert sizes == sorted(set(sizes))
    assert (EPSILONS[0], EPSILONS[-2], EPSILONS[-1]) == ("0.01", "100", "inf")
    assert list(SIZES) == sorted(set(SIZES))
    assert (SIZES[0], SIZES[-1]) == (10, 1_000_000)
    for grid in (sizes[:-1], SIZES):
        assert all(low < high <= 2 * low for low, high in pairwise(grid))


@pytest.mark.parametrize("target", [0.5, 0.3, 0, -1, 1, 1.5, 90, math.nan, math.inf, "0.9", True])
def test_a_target_is_above_a_coin_and_below_certainty(target: object) -> None:
    with pytest.raises(ParameterError, match="target"):
        target_of(target)


def test_a_sound_target_is_taken() -> None:
    assert target_of(0.9) == 0.9
    assert target_of(Fraction(3, 4)) == 0.75


def test_a_rule_is_worth_having_if_it_gains_and_seldom_harms() -> None:
    gains = Spread(0.2, 0.01, 0.0, 0.4)
    found = replace(at(0.55), gain=gains, harm=0.1)
    assert Aim().is_met(found)
    assert not Aim().is_met(replace(found, harm=0.11))
    assert not Aim().is_met(replace(found, gain=replace(gains, mean=0.19)))
    assert Aim(0.5).is_met(replace(found, harm=1.0))
    answer = smallest(range(20), lambda place: replace(found, harm=1 - place / 19), Aim())
    assert (answer.reached, answer.place) == (True, 18)
