"""The best γ, ties, the window, and paired gains."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.tune.people import FREE
from dpwerm.tune.tuned import (
    Tuned,
    complete,
    gain_of,
    half_of,
    mean_of,
    means_of,
    place_of_best,
)


def tuned(means: list[float], lowest: float = 0.0) -> Tuned:
    gammas = tuple(float(3**place) for place in range(len(means)))
    return Tuned(
        gammas=gammas,
        means=tuple(means),
        halves=(0.1,) * len(means),
        n=100,
        epsilon="1",
        delta="0",
        mechanism="objective-block",
        size=50,
        validated=10,
        repeats=20,
        left_out=0,
        bootstrapped=True,
        metric="accuracy",
        source="pilot.csv",
        private_cost=FREE,
        lowest=lowest,
        automatic=3.0,
    )


def test_a_tie_goes_to_the_larger_gamma() -> None:
    assert place_of_best([0.5, 0.7, 0.7, 0.1]) == 2
    assert tuned([0.5, 0.7, 0.7, 0.1]).best == 9
    assert tuned([0.2, 0.2, 0.2]).best == 9
    assert tuned([0.7, 0.7 - 1e-15]).best == 1


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=30), st.randoms())
def test_equal_scores_in_another_order_tie(scores: list[float], random: object) -> None:
    other = list(scores)
    random.shuffle(other)  # type: ignore[attr-defined]
    assert mean_of(np.array(scores)) == mean_of(np.array(other))


def test_the_window_is_what_lies_within_5_percent_around_the_best() -> None:
    assert tuned([0.90, 0.96, 1.0, 0.951, 0.949]).window == (3, 27)
    # Beyond a gap a candidate does not belong to the window.
    assert tuned([0.99, 0.5, 1.0, 0.99]).window == (9, 27)
    # The window is measured from the worst that the metric can be.
    assert tuned([-0.2, -0.1, -0.14], lowest=-1).window == (3, 9)
    assert tuned([4.0, 5.0, 4.3], lowest=-10).window == (3, 9)
    assert tuned([1.0, 0.5]).is_at_an_end
    assert not tuned([0.5, 1.0, 0.5]).is_at_an_end


def test_repeats_without_a_score_are_left_out_for_every_gamma() -> None:
    scores = np.array([[1.0, np.nan, 3.0, 5.0], [2.0, 0.0, 1.0, 3.0]])
    np.testing.assert_array_equal(complete(scores), scores[:, [0, 2, 3]])
    with pytest.raises(ParameterError, match="too few repeats"):
        complete(scores[:, :2])


def test_intervals_and_gains() -> None:
    scores = np.array([[1.0, 2.0, 3.0, 4.0], [1.5, 2.5, 3.5, 4.5]])
    means, halves = means_of(scores)
    assert means == (2.5, 3.0)
    assert halves[0] == pytest.approx(1.96 * np.sqrt(5 / 3) / 2)
    gain = gain_of(scores, [1.0, 3.0], 1.0)
    assert gain is not None
    # In pairs the difference is the same in every repeat, whatever the repeats have in common.
    assert (gain.mean, gain.half) == (0.5, 0.0)
    assert gain_of(scores, [1.0, 3.0], 2.0) is None
    assert half_of(np.array([1.0, 1.0])) == 0


def test_its_content_is_plain() -> None:
    content = tuned([0.2, 0.7, 0.7]).content()
    assert json.loads(json.dumps(content, allow_nan=False)) == json.loads(json.dumps(content))
    assert next(iter(content)) == "private_cost"
    assert (content["best"], content["window"]) == (9, [3, 9])
