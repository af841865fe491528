import numpy as np
import pytest

from dpwerm.solve.gradient import solve_positive


def test_a_good_matrix_is_solved() -> None:
    matrix = np.array([[4.0, 1.0], [1.0, 3.0]])
    solution = solve_positive(matrix, np.array([1.0, 2.0]), 1.0)
    np.testing.assert_allclose(matrix @ solution, [1.0, 2.0])


def test_an_indefinite_matrix_is_raised_to_the_floor() -> None:
    matrix = np.diag([2.0, -1e-20])
    assert solve_positive(matrix, np.array([2.0, 3.0]), 0.5) == pytest.approx([1.0, 6.0])


def test_a_matrix_that_overflowed_falls_back_to_the_gradient() -> None:
    matrix = np.array([[np.inf, 0.0], [0.0, 1.0]])
    assert solve_positive(matrix, np.array([2.0, 3.0]), 0.5).tolist() == [4.0, 6.0]


def test_no_unknowns() -> None:
    assert solve_positive(np.zeros((0, 0)), np.zeros(0), 1.0).shape == (0,)
