import numpy as np
import pytest

from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.solve import batch_newton
from dpwerm.solve.batch_newton import Goal, descend, model_at_zero
from dpwerm.solve.batch_problems import BatchProblems, Block, Room


def block(n: int = 40, sets: int = 6) -> Block:
    random = np.random.default_rng(4)
    X = random.uniform(-1, 1, (sets, n, 2))
    y = np.where(X[:, :, 0] + random.normal(size=(sets, n)) > 0, 1.0, -1.0)
    problems = BatchProblems(X, y, random.uniform(0, 1, (sets, n)), 1.0)
    return Room(sets, n, 3, 4).fill(problems, slice(0, sets))


def asked(sets: int, replicates: int, tolerance: float = 1e-9) -> Goal:
    random = np.random.default_rng(5)
    shape = (sets, replicates)
    gamma = 10.0 ** random.uniform(-2, 2, shape)
    return Goal(gamma, random.normal(size=(*shape, 3)), np.full(shape, tolerance))


@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
def test_the_model_at_zero_is_the_model_there(loss: Loss) -> None:
    data = block()
    zero = model_at_zero(data, loss)
    slope = data.gradient(loss.derivative(data.arguments(np.zeros((6, 1, 3)))))
    assert np.allclose(zero.slope, slope, rtol=0, atol=1e-12)
    assert np.all(np.linalg.eigvalsh(zero.bend) > 0)
    many = zero.repeat(4)
    assert many.theta.shape == (6, 4, 3)
    assert np.array_equal(many.bend[:, 3], zero.bend[:, 0])


@pytest.mark.parametrize("few", [1, 2, 5, 1000])
@pytest.mark.parametrize("loss", [HuberisedHinge(0.05), Logistic()], ids=str)
def test_whenever_problems_part_all_arrive(
    loss: Loss, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch_newton, "_FEW", max(2, few))
    data, want = block(), asked(6, 4)
    model = descend(data, loss, want, model_at_zero(data, loss).repeat(4))
    assert np.all(model.distance <= want.tolerance)
    slope = data.gradient(loss.derivative(data.arguments(model.theta)))
    force = slope + want.gamma[:, :, None] * model.theta + want.linear_term
    assert np.all(np.linalg.norm(force, axis=2) <= want.gamma * want.tolerance)
    assert np.allclose(model.slope, slope, rtol=0, atol=1e-10)


def test_what_doubles_cannot_certify_is_not_tried() -> None:
    data, want = block(), asked(6, 4, 1e-30)
    model = descend(data, Logistic(), want, model_at_zero(data, Logistic()).repeat(4))
    assert np.all(model.distance > want.tolerance)


def test_some_impossible_problems_do_not_hold_up_the_others() -> None:
    data, want = block(), asked(6, 4)
    want.tolerance[:, 1:] = 1e-30
    model = descend(data, Logistic(), want, model_at_zero(data, Logistic()).repeat(4))
    assert np.all(model.distance[:, 0] <= 1e-9)


def test_a_matrix_made_singular_by_rounding_still_gives_a_descent() -> None:
    matrix = np.array([[[1.0, 1.0], [1.0, 1.0]]])[None]
    force = np.array([[[1.0, -1.0]]])
    step = batch_newton._newton(matrix, force, np.full((1, 1, 1), 1e-3))
    assert float((step * force).sum()) < 0
    assert np.allclose(step, [[[-1e3, 1e3]]])
