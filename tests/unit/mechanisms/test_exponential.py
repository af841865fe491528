import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.mechanisms.selection.laws import largest_log_ratio, softmax
from tests.unit.mechanisms.selection.strings import NoBits, WrittenBits

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import SeededBits

SCORES = st.lists(st.integers(-40, 40), min_size=1, max_size=6)


@settings(deadline=None)
@given(SCORES, st.integers(1, 9), st.sampled_from(["0.01", "0.7", "3"]), st.integers(0, 999))
def test_a_seed_gives_the_formula(scores: list[int], delta: int, epsilon: str, seed: int) -> None:
    mechanism = ExponentialMechanism(delta, Budget.of(epsilon))
    source = SeededBits(seed)
    with mpmath.workdps(150):
        noisy = []
        for score in scores:
            u = mpmath.mpf(source.substream().bits(500)) / mpmath.mpf(2) ** 500
            noisy.append(mpmath.mpf(epsilon) * score / (2 * delta) - mpmath.log(-mpmath.log(u)))
        expected = noisy.index(max(noisy))
    for start in (1, 5, 64):
        assert mechanism.choose(scores, SeededBits(seed), start) == expected


@settings(deadline=None)
@given(SCORES, st.data(), st.integers(1, 9))
def test_no_neighbour_exceeds_epsilon(scores: list[int], data: st.DataObject, delta: int) -> None:
    moves = st.lists(st.integers(-delta, delta), min_size=len(scores), max_size=len(scores))
    others = [q + move for q, move in zip(scores, data.draw(moves), strict=True)]
    mechanism = ExponentialMechanism(delta, Budget.of("1.5"))
    rate = float(mechanism.rate)
    assert largest_log_ratio(softmax(scores, rate), softmax(others, rate)) <= 1.5 + 1e-9


def test_epsilon_is_attained_so_a_rate_off_by_two_is_wrong_either_way() -> None:
    mechanism = ExponentialMechanism(4, Budget.of("0.5"))
    assert mechanism.rate == Fraction(1, 16)

    def loss(rate: float) -> float:
        return largest_log_ratio(softmax([0, 200], rate), softmax([-4, 204], rate))

    assert 0.4999 < loss(float(mechanism.rate)) <= 0.5
    assert loss(2 * float(mechanism.rate)) > 0.99
    assert loss(float(mechanism.rate) / 2) < 0.26


def test_equal_beginnings_are_extended_and_never_drawn_anew() -> None:
    mechanism = ExponentialMechanism(1, Budget.of(1))
    start = "01" * 200
    assert mechanism.choose([3, 3], WrittenBits(start + "0", start + "1")) == 1
    assert mechanism.choose([3, 3], WrittenBits(start + "1", start + "0")) == 0
    # A string of zeros is a uniform near zero: the smallest Gumbel number.
    assert mechanism.choose([3, 3], WrittenBits("0" * 900 + "1", start)) == 1
    assert mechanism.choose([3, 3], WrittenBits("1" * 900 + "0", start)) == 0


def test_each_choice_reads_new_bits() -> None:
    mechanism, bits = ExponentialMechanism(1, Budget.of(1)), SeededBits(3)
    assert len({tuple(mechanism.choose([0] * 9, bits) for _ in range(5)) for _ in range(4)}) == 4


def test_scores_beyond_every_double_are_exact() -> None:
    mechanism = ExponentialMechanism(1, Budget.of("1e9"))
    assert mechanism.choose([2**4000, 2**4000 + 1, -(2**4000)], SeededBits(1)) == 1
    wide = ExponentialMechanism(10**400, Budget.of("1e-6"))
    assert {wide.choose([0, 10**400], SeededBits(seed)) for seed in range(20)} == {0, 1}


def test_without_privacy_the_last_of_the_best_wins() -> None:
    mechanism = ExponentialMechanism(1, Budget.of(math.inf))
    assert mechanism.choose([5, 9, 9, 2], NoBits()) == 2
    with pytest.raises(ParameterError):
        _ = mechanism.rate


def test_a_single_candidate_is_chosen() -> None:
    assert ExponentialMechanism(1, Budget.of(1)).choose([7], SeededBits(0)) == 0


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least 1"):
        ExponentialMechanism(0, Budget.of(1))
    with pytest.raises(ParameterError, match="delta = 0"):
        ExponentialMechanism(1, Budget.of(1, "1e-6"))
    with pytest.raises(ParameterError, match="at least one candidate"):
        ExponentialMechanism(1, Budget.of(1)).choose([], SeededBits(0))
