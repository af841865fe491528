import numpy as np
import pytest

from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.solve import batch_problems as batch_block
from dpwerm.solve.batch_problems import BatchProblems, Room, numbers_kept


def problems(n: int, d: int, intercept: float) -> BatchProblems:
    random = np.random.default_rng(9)
    X = random.uniform(-1, 1, (3, n, d))
    y = random.choice([-1.0, 1.0], (3, n))
    return BatchProblems(X, y, random.uniform(0, 2, (3, n)), intercept)


@pytest.mark.parametrize("products", [True, False])
@pytest.mark.parametrize("intercept", [0.0, 0.6])
@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
def test_gradient_and_hessian_are_those_of_the_objective(
    loss: Loss, intercept: float, products: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not products:
        monkeypatch.setattr(batch_block, "_PRODUCTS", 0)
    batch = problems(25, 3, intercept)
    p = batch.dimension
    block = Room(3, 25, p, 2).fill(batch, slice(0, 3))
    assert (block.products is not None) == products
    theta = np.random.default_rng(1).normal(size=(3, 2, p))
    z = block.arguments(theta)
    gradient, hessian = block.gradient(loss.derivative(z)), block.hessian(loss.second_derivative(z))
    for b, r in np.ndindex(3, 2):
        there = Objective(batch.data(b), loss, 1.0).evaluate(theta[b, r])
        assert np.allclose(gradient[b, r] + theta[b, r], there.gradient, rtol=0, atol=1e-12)
        assert np.allclose(hessian[b, r] + np.eye(p), there.hessian, rtol=0, atol=1e-12)


def test_a_room_takes_fewer_sets_than_it_holds_and_can_be_used_again() -> None:
    batch = problems(10, 2, 1.0)
    room = Room(2, 10, 3, 1)
    first = room.fill(batch, slice(0, 2)).bounds.copy()
    last = room.fill(batch, slice(2, 4))
    assert last.rows.shape == (1, 3, 10)
    assert np.array_equal(last.bounds[0], batch.data(2).column_bounds)
    assert np.array_equal(first[1], batch.data(1).column_bounds)


def test_one_set_of_a_block_shares_its_memory() -> None:
    block = Room(3, 10, 3, 1).fill(problems(10, 2, 1.0), slice(0, 3))
    one = block.only(1)
    assert np.shares_memory(one.rows, block.rows)
    assert np.array_equal(one.weight, block.weight[1:2])


def test_a_step_moves_no_margin_further_than_its_reach() -> None:
    block = Room(3, 10, 3, 1).fill(problems(10, 2, 0.5), slice(0, 3))
    hop = np.random.default_rng(3).normal(size=(3, 4, 3))
    assert np.all(np.abs(block.arguments(hop)).max(axis=2) <= block.reach(hop) * (1 + 1e-12))


def test_products_are_kept_only_where_they_pay_off() -> None:
    assert numbers_kept(100, 5, 1) == 100 * (10 + 15)
    assert numbers_kept(100, 30, 1) == 100 * 60
    assert numbers_kept(100, 30, 20) == 100 * (60 + 465)
    assert numbers_kept(10**7, 5, 20) == 10**8
    assert numbers_kept(0, 5, 1) == 1
