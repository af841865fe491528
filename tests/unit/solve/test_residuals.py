"""Losses of residuals and penalty matrices: solved, certified, refutable; one or many at once."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from tests.unit.objective.residuals import Coupled, Huber

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.exact import growth
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss, form_of
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import QuadraticPenalty, Regularizer, Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.solve import batch_newton, gradient
from dpwerm.solve.batch import minimise_batch, minimise_path
from dpwerm.solve.batch_newton import Goal, Rounding
from dpwerm.solve.batch_problems import BatchProblems, Room
from dpwerm.solve.exact_newton import BallObjective, finish
from dpwerm.solve.gradient import proven_gradient
from dpwerm.solve.newton import minimise

GradientOf = Callable[[Objective, Sequence[Fraction | float]], list[Any]]
MinimiserOf = Callable[[Objective], list[Any]]
PENALTIES: list[Regularizer] = [Ridge(), Coupled(), Coupled(1e6, 0.25)]
FAR = Huber(2.0, 1e8)
"""Bends only where z is near 1e8, so that a residual is rounded where it matters most."""


def rows(n: int, d: int, loss: Loss, intercept: float = 0.7) -> MemoryRows:
    random = np.random.default_rng(n + d)
    X = random.uniform(-1, 1, (n, d))
    targets = X[:, :1].sum(axis=1) + random.normal(size=n)
    if not isinstance(loss, Huber):
        targets = np.where(targets > 0, 1.0, -1.0)
    elif loss.m:
        targets -= loss.m
    bounds = np.r_[intercept, np.ones(d)] if intercept else np.ones(d)
    return MemoryRows(X, targets, random.uniform(0, 1, n), intercept, bounds)


def miss(gradient: FloatArray, objective: Objective, theta: FloatArray, true: GradientOf) -> Any:
    """Return ‖computed − true ∇F‖ in 60 digits."""
    with mpmath.workdps(60):
        exact = true(objective, theta.tolist())
        pairs = zip(gradient.tolist(), exact, strict=True)
        return mpmath.norm([mpmath.mpf(a) - b for a, b in pairs]) if exact else mpmath.mpf(0)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("n", [0, 1, 40, 1500])
@pytest.mark.parametrize("loss", [Huber(0.3), FAR, Logistic()], ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_error_and_distance_hold(
    penalty: Regularizer, loss: Loss, n: int, size: float, true_gradient: GradientOf
) -> None:
    objective = Objective(rows(n, 3, loss), loss, 0.7, penalty)
    theta = size * np.random.default_rng(2).normal(size=4)
    claim = proven_gradient(objective, theta)
    assert miss(claim.gradient, objective, theta, true_gradient) <= claim.error
    norm = float(mpmath.norm(true_gradient(objective, theta.tolist())))
    assert norm / objective.gamma <= claim.distance


def without_one(k: int) -> float:
    """Return the growth of roundings, but nothing for a single one."""
    return 0.0 if k == 1 else growth(k)


def test_a_certificate_without_the_rounding_of_residuals_would_be_refuted(
    true_gradient: GradientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    objective = Objective(rows(40, 3, FAR), FAR, 1.0)
    theta = np.random.default_rng(2).normal(size=4)
    claim = proven_gradient(objective, theta)
    wrong = miss(claim.gradient, objective, theta, true_gradient)
    assert claim.error / 50 < wrong <= claim.error
    monkeypatch.setattr(gradient, "growth", without_one)
    assert wrong > proven_gradient(objective, theta).error


def cancelling() -> tuple[Coupled, FloatArray]:
    """Return a penalty matrix with entries of 1e12, and a θ for which they almost cancel in Mθ."""
    penalty, theta = Coupled(1e12), np.random.default_rng(5).normal(size=4)
    v = penalty.matrix(4)[0] - np.eye(4)[0]
    return penalty, theta - v * (v @ theta) / (v @ v)


def test_a_certificate_without_the_rounding_of_the_matrix_would_be_refuted(
    true_gradient: GradientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    penalty, theta = cancelling()
    objective = Objective(rows(0, 3, Logistic()), Logistic(), 1.0, penalty)
    claim = proven_gradient(objective, theta)
    wrong = miss(claim.gradient, objective, theta, true_gradient)
    assert wrong <= claim.error
    monkeypatch.setattr(QuadraticPenalty, "gradient_error", lambda _, t: np.zeros_like(t))
    assert wrong > proven_gradient(objective, theta).error


@pytest.mark.parametrize("gamma", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("loss", [Huber(0.3), FAR, HuberisedHinge(0.5)], ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_certified_distance_holds_against_50_digits(
    penalty: Regularizer, loss: Loss, gamma: float, true_minimiser: MinimiserOf
) -> None:
    objective = Objective(rows(25, 2, loss), loss, gamma, penalty)
    reference = true_minimiser(objective)
    for relative in (1e-6, 1e-14, 1e-30):
        solution = minimise(objective, relative / gamma)
        with mpmath.workdps(120):
            exact = [mpmath.mpf(t.numerator) / t.denominator for t in solution.theta]
            gap = mpmath.norm([a - b for a, b in zip(exact, reference, strict=True)])
            assert gap <= mpmath.mpf(solution.distance_bound) + mpmath.mpf(10) ** -49
        assert solution.distance_bound <= relative / gamma


@pytest.mark.parametrize("start", [[0.0, 0.0, 0.0], [1e9, -1e9, 3.0], [np.nan, np.inf, 0.0]])
def test_any_start_is_finished(start: list[float], true_gradient: GradientOf) -> None:
    objective = Objective(rows(30, 2, Huber(0.3)), Huber(0.3), 1e-9, Coupled())
    solution = finish(objective, np.array(start), 1e-40)
    with mpmath.workdps(120):
        norm = mpmath.norm(true_gradient(objective, solution.theta))
        assert norm <= objective.gamma * mpmath.mpf(solution.distance_bound) * (1 + 1e-40)


@pytest.mark.parametrize("targets", [1e12, 1e300])
def test_targets_of_any_size_are_solved(targets: float, true_gradient: GradientOf) -> None:
    data = rows(30, 2, Huber())
    objective = Objective(replace(data, targets=data.targets * targets), Huber(), 0.5)
    solution = minimise(objective, 1e-9)
    with mpmath.workdps(800):
        norm = mpmath.norm(true_gradient(objective, solution.theta))
        assert norm <= objective.gamma * mpmath.mpf(solution.distance_bound) * (1 + 1e-40)


def test_ball_gradient_encloses_the_true_one(true_gradient: GradientOf) -> None:
    objective = Objective(rows(700, 2, FAR), FAR, 0.3, Coupled())
    theta = [0.25, -1.5, 2.0]
    with mpmath.workdps(80):
        true = [mpmath.nstr(g, 70) for g in true_gradient(objective, theta)]
    with ctx.workprec(200):
        balls = BallObjective(objective).gradient([arb(t) for t in theta])
    with ctx.workprec(250):
        written = [arb(t) + arb(0, 1e-63) for t in true]
        assert all(ball.overlaps(t) for ball, t in zip(balls, written, strict=True))
        assert all(ball.rad() < 2.0**-150 for ball in balls)


def stacked(sets: int, n: int, loss: Loss, intercept: float = 0.7) -> BatchProblems:
    data = [rows(n, d, loss, intercept) for d in [3] * sets]
    random = np.random.default_rng(8)
    weights = np.array([one.weights for one in data]) * random.uniform(0.2, 1, (sets, n))
    targets = np.array([one.targets for one in data])
    return BatchProblems(np.array([one.X for one in data]), targets, weights, intercept)


def nearest(solution: FloatArray, objective: Objective, tolerance: float) -> float:
    """Return the distance from the single solver's point."""
    exact = minimise(objective, tolerance).theta
    return float(np.linalg.norm(solution - np.array([float(t) for t in exact])))


@pytest.mark.parametrize("intercept", [0.0, 0.7])
@pytest.mark.parametrize("loss", [Huber(0.3), Huber(2.0, 3.0), Logistic()], ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_many_at_once_end_where_one_does(
    penalty: Regularizer, loss: Loss, intercept: float
) -> None:
    batch, random = stacked(3, 60, loss, intercept), np.random.default_rng(1)
    gammas, linear_terms = [0.5, 2.0], random.normal(size=(2, 3, 6, batch.dimension))
    found = minimise_path(
        batch, loss, gammas, linear_terms=linear_terms, tolerance=1e-7, regularizer=penalty
    )
    assert np.all(found.distance <= 1e-7)
    for g, b, r in ((0, 0, 0), (1, 1, 3), (1, 2, 5)):
        linear_term = (linear_terms[g, b, r],)
        objective = Objective(batch.data(b), loss, gammas[g], penalty, linear_term)
        assert nearest(found.theta[g, b, r], objective, 1e-9) <= 1.01e-7
    alone = minimise_batch(
        batch, loss, 2.0, linear_term=linear_terms[1], tolerance=1e-7, regularizer=penalty
    )
    assert np.all(np.linalg.norm(alone.theta - found.theta[1], axis=-1) <= 2e-7)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("n", [0, 1, 40])
@pytest.mark.parametrize("loss", [Huber(0.3), FAR, Logistic()], ids=str)
@pytest.mark.parametrize("penalty", PENALTIES, ids=str)
def test_the_distance_of_many_covers_the_true_gradient(
    penalty: Regularizer, loss: Loss, n: int, size: float, true_gradient: GradientOf
) -> None:
    batch, random = stacked(2, n, loss), np.random.default_rng(2)
    theta, linear_term = size * random.normal(size=(2, 1, 4)), random.normal(size=(2, 1, 4))
    distance = claims(batch, loss, theta, Goal(*asked(linear_term), penalty.matrix(4)))
    for b in range(2):
        objective = Objective(batch.data(b), loss, 0.7, penalty, (linear_term[b, 0],))
        with mpmath.workdps(60):
            norm = mpmath.norm(true_gradient(objective, theta[b, 0].tolist()))
            assert norm / mpmath.mpf(objective.gamma) <= distance[b, 0]


def asked(linear_term: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    return np.full(linear_term.shape[:2], 0.7), linear_term, np.zeros(linear_term.shape[:2])


def claims(batch: BatchProblems, loss: Loss, theta: FloatArray, goal: Goal) -> FloatArray:
    """Return the certified distances of θ (B, R, p)."""
    form = form_of(loss)
    room = Room(batch.n_sets, batch.n_rows, batch.dimension, theta.shape[1])
    block = room.fill(batch, slice(0, batch.n_sets), form)
    data = block.gradient(loss.derivative(block.arguments(theta)))
    return Rounding.of(block, loss).distance(theta, data, goal)


def test_many_without_the_rounding_of_residuals_would_be_refuted(
    true_gradient: GradientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch, theta = stacked(1, 40, FAR), np.random.default_rng(2).normal(size=(1, 1, 4))
    room = Room(1, 40, 4, 1)
    block = room.fill(batch, slice(0, 1), "residual")
    # A linear term that leaves nothing of the gradient but its rounding.
    linear_term = -(0.7 * theta + block.gradient(FAR.derivative(block.arguments(theta))))
    objective = Objective(batch.data(0), FAR, 0.7, linear_term=(linear_term[0, 0],))
    with mpmath.workdps(60):
        true = mpmath.norm(true_gradient(objective, theta[0, 0].tolist())) / mpmath.mpf(0.7)
        assert true <= claims(batch, FAR, theta, Goal(*asked(linear_term)))[0, 0]
        monkeypatch.setattr(batch_newton, "growth", without_one)
        assert true > claims(batch, FAR, theta, Goal(*asked(linear_term)))[0, 0]


def test_many_without_the_rounding_of_the_matrix_would_be_refuted(
    true_gradient: GradientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    penalty, point = cancelling()
    batch, theta = stacked(1, 0, Logistic()), point[None, None]
    matrix = penalty.matrix(4)
    linear_term = -(0.7 * (theta @ matrix))
    objective = Objective(batch.data(0), Logistic(), 0.7, penalty, (linear_term[0, 0],))
    with mpmath.workdps(60):
        true = mpmath.norm(true_gradient(objective, point.tolist())) / mpmath.mpf(0.7)
        assert true <= claims(batch, Logistic(), theta, Goal(*asked(linear_term), matrix))[0, 0]
        monkeypatch.setattr(batch_newton, "growth", lambda k: 0.0)
        assert true > claims(batch, Logistic(), theta, Goal(*asked(linear_term), matrix))[0, 0]


def test_many_need_signs_for_margins_and_a_quadratic_penalty() -> None:
    batch = stacked(1, 5, Huber())
    with pytest.raises(ParameterError, match="targets must hold -1 and \\+1 only"):
        minimise_batch(batch, Logistic(), 1.0, tolerance=1e-6)

    class Other(Coupled):
        def matrix(self, p: int) -> Any:
            return None

    with pytest.raises(ParameterError, match="coupled is not quadratic"):
        minimise_batch(batch, Huber(), 1.0, tolerance=1e-6, regularizer=Other())
