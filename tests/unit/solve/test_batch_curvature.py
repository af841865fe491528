import numpy as np
import pytest

from dpwerm.objective.losses import LOSSES, HuberisedHinge, Logistic, Loss
from dpwerm.solve.batch_newton import curvature

Z = np.linspace(-30, 30, 4002).reshape(2, 3, 667)


@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_that_offers_the_curvature_from_its_slope_tells_the_truth(name: str) -> None:
    loss = LOSSES[name]()
    bend = curvature(loss, Z, loss.derivative(Z))
    assert np.allclose(bend, loss.second_derivative(Z), rtol=0, atol=1e-12)


def test_short_steps_leave_the_curvature_as_it_is() -> None:
    loss = HuberisedHinge(0.5)
    slope = loss.derivative(Z)
    near = curvature(loss, Z, slope, np.full((2, 3), 0.1))
    assert np.array_equal(near, curvature(loss, Z, slope))


@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
def test_long_steps_see_the_mean_over_half_their_reach(loss: Loss) -> None:
    reach = np.full((2, 3), 0.1)
    reach[1, 2] = 20.0
    bend = curvature(loss, Z, loss.derivative(Z), reach)
    mean = (loss.derivative(Z[1, 2] + 10) - loss.derivative(Z[1, 2] - 10)) / 20
    assert np.allclose(bend[1, 2], mean, rtol=0, atol=1e-15)
    assert np.allclose(bend[0], loss.second_derivative(Z[0]), rtol=0, atol=1e-12)
    assert np.all(bend >= 0)
