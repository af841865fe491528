from typing import Any

import numpy as np
import pytest

from dpwerm.errors import ParameterError
from dpwerm.objective.rows import BLOCK_ROWS, Block, MemoryRows, every, rows_per_block

GOOD: dict[str, Any] = {
    "X": np.array([[0.5, -1.0], [0.25, 1.0], [0.0, 0.0]]),
    "targets": np.array([1.0, -1.0, 1.0]),
    "weights": np.array([0.0, 2.0, 1e12]),
    "intercept_scale": 2.0,
    "column_bounds": np.array([2.0, 0.5, 1.0]),
}


def test_scores_put_the_intercept_first() -> None:
    data = MemoryRows(**GOOD)
    theta = np.array([1.0, 2.0, 3.0])
    assert data.dimension == 3
    assert data.scores(theta).tolist() == [0.0, 5.5, 2.0]


def test_without_intercept_theta_has_only_features() -> None:
    data = MemoryRows(**(GOOD | {"intercept_scale": 0, "column_bounds": np.array([0.5, 1.0])}))
    assert data.pick(slice(1, 3)).scores(np.array([2.0, 3.0])).tolist() == [3.5, 0.0]


@pytest.mark.parametrize("n", [0, 1, BLOCK_ROWS, 300_000])
@pytest.mark.parametrize("d", [0, 1, 3])
def test_blocks_cover_every_row_once_at_multiples_of_1024(n: int, d: int) -> None:
    data = MemoryRows(np.zeros((n, d)), np.arange(n, dtype=float), np.ones(n), 1.0, np.ones(d + 1))
    blocks = list(data.map(lambda block: block.targets))
    assert [row for block in blocks for row in block.tolist()] == list(range(n))
    assert all(len(block) == rows_per_block(d) for block in blocks[:-1])
    assert rows_per_block(d) % BLOCK_ROWS == 0


def test_integers_and_strided_arrays_are_taken() -> None:
    X = np.asfortranarray(GOOD["X"])
    data = MemoryRows(**(GOOD | {"X": X, "targets": np.array([1, -1, 1])}))
    assert data.X.flags.c_contiguous
    assert data.targets.dtype == np.float64


def test_every_second_row_stands_for_two() -> None:
    sample = every(MemoryRows(**GOOD), 2)
    assert sample.X.tolist() == [[0.5, -1.0], [0.0, 0.0]]
    assert sample.weights.tolist() == [0.0, 2e12]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"X": np.zeros(3)}, "X must have two dimensions"),
        ({"targets": np.ones(2)}, "same number of rows"),
        ({"weights": np.ones(4)}, "same number of rows"),
        ({"X": np.full((3, 2), np.nan)}, "X must be finite"),
        ({"X": np.full((3, 2), np.inf)}, "X must be finite"),
        ({"X": np.array([[0.75, 0], [0, 0], [0, 0]])}, "within column_bounds"),
        ({"X": np.array([[-0.75, 0], [0, 0], [0, 0]])}, "within column_bounds"),
        ({"targets": np.array([1.0, np.inf, 1.0])}, "targets must be finite"),
        ({"targets": np.array([1.0, np.nan, 1.0])}, "targets must be finite"),
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
        MemoryRows(**(GOOD | change))
    assert "0.75" not in str(caught.value)


def test_a_stride_that_would_miss_positions_is_refused() -> None:
    with pytest.raises(ParameterError, match="stride must divide 1024"):
        every(MemoryRows(**GOOD), 3)


@pytest.mark.parametrize("height", [1, 7, 32, 5000])
def test_sums_in_parts_are_the_sums_of_the_parts(height: int) -> None:
    random = np.random.default_rng(1)
    block = Block(random.normal(size=(100, 3)), np.ones(100), np.ones(100), 0.3)
    a = random.normal(size=100)
    sums = block.pulls(a, height)
    assert len(sums) == -(-100 // height)
    for k, total in enumerate(sums):
        part = slice(k * height, (k + 1) * height)
        np.testing.assert_allclose(total, a[part] @ block.design()[part], atol=1e-13)
    np.testing.assert_allclose(block.pull(a), a @ block.design(), atol=1e-13)
    gram = (block.design().T * a**2) @ block.design()
    np.testing.assert_allclose(block.gram(a**2), gram, atol=1e-12)


def test_a_weight_that_would_overflow_in_a_sample_stays_finite() -> None:
    weights = np.array([1e308, 1.0, 1.0])
    sample = every(MemoryRows(**(GOOD | {"weights": weights})), 2)
    assert sample.weights.tolist() == [np.finfo(np.float64).max, 2.0]
