"""What rules did on synthetic trials is what hand-computed numbers say; fewer rows stand for n."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.simulate.test_synthetic import labels, trials

from dpwerm.simulate.judged import (
    HARM,
    HARMFUL,
    LEAST_GAIN,
    MOST_LOST,
    PRECISE,
    Judged,
    SyntheticTrials,
)
from dpwerm.simulate.synthetic import TESTS


def by_hand(contrast: Sequence[Sequence[float]], spread: float = 1e-9) -> SyntheticTrials:
    """Return trials of which half the contrast of each person is known, none of them tight."""
    f = np.array(contrast, dtype=np.float64)
    count = len(f)
    one = trials((0,), count=count, rows=3)
    return replace(
        one,
        contrast=f,
        best=np.where(f > 0, 1.0, -1.0),
        spread=np.full(count, spread),
        tight=np.zeros(count, dtype=bool),
    )


def given(*second: Sequence[int]) -> Any:
    """Return who gets the second arm of each trial, one rule each: (B, 1, T)."""
    return np.array(second, dtype=bool)[:, None]


ONE = by_hand([[3.0, 1.0, -2.0, 0.0]])
"""The second arm for all has ½ per person, and everybody's better arm 1½."""


@pytest.mark.parametrize(
    ("second", "gain"),
    [
        ((1, 1, 0, 1), 1.0),
        ((1, 1, 0, 0), 1.0),  # whom no arm helps more may get either
        ((1, 1, 1, 1), 0.0),
        ((1, 0, 0, 1), 0.5),
        ((0, 0, 0, 0), -1.0),
        ((0, 0, 1, 1), -2.0),
    ],
)
def test_a_gain_is_the_share_of_what_can_be_gained_over_the_better_single_arm(
    second: tuple[int, ...], gain: float
) -> None:
    assert ONE.gain(given(second)).shape == (1, 1)
    assert ONE.gain(given(second)).item() == pytest.approx(gain)
    # Turned over, what the first arm gains is what the second did.
    turned = by_hand([[-3.0, -1.0, 2.0, 0.0]])
    assert turned.gain(~given(second)).item() == pytest.approx(gain)


def test_where_next_to_nothing_can_be_gained_a_loss_is_in_units_of_the_outcome() -> None:
    alike = by_hand([[0.5, 0.5, 0.5, 0.5]], spread=5.0)
    assert alike.gain(given((1, 1, 1, 1))).item() == 0
    lost = alike.gain(given((1, 1, 1, 0))).item()
    assert lost == pytest.approx(-0.25 / (LEAST_GAIN * 5.0))


def test_accuracy_is_the_share_of_people_with_their_better_arm() -> None:
    assert ONE.accuracy(given((1, 1, 0, 0))).item() == 1.0
    assert ONE.accuracy(given((1, 0, 0, 1))).item() == 0.5
    assert ONE.accuracy(given((0, 0, 1, 1))).item() == 0.0


def test_a_loss_counts_as_at_most_three_times_all_and_harm_is_a_share_of_releases() -> None:
    four = by_hand([[3.0, 1.0, -2.0, 0.0]] * 4)
    second = given((1, 1, 0, 0), (1, 0, 0, 1), (1, 1, 1, 1), (0, 0, 1, 1))
    # Gains 1, ½, 0 and −2; accuracies 1, ½, ½ and 0.
    assert four.judged(second) == pytest.approx((0.5, (1 + 0.5 + 0 - 2) / 4, 0.25))
    worse = by_hand([[5.0, 1.0, -1.0, 0.0]] * 4)  # ½ can be gained, 3 lost
    assert worse.gain(given((0, 0, 1, 1))).min() < -MOST_LOST
    assert worse.judged(given(*[(0, 0, 1, 1)] * 4)).gain == -MOST_LOST == -3


def test_a_gain_just_below_zero_is_no_harm_yet() -> None:
    many = by_hand([[1.0, -1.0] * 500 + [1.0] * 100])
    # 1,100 people: one arm for all has 100/1100, and 1000/1100 can be gained.
    little = np.ones((1, 1, 1100), dtype=bool)
    little[..., [0, 2, 4, 6]] = False
    assert many.gain(little).item() == pytest.approx(-0.008)
    assert many.judged(little).harm == 0
    little[..., [8, 10]] = False
    assert many.gain(little).item() == pytest.approx(-0.012)
    assert many.judged(little).harm == 1


def test_a_score_is_gain_with_losses_more_than_once_and_squared_errors_in_tight_trials() -> None:
    three = by_hand([[3.0, 1.0, -2.0, 0.0]] * 3)
    second = given((1, 0, 0, 1), (0, 0, 0, 0), (0, 0, 1, 1))
    # Gains ½, −1 and −2; accuracies ½, ½ and 0.
    expected = np.array([[0.5], [-HARM - HARMFUL], [-2 * HARM - HARMFUL]])
    np.testing.assert_allclose(three.score(second), expected)
    tight = replace(three, tight=np.array([True, True, False]))  # beside it −2 counts as −1
    expected = np.array([[-PRECISE * 0.5**2]] * 2 + [[-HARM - HARMFUL]])
    np.testing.assert_allclose(tight.score(second), expected)
    assert HARM > 1
    assert HARMFUL > 0
    assert PRECISE >= 1


def test_labels_have_no_outcome_and_are_scored_by_accuracy() -> None:
    found = labels((0,), count=2, rows=5)
    second = np.broadcast_to(found.best[:, None] > 0, (2, 1, TESTS)).copy()
    second[0, 0, : TESTS // 2] ^= True
    assert found.judged(second) == Judged(0.75, None, None)
    np.testing.assert_allclose(found.score(second), [[0.5], [1.0]])


def test_the_score_of_one_arm_for_everybody_is_its_accuracy() -> None:
    found = trials((0, 0), count=9, rows=20)
    second = np.broadcast_to((found.contrast.mean(axis=1) > 0)[:, None, None], (9, 1, TESTS))
    np.testing.assert_allclose(found.gain(second), 0, atol=1e-9)
    assert found.judged(second).harm == 0
    best = found.contrast[:, None] > 0
    gains = found.gain(best)
    assert (gains <= 1 + 1e-9).all()
    assert gains.max() == pytest.approx(1)


# -- fewer rows that stand for n people --------------------------------------------------------


def test_each_person_stands_in_both_arms_and_all_count_for_n() -> None:
    one = trials((0, 3), count=6, rows=40, propensity=(0.3, 0.3))
    assert one.standing_for(40) is one
    two = one.standing_for(160)
    assert two.arm.shape == (6, 80)
    np.testing.assert_array_equal(two.X[:, :40], two.X[:, 40:])
    np.testing.assert_array_equal(two.arm[:, 40:], -one.arm)
    np.testing.assert_array_equal(two.benefit[:, 40:], one.other)
    np.testing.assert_allclose(two.probability[:, :40] + two.probability[:, 40:], 1)
    np.testing.assert_allclose(two.counts[:, :40] + two.counts[:, 40:], 1)
    assert two.people is one.people
    found = labels((0,), count=2, rows=5)
    assert found.standing_for(50) is found  # nobody knows what another label would have weighed


def test_the_other_benefit_is_that_of_the_same_person_with_the_same_luck() -> None:
    one = trials((0, 0), count=24, rows=500)
    known = (np.abs(one.benefit) < 1) & (np.abs(one.other) < 1)
    for X, arm, u, other, inside in zip(one.X, one.arm, one.benefit, one.other, known, strict=True):
        rows = np.column_stack([np.ones(500), X])[inside]
        twice = (arm * (u - other))[inside]  # twice half the contrast, which is linear
        left = twice - rows @ np.linalg.lstsq(rows, twice, rcond=None)[0]
        np.testing.assert_allclose(left, 0, atol=1e-9)


@pytest.mark.parametrize("second", [0.5, 0.25])
def test_chance_between_the_arms_is_that_of_n_people(second: float) -> None:
    """The difference of weighted means scatters as among n people, not as among the rows.

    Of 1,500 trials the ratio of two standard deviations is within 0.1 of 1 but with a probability
    below 1e-6; among the rows alone it would be 3.
    """
    n, rows, count = 900, 100, 1500
    rng = np.random.default_rng(0)

    def scatter(rows: int) -> float:
        arm = np.where(rng.uniform(size=(count, rows)) < second, 1.0, -1.0)
        chance, u = np.where(arm > 0, second, 1 - second), rng.normal(size=(count, rows))
        empty = np.empty((count, 0, 1))
        one = SyntheticTrials(
            np.zeros((count, rows, 1)), arm, chance, u, empty, empty[..., 0], other=u
        )
        two = one.standing_for(n)
        counts = two.counts if two.counts.size else np.ones_like(u)
        weights = counts * (n / rows) / two.probability
        return float((weights * two.arm * two.benefit).sum(axis=1).std())

    assert scatter(rows) == pytest.approx(scatter(n), rel=0.1)
