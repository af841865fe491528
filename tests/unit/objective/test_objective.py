from dataclasses import replace

import numpy as np
import pytest
from tests.unit.objective.residuals import Coupled, Huber

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows

LOSSES: list[Loss] = [HuberisedHinge(0.7), Logistic()]


def rows(n: int, d: int, intercept: float = 0.5) -> MemoryRows:
    random = np.random.default_rng(n + d)
    bounds = np.ones(d + 1) if intercept else np.ones(d)
    X, y = random.uniform(-1, 1, (n, d)), random.choice([-1.0, 1.0], n)
    return MemoryRows(X, y, random.uniform(0, 3, n), intercept, bounds)


def plain(objective: Objective, theta: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """F, ∇F, ∇²F with the intercept stored and no chunks."""
    data, loss, gamma = objective.data, objective.loss, objective.gamma
    assert isinstance(data, MemoryRows)
    X = data.X
    if data.intercept_scale:
        X = np.column_stack([np.full(len(X), data.intercept_scale), X])
    z = data.targets * (X @ theta)
    value = float(data.weights @ loss.value(z)) + gamma * float(theta @ theta) / 2
    gradient = (data.weights * data.targets * loss.derivative(z)) @ X + gamma * theta
    hessian = (X.T * (data.weights * loss.second_derivative(z))) @ X + gamma * np.eye(len(theta))
    return value, gradient, hessian


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize(("n", "d"), [(0, 2), (1, 1), (50, 3), (70_000, 4), (3000, 60)])
@pytest.mark.parametrize("intercept", [0.0, 0.5])
def test_chunks_add_up_to_the_formula(loss: Loss, n: int, d: int, intercept: float) -> None:
    objective = Objective(rows(n, d, intercept), loss, 2.0, Ridge())
    theta = np.random.default_rng(3).normal(size=objective.data.dimension)
    here = objective.evaluate(theta)
    value, gradient, hessian = plain(objective, theta)
    assert here.value == pytest.approx(value, rel=1e-11)
    np.testing.assert_allclose(here.gradient, gradient, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(here.hessian, hessian, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_gradient_is_the_slope_of_the_value(loss: Loss) -> None:
    objective = Objective(rows(40, 2), loss, 0.1)
    theta, step = np.array([0.2, -0.4, 0.9]), 1e-6
    here = objective.evaluate(theta)
    for j in range(3):
        up, down = theta + step * np.eye(3)[j], theta - step * np.eye(3)[j]
        rise = objective.evaluate(up).value - objective.evaluate(down).value
        assert rise / (2 * step) == pytest.approx(here.gradient[j], rel=1e-6)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_linear_term_adds_a_linear_function(loss: Loss) -> None:
    flat = Objective(rows(40, 2), loss, 0.1)
    high, low = np.array([1.0, -2.0, 0.5]), np.array([1e-3, 0.0, -1e-3])
    perturbed, theta = replace(flat, linear_term=(high, low)), np.array([0.2, -0.4, 0.9])
    one, other = flat.evaluate(theta), perturbed.evaluate(theta)
    assert other.value - one.value == pytest.approx((high + low) @ theta)
    np.testing.assert_allclose(other.gradient - one.gradient, high + low)
    np.testing.assert_array_equal(other.hessian, one.hessian)


@pytest.mark.parametrize("part", [np.zeros(2), np.array([0.0, np.nan, 0.0]), np.zeros((3, 1))])
def test_a_linear_term_of_another_shape_or_not_finite_is_refused(part: FloatArray) -> None:
    with pytest.raises(ParameterError, match="linear term must hold finite vectors"):
        Objective(rows(3, 2), Logistic(), 1.0, linear_term=(part,))


def test_a_window_averages_the_curvature() -> None:
    data = MemoryRows(np.ones((1, 1)), np.ones(1), np.ones(1), 0.0, np.ones(1))
    objective = Objective(data, HuberisedHinge(0.5), 1.0)
    assert objective.evaluate(np.zeros(1)).hessian[0, 0] == 1.0
    assert objective.evaluate(np.zeros(1), window=1.0).hessian[0, 0] == 1.25


@pytest.mark.parametrize("gamma", [0.0, -1.0, np.nan, np.inf])
def test_gamma_outside_its_range_is_refused(gamma: float) -> None:
    with pytest.raises(ParameterError, match="gamma must be"):
        Objective(rows(3, 1), Logistic(), gamma)


@pytest.mark.parametrize("target", [0.0, 2.0, -0.5])
def test_a_margin_loss_needs_signs_and_a_loss_of_residuals_does_not(target: float) -> None:
    data = MemoryRows(np.ones((2, 1)), np.array([1.0, target]), np.ones(2), 0.0, np.ones(1))
    with pytest.raises(ParameterError, match="targets must hold -1 and \\+1 only"):
        Objective(data, Logistic(), 1.0)
    assert Objective(data, Huber(), 1.0).residual


@pytest.mark.parametrize(("n", "d"), [(0, 2), (50, 3), (70_000, 4)])
@pytest.mark.parametrize("intercept", [0.0, 0.5])
def test_residuals_and_a_penalty_matrix_add_up_to_the_formula(
    n: int, d: int, intercept: float
) -> None:
    loss, random = Huber(0.7), np.random.default_rng(5)
    data = replace(rows(n, d, intercept), targets=3 * random.normal(size=n))
    objective = Objective(data, loss, 2.0, Coupled(0.5, 0.25))
    p = data.dimension
    theta, M = random.normal(size=p), Coupled(0.5, 0.25).matrix(p)
    X, w = data.design(), data.weights
    r = X @ theta - data.targets
    here = objective.evaluate(theta)
    value = np.where(np.abs(r) <= 0.7, r**2 / 2, 0.7 * np.abs(r) - 0.7**2 / 2)
    assert here.value == pytest.approx(float(w @ value + theta @ M @ theta), rel=1e-11)
    gradient = (w * np.clip(r, -0.7, 0.7)) @ X + 2 * M @ theta
    np.testing.assert_allclose(here.gradient, gradient, rtol=1e-9, atol=1e-9)
    hessian = (X.T * (w * (np.abs(r) <= 0.7))) @ X + 2 * M
    np.testing.assert_allclose(here.hessian, hessian, rtol=1e-9, atol=1e-9)


def test_a_matrix_below_the_identity_is_refused_where_it_is_used() -> None:
    data = rows(3, 4)
    with pytest.raises(ParameterError, match="at least the identity"):
        Objective(data, Logistic(), 1.0, Coupled(-0.125))
