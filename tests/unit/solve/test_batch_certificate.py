"""The batch certificate: true against 60 digits, tight on easy problems, refutable if broken."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.solve import batch_newton as batch_certificate
from dpwerm.solve.batch_newton import Goal, Rounding
from dpwerm.solve.batch_problems import BatchProblems, Block, Room

GradientOf = Callable[[Objective, Sequence[Fraction | float]], list[Any]]


def setting(n: int, seed: int) -> tuple[BatchProblems, Block]:
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (2, n, 3))
    y = np.where(X[:, :, 0] + random.normal(size=(2, n)) > 0, 1.0, -1.0)
    problems = BatchProblems(X, y, random.uniform(0, 1, (2, n)), 0.7)
    return problems, Room(2, n, 4, 3).fill(problems, slice(0, 2))


def claims(
    block: Block, loss: Loss, theta: FloatArray, linear_term: FloatArray, gamma: FloatArray
) -> FloatArray:
    """Return the certified distances of θ (2, R, 4)."""
    data = block.gradient(loss.derivative(block.arguments(theta)))
    return Rounding.of(block, loss).distance(
        theta, data, Goal(gamma, linear_term, np.zeros_like(gamma))
    )


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("n", [0, 1, 40, 1500])
@pytest.mark.parametrize("loss", [HuberisedHinge(1e-3), HuberisedHinge(0.5), Logistic()], ids=str)
def test_the_distance_covers_the_true_gradient(
    loss: Loss, n: int, size: float, true_gradient: GradientOf
) -> None:
    problems, block = setting(n, n)
    random = np.random.default_rng(2)
    theta, linear_term = size * random.normal(size=(2, 2, 4)), random.normal(size=(2, 2, 4))
    gamma = np.array([[1e-3, 0.7], [3.0, 1e5]])
    distance = claims(block, loss, theta, linear_term, gamma)
    for b, r in np.ndindex(2, 1 if n > 100 else 2):
        objective = Objective(
            problems.data(b), loss, float(gamma[b, r]), linear_term=(linear_term[b, r],)
        )
        with mpmath.workdps(60):
            norm = mpmath.norm(true_gradient(objective, theta[b, r].tolist()))
            true = norm / mpmath.mpf(objective.gamma)
            assert true <= distance[b, r] <= true * (1 + 1e-9) + 1e-7 * size / gamma[b, r]


def settled(n: int, loss: Loss, seed: int) -> tuple[BatchProblems, Block, FloatArray]:
    """Return problems with a point where the computed gradient is almost nothing but rounding."""
    problems, block = setting(n, seed)
    theta = 1e3 * np.random.default_rng(seed).normal(size=(2, 1, 4))
    gradient = block.gradient(loss.derivative(block.arguments(theta)))
    return problems, block, -(theta + gradient)


def test_the_bound_without_its_error_terms_is_refuted(
    monkeypatch: pytest.MonkeyPatch, true_gradient: GradientOf
) -> None:
    loss = HuberisedHinge(1e-3)
    monkeypatch.setattr(batch_certificate, "growth", lambda k: 0.0)
    monkeypatch.setattr(batch_certificate, "U", 0.0)
    refuted = 0
    for seed in range(5):
        problems, block, linear_term = settled(60, loss, seed)
        theta = 1e3 * np.random.default_rng(seed).normal(size=(2, 1, 4))
        distance = claims(block, loss, theta, linear_term, np.ones((2, 1)))
        for b in range(2):
            objective = Objective(problems.data(b), loss, 1.0, linear_term=(linear_term[b, 0],))
            with mpmath.workdps(60):
                norm = mpmath.norm(true_gradient(objective, theta[b, 0].tolist()))
                refuted += bool(norm > distance[b, 0])
    assert refuted


def test_the_distance_is_exact_where_only_the_ridge_acts() -> None:
    problems = BatchProblems(np.ones((1, 3, 1)), np.ones((1, 3)), np.zeros((1, 3)), 0.0)
    block = Room(1, 3, 1, 1).fill(problems, slice(0, 1))
    for gamma in (1e-12, 0.1, 1e12):
        theta, none = np.full((1, 1, 1), 0.3), np.zeros((1, 1, 1))
        distance = claims(block, Logistic(), theta, none, np.full((1, 1), gamma))
        assert 0.3 <= distance[0, 0] <= 0.3 * (1 + 1e-11)


def test_numbers_that_overflow_certify_nothing() -> None:
    _, block = setting(5, 1)
    theta, none = np.full((2, 1, 4), 1e308), np.zeros((2, 1, 4))
    with np.errstate(all="ignore"):
        distance = claims(block, Logistic(), theta, none, np.full((2, 1), 1e12))
    assert not np.any(distance <= 1e300)


def test_a_target_below_every_rounding_error_is_not_permitted() -> None:
    _, block = setting(40, 1)
    rounding = Rounding.of(block, Logistic())
    assert (
        rounding.permits(np.array([[1e-30, 1e-6], [1e-30, 1e-6]])).tolist() == [[False, True]] * 2
    )
