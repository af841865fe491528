import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.mechanisms.selection.laws import flips, largest_log_ratio, softmax
from tests.unit.mechanisms.selection.strings import NoBits, WrittenBits

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.selection import permute_and_flip
from dpwerm.mechanisms.selection.permute_and_flip import PermuteAndFlip, noisy_max
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import OperatingSystemBits, SeededBits

SCORES = st.lists(st.integers(-30, 30), min_size=1, max_size=5)
SENSITIVITIES = st.sampled_from([1, 2, 3, 7, 10**6, 2**32, 2**53 + 1, 3**38, 2**62 - 1])


class Stand:
    """Stands in for OpenDP's measurement."""

    def __init__(self, cost: float, fault: Exception | None = None) -> None:
        self.cost, self.fault, self.called = cost, fault, 0

    def map(self, sensitivity: int) -> float:
        return self.cost

    def __call__(self, scores: list[int]) -> int:
        self.called += 1
        if self.fault:
            raise self.fault
        return 1


@settings(max_examples=40, deadline=None)
@given(st.decimals("0.000001", "1000", places=6), SENSITIVITIES)
def test_the_scale_is_the_smallest_that_the_privacy_map_allows(epsilon: object, delta: int) -> None:
    budget = Budget.of(str(epsilon))
    scale = PermuteAndFlip(delta, budget).scale
    exact = 2 * delta / budget.exact_epsilon
    assert Fraction(scale) >= exact
    assert Fraction(noisy_max(scale).map(delta)) <= budget.exact_epsilon
    assert Fraction(scale) <= exact * (1 + Fraction(1, 2**50))
    below = math.nextafter(scale, 0.0)
    assert Fraction(below) < exact or noisy_max(below).map(delta) > budget.exact_epsilon


def test_the_privacy_map_counts_both_directions_of_a_change() -> None:
    # One score up and another one down: a map of Δ/s would promise half of the truth.
    assert noisy_max(4.0).map(3) == 1.5


@pytest.mark.parametrize("cost", [1.0000000000000002, 2.0, math.inf, math.nan])
def test_a_map_beyond_epsilon_stops_the_release(
    monkeypatch: pytest.MonkeyPatch, cost: float
) -> None:
    mechanism = PermuteAndFlip(1, Budget.of(1))
    stand = Stand(cost)
    assert mechanism.scale == 2.0
    monkeypatch.setattr(permute_and_flip, "noisy_max", lambda scale: stand)
    with pytest.raises(ParameterError, match="privacy map"):
        mechanism.choose([1, 2], OperatingSystemBits())
    assert stand.called == 0


def test_no_scale_is_no_release(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(permute_and_flip, "noisy_max", lambda scale: Stand(9.0))
    with pytest.raises(ParameterError, match="no scale"):
        PermuteAndFlip(1, Budget.of("0.123456")).choose([1, 2], OperatingSystemBits())


def test_a_secure_choice_is_opendp_s_own_and_a_seeded_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    mechanism = PermuteAndFlip(1, Budget.of(1))
    stand = Stand(1.0)
    assert mechanism.scale == 2.0
    monkeypatch.setattr(permute_and_flip, "noisy_max", lambda scale: stand)
    assert mechanism.choose([1, 2], NoBits()) == 1
    assert stand.called == 1
    mechanism.choose([1, 2], SeededBits(1))
    assert stand.called == 1


def test_what_opendp_says_is_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = PermuteAndFlip(1, Budget.of(1))
    stand = Stand(1.0, ValueError("123456789 is not representable"))
    assert mechanism.scale == 2.0
    monkeypatch.setattr(permute_and_flip, "noisy_max", lambda scale: stand)
    with pytest.raises(ParameterError) as caught:
        mechanism.choose([123456789, 2], OperatingSystemBits())
    assert "123456789" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@settings(deadline=None)
@given(SCORES, st.integers(1, 9), st.sampled_from(["0.01", "0.7", "3"]), st.integers(0, 999))
def test_a_seed_gives_the_formula(scores: list[int], delta: int, epsilon: str, seed: int) -> None:
    mechanism = PermuteAndFlip(delta, Budget.of(epsilon))
    source = SeededBits(seed)
    with mpmath.workdps(150):
        noisy = []
        for score in scores:
            u = mpmath.mpf(source.substream().bits(500)) / mpmath.mpf(2) ** 500
            noisy.append(score - 2 * delta / mpmath.mpf(epsilon) * mpmath.log(u))
        expected = noisy.index(max(noisy))
    assert mechanism.choose(scores, SeededBits(seed)) == expected
    assert mechanism.simulated(scores, SeededBits(seed), 1) == expected


def test_equal_beginnings_are_extended() -> None:
    mechanism, start = PermuteAndFlip(1, Budget.of(1)), "01" * 200
    assert mechanism.choose([3, 3], WrittenBits(start + "0", start + "1")) == 0
    assert mechanism.choose([3, 3], WrittenBits(start + "1", start + "0")) == 1


@settings(deadline=None)
@given(SCORES)
def test_coins_and_orders_are_a_uniform_draw_from_the_heads(scores: list[int]) -> None:
    # The identity by which exponential noise and permute-and-flip are the same law.
    rate, k = 0.1, len(scores)
    heads = [math.exp(rate * (q - max(scores))) for q in scores]
    found = np.zeros(k)
    for subset in range(1, 2**k):
        inside = [i for i in range(k) if subset >> i & 1]
        chance = math.prod(heads[i] if i in inside else 1 - heads[i] for i in range(k))
        found[inside] += chance / len(inside)
    np.testing.assert_allclose(found, flips(scores, rate), atol=1e-12)


@settings(deadline=None)
@given(SCORES, st.data(), st.integers(1, 9))
def test_no_neighbour_exceeds_epsilon(scores: list[int], data: st.DataObject, delta: int) -> None:
    moves = st.lists(st.integers(-delta, delta), min_size=len(scores), max_size=len(scores))
    others = [q + move for q, move in zip(scores, data.draw(moves), strict=True)]
    rate = 1 / PermuteAndFlip(delta, Budget.of("1.5")).scale
    assert largest_log_ratio(flips(scores, rate), flips(others, rate)) <= 1.5 + 1e-9


def test_epsilon_is_attained_so_a_scale_off_by_two_is_wrong_either_way() -> None:
    mechanism = PermuteAndFlip(4, Budget.of("0.5"))
    assert mechanism.scale == 16.0

    def loss(scale: float) -> float:
        return largest_log_ratio(flips([0, 0], 1 / scale), flips([-4, 4], 1 / scale))

    assert loss(mechanism.scale) == pytest.approx(0.5, abs=1e-12)
    assert loss(mechanism.scale / 2) == pytest.approx(1.0, abs=1e-12)
    assert loss(2 * mechanism.scale) == pytest.approx(0.25, abs=1e-12)


@settings(deadline=None)
@given(SCORES, st.floats(0.001, 3))
def test_it_is_never_worse_than_the_exponential_mechanism(scores: list[int], rate: float) -> None:
    flipped, soft = flips(scores, rate) @ scores, softmax(scores, rate) @ scores
    assert flipped >= soft - 1e-9


@pytest.mark.parametrize("bits", [OperatingSystemBits(), SeededBits(5)])
def test_larger_is_better_to_the_ends_of_64_bits(
    bits: OperatingSystemBits | SeededBits,
) -> None:
    mechanism = PermuteAndFlip(1, Budget.of("1e9"))
    assert mechanism.choose([-(2**63), 2**63 - 1, 2**63 - 2], bits) == 1
    assert mechanism.choose([-(2**63), -(2**63) + 1], bits) == 1
    assert mechanism.choose([8], bits) == 0


@pytest.mark.parametrize("scores", [[2**63, 0], [0, -(2**63) - 1]])
def test_scores_beyond_64_bits_are_refused_and_never_quoted(scores: list[int]) -> None:
    with pytest.raises(ParameterError, match="64 bits") as caught:
        PermuteAndFlip(1, Budget.of(1)).choose(scores, OperatingSystemBits())
    assert "92233" not in str(caught.value)


def test_without_privacy_the_last_of_the_best_wins() -> None:
    mechanism = PermuteAndFlip(1, Budget.of(math.inf))
    assert mechanism.scale == 0.0
    assert mechanism.choose([5, 9, 9, 2], NoBits()) == 2


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ParameterError, match="at most"):
        PermuteAndFlip(2**62, Budget.of(1))
    with pytest.raises(ParameterError, match="whole number"):
        PermuteAndFlip(1.0, Budget.of(1))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="delta = 0"):
        PermuteAndFlip(1, Budget.of(1, "1e-6"))
    with pytest.raises(ParameterError, match="whole numbers"):
        PermuteAndFlip(1, Budget.of(1)).choose([1.5], SeededBits(0))  # type: ignore[list-item]
