"""The ellipsoid method reaches what Newton's steps zigzag around."""

import mpmath
import numpy as np
import pytest
from flint import arb, ctx

from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.solve import exact_newton
from dpwerm.solve.exact_newton import BallObjective, shrink
from dpwerm.solve.newton import minimise


def zigzag() -> Objective:
    """Three heavy rows whose kinks meet within 1e-19 of each other at the minimiser."""
    X = np.array([[-4.9335e-07, 0.0], [0.6680926633, 0.5], [1.78e-106, -3.56e-310]])
    weights = np.array([1.7997777602e11, 7.083630007e10, 6.306900290e11])
    data = MemoryRows(X, -np.ones(3), weights, 0.5, np.array([0.5, 1.0, 1.0]))
    return Objective(data, HuberisedHinge(0.14481999296457385), 3.957183007540393e-07)


@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), HuberisedHinge(1e-6), Logistic()], ids=str)
@pytest.mark.parametrize("p", [1, 2, 4])
def test_it_reaches_any_target(p: int, loss: Loss) -> None:
    rng = np.random.default_rng(p)
    data = MemoryRows(
        rng.uniform(-1, 1, (12, p)),
        rng.choice([-1.0, 1.0], 12),
        rng.uniform(0, 5, 12),
        0.0,
        np.ones(p),
    )
    balls = BallObjective(Objective(data, loss, 0.1))
    with ctx.workprec(256):
        theta = shrink(balls, [arb(3)] * p, arb(10) ** -30, 256)
        gradient = balls.gradient(theta)
        assert sum((g * g for g in gradient), arb(0)) <= arb(10) ** -60


def test_kinks_that_almost_coincide(monkeypatch: pytest.MonkeyPatch) -> None:
    objective = zigzag()
    called = []

    def counted(*arguments: object) -> list[arb]:
        called.append(1)
        return shrink(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(exact_newton, "shrink", counted)
    solution = minimise(objective, 4e-5)
    assert solution.distance_bound <= 4e-5
    # The claim, by hand: rows 1 and 3 pin the intercept at their kink, s₀θ₀ = −(1 + h).
    with mpmath.workdps(50):
        kink = mpmath.mpf(0.14481999296457385) + 1
        intercept = mpmath.mpf(solution.theta[0].numerator) / solution.theta[0].denominator
        assert abs(intercept + 2 * kink) < 1e-4
    assert called == [1]


def test_too_few_bits_are_doubled() -> None:
    balls = BallObjective(zigzag())
    with ctx.workprec(400):
        theta = shrink(balls, [arb(0)] * 3, arb(1e-14), 4)
        assert sum((g * g for g in balls.gradient(theta)), arb(0)) <= arb(1e-27)
