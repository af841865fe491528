from typing import Any

import numpy as np
import pytest

from dpwerm.errors import ParameterError
from dpwerm.solve.batch_problems import BatchProblems, Requests

X = np.random.default_rng(0).uniform(-1, 1, (3, 5, 2))
Y = np.ones((3, 5))
W = np.ones((3, 5))
BATCH = BatchProblems(X, Y, W, 1.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": X[0]}, "three dimensions"),
        ({"targets": Y[:, :4]}, "shape"),
        ({"weights": W[:2]}, "shape"),
        ({"X": X * np.nan}, "X must be finite"),
        ({"X": X * 1e13}, "X must be finite and between -1e\\+12"),
        ({"weights": -W}, "weights must be finite"),
        ({"weights": W * np.inf}, "weights must be finite"),
        ({"targets": Y * np.nan}, "targets must be finite"),
        ({"intercept_scale": -1.0}, "intercept_scale"),
        ({"intercept_scale": float("nan")}, "intercept_scale"),
    ],
)
def test_rows_that_do_not_fit_are_refused_without_a_value(
    change: dict[str, Any], message: str
) -> None:
    good: dict[str, Any] = {"X": X, "targets": Y, "weights": W, "intercept_scale": 1.0}
    with pytest.raises(ParameterError, match=message) as caught:
        BatchProblems(**(good | change))
    assert not any(f"{value:.6f}" in str(caught.value) for value in X.ravel())


def test_a_data_set_can_be_taken_out_for_the_single_solver() -> None:
    data = BATCH.data(1)
    assert np.array_equal(data.X, X[1])
    assert data.column_bounds[0] == 1.0
    assert np.array_equal(data.column_bounds[1:], np.abs(X[1]).max(axis=0))
    assert (BATCH.n_sets, BATCH.n_rows, BATCH.dimension) == (3, 5, 3)
    assert BatchProblems(X, Y, W, 0.0).dimension == 2


def test_every_axis_finds_its_place() -> None:
    requests = Requests.of(BATCH, np.ones((4, 3)), 1e-6, np.ones((4, 3, 7, 3)))
    assert requests.gamma.shape == requests.tolerance.shape == (4, 3, 7)
    assert requests.linear_term.shape == (4, 3, 7, 3)
    assert requests.replicated
    plain = Requests.of(BATCH, np.ones(4), np.ones(4), None)
    assert plain.gamma.shape == (4, 3, 1)
    assert not plain.linear_term.any()
    assert not plain.replicated


def test_what_is_repeated_is_not_copied() -> None:
    requests = Requests.of(BATCH, np.ones((1, 3, 1000)), 1e-6, None)
    assert requests.tolerance.strides == (0, 0, 0)
    assert requests.linear_term.strides == (0, 0, 0, 0)


def test_some_problems_keep_what_is_asked_of_them() -> None:
    gamma = np.arange(1.0, 13.0).reshape(2, 3, 2)
    linear_term = np.random.default_rng(1).normal(size=(1, 3, 2, 3))
    whole = Requests.of(BATCH, gamma, 1e-6, linear_term)
    part = whole.part((slice(None), slice(1, 3), slice(1, 2)))
    assert np.array_equal(part.gamma, gamma[:, 1:, 1:])
    assert np.array_equal(part.linear_term[0], linear_term[0, 1:, 1:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, 1e-6, None), "gamma must be finite and between 1e-12"),
        ((np.nan, 1e-6, None), "gamma"),
        ((np.ones((1, 2)), 1e-6, None), "must fit the data sets"),
        ((np.ones((1, 3, 1, 1)), 1e-6, None), "gamma has too many"),
        ((1.0, 0.0, None), "tolerance must be finite and positive"),
        ((1.0, np.inf, None), "tolerance must be finite and positive"),
        ((1.0, 1e-6, np.ones((1, 3, 2))), "linear term must have one entry"),
        ((1.0, 1e-6, np.ones((3, 3))), "linear term must have one entry"),
        ((1.0, 1e-6, np.ones((1, 2, 3))), "must fit the data sets"),
        ((1.0, 1e-6, np.full((1, 3, 3), np.nan)), "linear term must be finite"),
        ((1.0, 1e-6, np.full((1, 3, 3), 1e101)), "linear term must be finite"),
    ],
)
def test_requests_that_do_not_fit_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Requests.of(BATCH, *arguments)
