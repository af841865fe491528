import numpy as np
import pytest
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.regularizers import REGULARIZERS, Ridge, checked_matrix, get_regularizer


def test_gradient_is_a_copy_without_error() -> None:
    theta = np.array([0.1, -3.0])
    gradient = Ridge().gradient(theta)
    gradient[0] = 7.0
    assert theta[0] == 0.1
    assert Ridge().gradient_error(theta).tolist() == [0.0, 0.0]


def test_balls_are_the_parameters_themselves() -> None:
    theta = [arb(0.1), arb(-3)]
    assert all(a.overlaps(b) for a, b in zip(Ridge().gradient_ball(theta), theta, strict=True))


class Weak(Ridge):
    """A ridge in name: R = ¼‖θ‖² is not 1-strongly convex."""

    def matrix(self, p: int) -> FloatArray:
        return 0.5 * np.eye(p)


def test_what_inherits_ridge_is_checked_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGULARIZERS, "weak", Weak)
    with pytest.raises(ParameterError, match="at least the identity"):
        get_regularizer("weak")
    with pytest.raises(ParameterError, match="at least the identity"):
        checked_matrix(Weak(), 3)
    assert get_regularizer("ridge") == Ridge()
