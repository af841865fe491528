"""Metrics on people at hand: what the formulas give, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
from tests.unit.tune.people_at_hand import judges

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.tune.people import Validation
from dpwerm.tune.tuned import METRICS, OWN, accuracy, loss, metric_of, scored, value
from reproduction.trials.measures import empirical_value

ARM = np.array([-1.0, 1.0, 1.0, -1.0])
BENEFIT = np.array([1.0, 2.0, 4.0, 8.0])
CHANCE = np.array([0.25, 0.75, 0.75, 0.25])


def given(*second: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    return np.array(second, dtype=bool)[None, None]


def test_value_is_eqn_14() -> None:
    people = judges(ARM, BENEFIT, CHANCE)
    # The first three received what the rule gives: (1·4 + 2·4/3 + 4·4/3)/(4 + 4/3 + 4/3).
    assert value(given(0, 1, 1, 1), people)[0, 0] == pytest.approx(12 / (20 / 3))
    recommended = np.array([-1.0, 1.0, 1.0, 1.0])
    assert value(given(0, 1, 1, 1), people)[0, 0] == pytest.approx(
        empirical_value(recommended, ARM, BENEFIT, CHANCE)
    )


def test_a_row_with_something_missing_does_not_count() -> None:
    whole = judges(ARM[:3], BENEFIT[:3], CHANCE[:3])
    for place in range(3):
        columns = [ARM.copy(), BENEFIT.copy(), CHANCE.copy()]
        columns[place][3] = np.nan
        assert value(given(0, 1, 1, 0), judges(*columns)) == value(given(0, 1, 1), whole)


def test_a_value_that_nobody_shows_is_missing() -> None:
    assert np.isnan(value(given(1, 0, 0, 1), judges(ARM, BENEFIT, CHANCE)))


def test_accuracy_needs_the_truth() -> None:
    people = judges(ARM, BENEFIT, CHANCE)
    with pytest.raises(ParameterError, match="better arm is known"):
        accuracy(given(0, 1, 1, 0), people)
    known = replace(people, better=np.array([[-2.0, 0.5, -1.0, 0.0]]))
    assert accuracy(given(0, 1, 1, 0), known) == 0.75
    assert accuracy(given(0, 1, 0, 1), known) == 1.0


def test_loss_is_the_weight_of_those_it_is_wrong_for() -> None:
    weight = np.array([[0.5, 0.25, 1.0, 0.0]])
    people = replace(judges(ARM, BENEFIT, CHANCE), weight=weight)
    assert loss(given(0, 1, 1, 0), people) == 0
    assert loss(given(1, 1, 0, 1), people) == pytest.approx(-1.5 / 4)


def test_a_metric_is_a_name_or_a_function() -> None:
    for name, function in METRICS.items():
        assert metric_of(name) == (name, function)
    assert metric_of(share_of_second) == (OWN, share_of_second)
    with pytest.raises(ParameterError, match="metric must be one of accuracy, loss, value"):
        metric_of("gain")
    people = judges(ARM, BENEFIT, CHANCE)
    assert scored(share_of_second, given(0, 1, 1, 0), people) == 0.5
    with pytest.raises(ParameterError, match="one score for each rule"):
        scored(lambda second, _: second, given(0, 1, 1, 0), people)  # type: ignore[arg-type,return-value]


def share_of_second(
    second: np.ndarray[tuple[int, ...], np.dtype[np.bool_]], _people: Validation
) -> FloatArray:
    """Return the share of people with the second arm."""
    return np.asarray(second.mean(axis=-1))
