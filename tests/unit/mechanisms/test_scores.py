from typing import Any

import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.exponential import (
    ExponentialMechanism,
    highest,
    last_best,
)
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import SeededBits

MECHANISM = ExponentialMechanism(1, Budget.of(1))


@settings(deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8))
def test_the_last_of_the_best_wins(scores: list[int]) -> None:
    index = last_best(scores)
    assert scores[index] == max(scores)
    assert max(scores) not in scores[index + 1 :]


@settings(deadline=None)
@given(st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=6, unique=True))
def test_the_largest_is_found_however_wide_the_first_enclosures_are(numbers: list[int]) -> None:
    asked = []

    def balls(bits: int) -> list[arb]:
        asked.append(bits)
        return [arb(number, arb(2) ** (90 - bits)) for number in numbers]

    assert highest(balls, start_bits=1) == numbers.index(max(numbers))
    assert asked == [2**i for i in range(len(asked))]


@pytest.mark.parametrize("nothing", [arb("nan"), arb(0, "inf")])
def test_a_ball_that_says_nothing_waits_for_more_bits(nothing: arb) -> None:
    assert highest(lambda bits: [arb(1), nothing if bits < 512 else arb(2)], 64) == 1
    assert highest(lambda bits: [nothing if bits < 512 else arb(0), arb(1)], 64) == 1


def test_the_precision_is_put_back() -> None:
    before = ctx.prec
    highest(lambda bits: [arb(bits), arb(0)])
    assert ctx.prec == before


@pytest.mark.parametrize("value", [True, 1.0, "1", None])
def test_a_sensitivity_is_a_whole_number(value: Any) -> None:
    with pytest.raises(ParameterError, match="whole number"):
        ExponentialMechanism(value, Budget.of(1))


@pytest.mark.parametrize("value", [0, -3])
def test_a_sensitivity_is_positive(value: int) -> None:
    with pytest.raises(ParameterError, match="at least 1"):
        ExponentialMechanism(value, Budget.of(1))


@pytest.mark.parametrize("scores", [[123456789, 1.5], [True, 123456789], ["123456789"], [None]])
def test_scores_are_whole_and_never_quoted(scores: list[Any]) -> None:
    with pytest.raises(ParameterError, match="whole numbers") as caught:
        MECHANISM.choose(scores, SeededBits(0))
    assert "123456789" not in str(caught.value)


def test_no_candidate_and_another_notion_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least one candidate"):
        MECHANISM.choose([], SeededBits(0))
    with pytest.raises(ParameterError, match="delta = 0"):
        ExponentialMechanism(1, Budget.of(1, "1e-6"))
    with pytest.raises(ParameterError, match="needs epsilon"):
        ExponentialMechanism(1, Budget.zcdp(1))  # type: ignore[arg-type]
