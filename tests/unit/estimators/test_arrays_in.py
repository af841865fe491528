import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator

from dpwerm.errors import ParameterError
from dpwerm.estimators.arrays_in import bounds_per_column, feature_names, numeric_matrix
from dpwerm.parameters import vector

DATA = {"a": [1.0, 2.0], "b": [3.0, 4.0]}


@pytest.mark.parametrize("frame", [pd.DataFrame(DATA), pl.DataFrame(DATA), pa.table(DATA)])
def test_frames_of_every_kind_keep_their_names(frame: object) -> None:
    estimator = BaseEstimator()
    assert numeric_matrix(estimator, frame, reset=True).tolist() == [[1.0, 3.0], [2.0, 4.0]]
    assert feature_names(estimator, 2) == ["a", "b"]


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_reordered_columns_are_refused(kind: type) -> None:
    estimator = BaseEstimator()
    numeric_matrix(estimator, kind(DATA), reset=True)
    with pytest.raises(ValueError, match="feature names should match"):
        numeric_matrix(estimator, kind({"b": DATA["b"], "a": DATA["a"]}), reset=False)


@pytest.mark.parametrize(
    "X",
    [
        np.array([["1", "zebra-canary"]]),
        np.array([[1, "zebra-canary"]], dtype=object),
        pd.DataFrame({"a": [1.0], "b": ["zebra-canary"]}),
        pl.DataFrame({"a": [1.0], "b": ["zebra-canary"]}),
        pa.table({"a": [1.0], "b": ["zebra-canary"]}),
    ],
)
def test_text_is_refused_without_being_quoted(X: object) -> None:
    with pytest.raises(ParameterError, match="text where a number") as error:
        numeric_matrix(BaseEstimator(), X, reset=True)
    assert "zebra" not in str(error.value)
    assert f"in column {'2' if isinstance(X, np.ndarray) else 'b'}. Declare" in str(error.value)
    assert "from_study" in str(error.value)
    assert "OneHotEncoder(categories=" in str(error.value)
    assert error.value.__cause__ is None
    assert error.value.__context__ is None


def test_numbers_held_as_objects_are_numbers() -> None:
    assert numeric_matrix(
        BaseEstimator(), np.array([[1, 2.5]], dtype=object), reset=True
    ).tolist() == [[1.0, 2.5]]


def test_vectors_are_checked() -> None:
    assert vector("w", [1, 2], 2).tolist() == [1.0, 2.0]
    for bad, words in (
        ([1], "1 entries"),
        ([[1, 2]], "one-dim"),
        ([1, np.nan], "NaN"),
        (["q", "r"], "numbers"),
    ):
        with pytest.raises(ParameterError, match=words):
            vector("w", bad, 2)


def test_bounds_for_all_columns_or_for_each() -> None:
    assert bounds_per_column((0, 1), 3) == [(0.0, 1.0)] * 3
    assert bounds_per_column([(0, 1), (2, 3)], 2) == [(0.0, 1.0), (2.0, 3.0)]
    assert bounds_per_column(np.array([[0, 1], [2, 3]]), 2) == [(0.0, 1.0), (2.0, 3.0)]


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        (None, "missing: declare"),
        ([(0, 1)], "1 pairs and X has 2 columns"),
        ((1, 0), "not below"),
        ((0, np.inf), "finite"),
        ("01", "feature_bounds"),
        (3, "feature_bounds"),
    ],
)
def test_wrong_bounds_are_named(bounds: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        bounds_per_column(bounds, 2)


def test_every_text_column_is_named() -> None:
    texts = {f"t{j}": ["x"] for j in range(12)}
    with pytest.raises(ParameterError, match=r"columns t0, t1, .*t9 and 2 more"):
        numeric_matrix(BaseEstimator(), pd.DataFrame({"a": [1.0], **texts}), reset=True)
    numbers = pd.DataFrame({"a": ["1.5"], "b": [True], "c": pd.Categorical(["2"])})
    assert numeric_matrix(BaseEstimator(), numbers, reset=True).tolist() == [[1.5, 1.0, 2.0]]


def test_bounds_by_name_are_those_of_the_columns() -> None:
    by_name = {"b": (2, 3), "a": [0, 1]}
    assert bounds_per_column(by_name, 2, ["a", "b"]) == [(0.0, 1.0), (2.0, 3.0)]
    for bounds, names, words in (
        (by_name, None, "the columns of X have no names: give a data frame"),
        (
            {"a": (0, 1), "c": (0, 1), "d\ne": (0, 1)},
            ["a", "b"],
            r"no bounds for column b of X and names columns c, d\\ne, which X does not have",
        ),
        ({"a": (1, 0)}, ["a"], r"feature_bounds\['a'\]"),
    ):
        with pytest.raises(ParameterError, match=words):
            bounds_per_column(bounds, 2, names)
