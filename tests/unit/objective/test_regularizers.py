import numpy as np
from flint import arb

from dpwerm.objective.regularizers import Ridge


def test_gradient_is_a_copy_without_error() -> None:
    theta = np.array([0.1, -3.0])
    gradient = Ridge().gradient(theta)
    gradient[0] = 7.0
    assert theta[0] == 0.1
    assert Ridge().gradient_error(theta).tolist() == [0.0, 0.0]


def test_balls_are_the_parameters_themselves() -> None:
    theta = [arb(0.1), arb(-3)]
    assert all(a.overlaps(b) for a, b in zip(Ridge().gradient_ball(theta), theta, strict=True))
