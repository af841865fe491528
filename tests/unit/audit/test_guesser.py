import math

import numpy as np
import pytest
from tests.unit.audit.laws import LaplaceShift

from dpwerm.audit.attack import sides
from dpwerm.audit.guesser import Guesser, Statistic, best_guesser

FIRST = Statistic("first", lambda outputs: outputs[:, 0])


def column(*numbers: float) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    return np.array(numbers, float)[:, None]


def test_right_and_wrong_guesses_are_counted_and_what_lies_between_is_left_out() -> None:
    guesser = Guesser(FIRST, high=2.0, low=-2.0, promise=0.0)
    assert guesser.sides == 2
    lone = guesser.bound(column(3), column(), delta=0.0, confidence=0.4)
    assert lone == pytest.approx(math.log(0.6 / 0.4))
    same = guesser.bound(column(3, 0, 1), column(0, -1), delta=0.0, confidence=0.4)
    assert same == lone
    assert guesser.bound(column(3), column(3, 2), delta=0.0, confidence=0.4) == 0


@pytest.mark.parametrize(
    ("high", "low", "count"), [(1, -1, 2), (1, -math.inf, 1), (math.inf, 1, 1)]
)
def test_a_guesser_knows_how_many_sides_it_guesses(high: float, low: float, count: int) -> None:
    assert Guesser(FIRST, high, low, 0.0).sides == count


def test_who_never_guesses_shows_nothing() -> None:
    guesser = Guesser(FIRST, math.inf, -math.inf, 0.0)
    assert guesser.bound(column(1), column(0), delta=0.0, confidence=0.5) == 0


def test_the_choice_is_near_the_best_there_is() -> None:
    target = LaplaceShift(2.0, "2")
    (pair,) = target.pairs()
    outputs = sides(target, pair, (20_000, 20_000), (1,))
    guesser = best_guesser(target, pair, *outputs, confidence=0.999)
    # Below 0 the ratio is e² everywhere, above 1 it is e⁻²: both plateaus are guessed.
    assert guesser.statistic.name == "minus coordinate 1"
    assert guesser.high == pytest.approx(0.0, abs=0.2)
    assert guesser.low == pytest.approx(-1.0, abs=0.2)
    fresh = sides(target, pair, (20_000, 20_000), (2,))
    assert 1.8 < guesser.bound(*fresh, delta=0.0, confidence=0.999) < 2.0


def test_with_few_runs_to_judge_it_abstains_less() -> None:
    target = LaplaceShift(2.0, "2")
    (pair,) = target.pairs()
    rng = np.random.default_rng(3)
    first, second = (np.round(rng.normal(at, size=(20_000, 1)), 2) for at in (0, 1))
    many = best_guesser(target, pair, first, second, confidence=0.99)
    few = best_guesser(target, pair, first, second, confidence=0.99, share=0.01)
    assert few.high - few.low < many.high - many.low


def test_a_random_numbersy_event_is_not_taken_for_a_good_one() -> None:
    # Nothing to be told apart: what looks best by luck must promise nothing.
    target = LaplaceShift(1.0, "1")
    (pair,) = target.pairs()
    rng = np.random.default_rng(5)
    promises = [
        best_guesser(target, pair, *rng.normal(size=(2, 1000, 3)), confidence=0.999).promise
        for _ in range(5)
    ]
    assert promises == [0.0] * 5
