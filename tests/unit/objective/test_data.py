from typing import Any

import numpy as np
import pytest

from dpwerm.errors import ParameterError
from dpwerm.objective.rows import BLOCK_ROWS, WeightedData

GOOD: dict[str, Any] = {
    "X": np.array([[0.5, -1.0], [0.25, 1.0], [0.0, 0.0]]),
    "y": np.array([1.0, -1.0, 1.0]),
    "weights": np.array([0.0, 2.0, 1e12]),
    "intercept_scale": 2.0,
    "column_bounds": np.array([2.0, 0.5, 1.0]),
}


def test_margins_put_the_intercept_first() -> None:
    data = WeightedData(**GOOD)
    theta = np.array([1.0, 2.0, 3.0])
    assert data.dimension == 3
    assert data.margins(theta, slice(None)).tolist() == [0.0, -5.5, 2.0]


def test_without_intercept_theta_has_only_features() -> None:
    data = WeightedData(**(GOOD | {"intercept_scale": 0, "column_bounds": np.array([0.5, 1.0])}))
    assert data.margins(np.array([2.0, 3.0]), slice(1, 3)).tolist() == [-3.5, 0.0]


@pytest.mark.parametrize("n", [0, 1, BLOCK_ROWS, 300_000])
@pytest.mark.parametrize("d", [0, 1, 3])
def test_chunks_cover_every_row_once_in_whole_blocks(n: int, d: int) -> None:
    data = WeightedData(np.zeros((n, d)), np.ones(n), np.ones(n), 1.0, np.ones(d + 1))
    chunks = list(data.chunks())
    assert [row for chunk in chunks for row in range(chunk.start, chunk.stop)] == list(range(n))
    assert all((chunk.stop - chunk.start) % BLOCK_ROWS == 0 for chunk in chunks[:-1])


def test_integers_and_strided_arrays_are_taken() -> None:
    X = np.asfortranarray(GOOD["X"])
    data = WeightedData(**(GOOD | {"X": X, "y": np.array([1, -1, 1])}))
    assert data.X.flags.c_contiguous
    assert data.y.dtype == np.float64


def test_every_second_row_stands_for_two() -> None:
    sample = WeightedData(**GOOD).every(2)
    assert sample.X.tolist() == [[0.5, -1.0], [0.0, 0.0]]
    assert sample.weights.tolist() == [0.0, 2e12]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"X": np.zeros(3)}, "X must have two dimensions"),
        ({"y": np.ones(2)}, "same number of rows"),
        ({"weights": np.ones(4)}, "same number of rows"),
        ({"X": np.full((3, 2), np.nan)}, "X must be finite"),
        ({"X": np.full((3, 2), np.inf)}, "X must be finite"),
        ({"X": np.array([[0.75, 0], [0, 0], [0, 0]])}, "within column_bounds"),
        ({"X": np.array([[-0.75, 0], [0, 0], [0, 0]])}, "within column_bounds"),
        ({"y": np.array([1.0, 0.0, 1.0])}, "y must hold"),
        ({"y": np.array([1.0, np.nan, 1.0])}, "y must hold"),
        ({"weights": np.array([1.0, -1.0, 1.0])}, "weights must be"),
        ({"weights": np.array([1.0, np.inf, 1.0])}, "weights must be"),
        ({"weights": np.array([1.0, np.nan, 1.0])}, "weights must be"),
        ({"intercept_scale": -1.0}, "intercept_scale must be"),
        ({"intercept_scale": np.nan}, "intercept_scale must be"),
        ({"column_bounds": np.ones(2)}, "one entry per entry of theta"),
        ({"column_bounds": np.array([2.0, np.inf, 1.0])}, "column_bounds must be finite"),
        ({"column_bounds": np.array([1.0, 0.5, 1.0])}, "start with the intercept"),
    ],
)
def test_rows_that_do_not_fit_are_refused_without_quoting_them(
    change: dict[str, Any], named: str
) -> None:
    with pytest.raises(ParameterError, match=named) as caught:
        WeightedData(**(GOOD | change))
    assert "0.75" not in str(caught.value)
