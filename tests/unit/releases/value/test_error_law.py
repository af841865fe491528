"""The tail of normal plus Laplace against closed forms and against numerical convolution."""

import itertools

import numpy as np
import pytest
from scipy import integrate, stats

from dpwerm.releases.value.interval import upper_tail

X = np.array([-30.0, -3.0, -0.5, 0.0, 0.4, 1.0, 2.5, 6.0, 30.0])


def tail(variance: float, scales: list[float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    rows = np.broadcast_to(np.array(scales), (len(X), len(scales)))
    return upper_tail(X, np.full(len(X), variance), rows)


def test_normal_alone() -> None:
    np.testing.assert_allclose(tail(4.0, [0.0]), stats.norm.sf(X / 2), atol=1e-9)


def test_one_laplace_number_alone() -> None:
    np.testing.assert_allclose(tail(0.0, [1.0]), stats.laplace.sf(X), atol=1e-4)


def test_two_laplace_numbers() -> None:
    far = (2 + np.abs(X)) / 4 * np.exp(-np.abs(X))
    np.testing.assert_allclose(tail(0.0, [1.0, 1.0]), np.where(X >= 0, far, 1 - far), atol=1e-6)


@pytest.mark.parametrize(("variance", "scale"), [(1.0, 1.0), (0.05, 1.0), (1.0, 0.2)])
def test_normal_and_laplace_against_a_convolution(variance: float, scale: float) -> None:
    def density(z: float, x: float) -> float:
        return float(stats.laplace.pdf(z, scale=scale) * stats.norm.sf((x - z) / variance**0.5))

    for x, found in zip(X, tail(variance, [scale]), strict=True):
        # The density of a Laplace number has a kink at 0 and the normal tail falls at x.
        points = sorted({-60.0, 0.0, float(x) - 5, float(x), float(x) + 5, 60.0})
        exact = sum(
            integrate.quad(density, a, b, args=(x,))[0] for a, b in itertools.pairwise(points)
        )
        assert found == pytest.approx(exact, abs=2e-5)


def test_shapes_and_no_error_at_all() -> None:
    assert upper_tail(np.zeros((2, 3)), np.ones((2, 3)), np.ones((2, 3, 4))).shape == (2, 3)
    nothing = upper_tail(np.array([-1.0, 1.0]), np.zeros(2), np.zeros((2, 2)))
    assert nothing.tolist() == [1.0, 0.0]
