"""However the blocks of the rows are spread, every sum, point and release has the same bits."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.mechanisms.perturbed_cases import BLOCKS, facts
from tests.unit.objective.residuals import Huber, Spread

from dpwerm.mechanisms import get_mechanism
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows, every
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import SeededBits
from dpwerm.solve.exact_newton import finish
from dpwerm.solve.gradient import proven_gradient
from dpwerm.solve.newton import minimise


def both(loss: Loss, n: int, d: int) -> tuple[Objective, Objective]:
    random = np.random.default_rng(n)
    X = random.uniform(-1, 1, (n, d))
    targets = np.where(X[:, 0] + random.normal(size=n) > 0, 1.0, -1.0)
    arrays: tuple[Any, ...] = X, targets, random.uniform(0, 1, n), 0.7, np.r_[0.7, np.ones(d)]
    return Objective(MemoryRows(*arrays), loss, 3.0), Objective(Spread(*arrays), loss, 3.0)


LOSSES: list[Loss] = [HuberisedHinge(0.5), Huber(0.3)]


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_every_sum_has_the_same_bits(loss: Loss) -> None:
    one, other = both(loss, 40_000, 40)
    assert len(list(one.data.map(len_of))) > 5
    theta = np.random.default_rng(1).normal(size=41)
    mine, its = one.evaluate(theta), other.evaluate(theta)
    assert mine.value == its.value
    assert np.array_equal(mine.gradient, its.gradient)
    assert np.array_equal(mine.hessian, its.hessian)
    left, right = proven_gradient(one, theta), proven_gradient(other, theta)
    assert np.array_equal(left.gradient, right.gradient)
    assert (left.error, left.distance) == (right.error, right.distance)
    assert np.array_equal(every(one.data, 16).X, every(other.data, 16).X)


def len_of(block: Any) -> int:
    return int(block.n_rows)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_solution_has_the_same_bits(loss: Loss) -> None:
    one, other = both(loss, 40_000, 40)
    assert minimise(one, 1e-9) == minimise(other, 1e-9)


def test_the_solution_in_balls_has_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpwerm.objective.rows.CHUNK_NUMBERS", 2**10)
    one, other = both(Logistic(), 3000, 2)
    kept = finish(one, np.zeros(3), 1e-25)
    assert kept == finish(other, np.zeros(3), 1e-25)
    monkeypatch.setattr("dpwerm.solve.exact_newton._KEEP", 0)
    assert kept == finish(other, np.zeros(3), 1e-25)


@pytest.mark.parametrize("name", ["gaussian", "spherical-laplace", "objective-block"])
def test_a_release_has_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpwerm.objective.rows.CHUNK_NUMBERS", 2**10)
    bounds = np.array([bound for width, bound in BLOCKS for _ in range(width)])
    random = np.random.default_rng(4)
    X = random.uniform(-1, 1, (5000, 5)) * bounds[1:] / 3
    arrays: tuple[Any, ...] = X, np.sign(X[:, 0]), random.uniform(0, 3, 5000), 0.5, bounds
    mechanism = get_mechanism(name)
    budget = Budget.of(1, "1e-6" if name == "gaussian" else 0)
    plan = mechanism.calibrate(facts(Relation.ADD_REMOVE), budget)
    objective = Objective(MemoryRows(*arrays), Logistic(), 110.0)
    spread = replace(objective, data=Spread(*arrays))
    released = mechanism.run(objective, plan, SeededBits(3))
    assert released == mechanism.run(spread, plan, SeededBits(3))


@pytest.mark.parametrize("case", ["a heavy weight", "a row outside"])
def test_one_bad_row_in_the_last_block_is_found(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpwerm.objective.rows.CHUNK_NUMBERS", 2**10)
    bounds = np.array([bound for width, bound in BLOCKS for _ in range(width)])
    X, weights = np.zeros((5000, 5)), np.ones(5000)
    if case == "a heavy weight":
        weights[-1] = 3.001
    else:
        X[-1, 1:4] = 0.5
    mechanism = get_mechanism("gaussian")
    plan = mechanism.calibrate(facts(Relation.ADD_REMOVE), Budget.of(1, "1e-6"))
    data = Spread(X, np.ones(5000), weights, 0.5, bounds)
    with pytest.raises(Exception, match=r"weight_bound|outside the calibration"):
        mechanism.run(Objective(data, Logistic(), 110.0), plan, SeededBits(3))
