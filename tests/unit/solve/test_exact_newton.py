from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from dpwerm.arrays import FloatArray
from dpwerm.features.domain import Domain
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.solve import exact_newton
from dpwerm.solve.exact_newton import BallObjective, finish
from dpwerm.solve.newton import minimise

GradientOf = Callable[[Objective, Sequence[Fraction | float]], list[Any]]
LOSSES: list[Loss] = [HuberisedHinge(0.5), HuberisedHinge(1e-6), Logistic()]


def problem(loss: Loss, gamma: float, n: int = 30) -> Objective:
    random = np.random.default_rng(9)
    X = random.uniform(-1, 1, (n, 2))
    y = np.where(X[:, 0] + random.normal(size=n) > 0, 1.0, -1.0)
    data = MemoryRows(X, y, random.uniform(0, 1, n), 1.0, np.ones(3))
    return Objective(data, loss, gamma)


@pytest.mark.parametrize("start", [[0.0, 0.0, 0.0], [1e9, -1e9, 3.0], [np.nan, np.inf, 0.0]])
@pytest.mark.parametrize("gamma", [1e-9, 1.0])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_any_start_is_finished(
    loss: Loss, gamma: float, start: list[float], true_gradient: GradientOf
) -> None:
    objective = problem(loss, gamma)
    solution = finish(objective, np.array(start), 1e-40)
    with mpmath.workdps(120):
        norm = mpmath.norm(true_gradient(objective, solution.theta))
        assert norm <= objective.gamma * mpmath.mpf(solution.distance_bound) * (1 + 1e-40)
    assert solution.distance_bound <= 1e-40
    assert solution.bits >= 128


def test_theta_is_dyadic() -> None:
    for t in minimise(problem(Logistic(), 1.0), 1e-35).theta:
        assert t.denominator & (t.denominator - 1) == 0


def test_more_bits_are_taken_when_the_first_guess_is_too_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dpwerm.solve.exact_newton._first_bits", lambda *_: 64)
    solution = finish(problem(Logistic(), 1.0), np.zeros(3), 1e-50)
    assert solution.bits == 256
    assert solution.distance_bound <= 1e-50


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_ball_gradient_encloses_the_true_one(loss: Loss, true_gradient: GradientOf) -> None:
    objective = problem(loss, 0.3, n=700)
    theta = [0.25, -1.5, 2.0]
    with mpmath.workdps(80):
        true = [mpmath.nstr(g, 70) for g in true_gradient(objective, theta)]
    for bits in (40, 200):
        with ctx.workprec(bits):
            balls = BallObjective(objective).gradient([arb(t) for t in theta])
        with ctx.workprec(250):
            written = [arb(t) + arb(0, 1e-65) for t in true]
            assert all(ball.overlaps(t) for ball, t in zip(balls, written, strict=True))
            assert all(ball.rad() < 2.0 ** (20 - bits) for ball in balls)


def test_a_large_table_is_not_kept_as_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    objective = problem(Logistic(), 0.3, n=700)
    theta = [arb(1), arb(2), arb(3)]
    kept = BallObjective(objective).gradient(theta)
    monkeypatch.setattr("dpwerm.solve.exact_newton._KEEP", 0)
    streamed = BallObjective(objective).gradient(theta)
    assert all(a.overlaps(b) for a, b in zip(kept, streamed, strict=True))


def test_ball_hessian_is_near_the_double_one() -> None:
    objective = problem(Logistic(), 0.3)
    theta = [0.25, -1.5, 2.0]
    with ctx.workprec(200):
        balls = BallObjective(objective).hessian([arb(t) for t in theta], arb(2) ** -60)
    entries = np.array([[float(balls[j, k]) for k in range(3)] for j in range(3)])
    np.testing.assert_allclose(entries, objective.evaluate(np.array(theta)).hessian, rtol=1e-12)


@dataclass(frozen=True)
class Quartic:
    """R(θ) = ½‖θ‖² + ¼Σθ_j⁴: strongly convex, but with no Lipschitz gradient."""

    name: ClassVar[str] = "quartic"

    @property
    def parameters(self) -> dict[str, float]:
        return {}

    def value(self, theta: FloatArray) -> float:
        return float((theta**2 / 2 + theta**4 / 4).sum())

    def gradient(self, theta: FloatArray) -> FloatArray:
        return theta + theta**3

    def hessian(self, theta: FloatArray) -> FloatArray:
        return np.diag(1 + 3 * theta**2)

    def gradient_error(self, theta: FloatArray) -> FloatArray:
        slip: FloatArray = 1e-14 * (np.abs(theta) + np.abs(theta) ** 3)
        return slip

    def gradient_ball(self, theta: Sequence[arb]) -> list[arb]:
        return [t + t**3 for t in theta]

    def matrix(self, p: int) -> None:
        return None

    def leverage(self, domain: Domain) -> None:
        return None


@pytest.mark.parametrize("tolerance", [1e-6, 1e-40])
@pytest.mark.parametrize("gamma", [1e-6, 1.0, 1e6])
def test_another_regulariser_is_solved_and_certified(gamma: float, tolerance: float) -> None:
    ridge = problem(HuberisedHinge(0.5), gamma)
    objective = Objective(ridge.data, ridge.loss, gamma, Quartic())
    solution = minimise(objective, tolerance)
    assert solution.distance_bound <= tolerance
    with ctx.workprec(400):
        theta = [arb(t.numerator) / t.denominator for t in solution.theta]
        norm = sum((g * g for g in BallObjective(objective).gradient(theta)), arb(0)).sqrt()
        assert (norm / arb(gamma)).lower() <= solution.distance_bound
    assert (solution.bits > 53) == (tolerance * gamma < 1e-11)


def test_the_quartic_certificate_uses_the_declared_error() -> None:
    ridge = problem(HuberisedHinge(0.5), 1e6)
    objective = Objective(ridge.data, ridge.loss, 1e6, Quartic())
    assert minimise(objective, 1e-18).bits > 53


@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
def test_a_hessian_that_no_precision_can_invert_does_not_stop_it(
    loss: Loss, true_gradient: GradientOf
) -> None:
    """Equal rows so heavy that γ is lost beside them: their sum is singular in every precision."""
    labels, weights = np.array([1.0, -1.0, 1.0]), 1e100 * np.array([1.0, 0.7, 0.3])
    data = MemoryRows(np.full((3, 2), 0.5), labels, weights, 1.0, np.ones(3))
    objective, tolerance = Objective(data, loss, 1e-3), 3.4e97
    solution = minimise(objective, tolerance)
    with mpmath.workdps(250):
        norm = mpmath.norm(true_gradient(objective, solution.theta))
        assert norm <= objective.gamma * mpmath.mpf(solution.distance_bound) * (1 + 1e-15)
    assert solution.distance_bound <= tolerance


def test_what_rounding_hides_is_given_up_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step without a slope is not taken; an ellipsoid without a gradient asks for more bits."""
    data = MemoryRows(np.ones((1, 1)), np.ones(1), np.ones(1), 0.0, np.ones(1))
    balls = BallObjective(Objective(data, HuberisedHinge(0.5), 1.0))
    with ctx.workprec(32):
        here = exact_newton._point(balls, [arb(0)])
        monkeypatch.setattr(BallObjective, "gradient", lambda *_: [arb("nan")])
        assert exact_newton._step(balls, here, here.norm, arb(2) ** -10) is here
        monkeypatch.setattr(BallObjective, "gradient", lambda *_: [arb(1, 2)])
        assert exact_newton._halve(balls, [arb(0)], arb(1) / 8) is None
