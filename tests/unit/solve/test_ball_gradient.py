from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb, fmpq

from dpwerm.exact import precision
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.solve.exact_newton import BallObjective


@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
@pytest.mark.parametrize("intercept", [0.0, 0.5])
def test_the_balls_hold_the_gradient_in_doubles(loss: Loss, intercept: float) -> None:
    rng = np.random.default_rng(4)
    bounds = np.ones(3) if not intercept else np.array([intercept, 1.0, 1.0, 1.0])
    data = MemoryRows(
        rng.uniform(-1, 1, (40, 3)),
        rng.choice([-1.0, 1.0], 40),
        rng.uniform(0, 2, 40),
        intercept,
        bounds,
    )
    objective = Objective(data, loss, 0.7)
    theta = rng.normal(size=len(bounds))
    with precision(200):
        balls = BallObjective(objective).gradient([arb(t) for t in theta.tolist()])
        middle = np.array([float(ball.mid()) for ball in balls])
        widest = max(float(ball.rad()) for ball in balls)
    assert widest < 1e-50
    assert np.allclose(middle, objective.evaluate(theta).gradient, rtol=1e-12, atol=1e-12)


def test_a_linear_term_is_added_exactly() -> None:
    data = MemoryRows(np.ones((1, 2)), np.ones(1), np.ones(1), 0.0, np.ones(2))
    plain = Objective(data, Logistic(), 0.7)
    parts = (np.array([0.1, -3e9]), np.array([2.0**-70, 1e-9]))
    with precision(300):
        theta = [arb(0.3), arb(-2.0)]
        before = BallObjective(plain).gradient(theta)
        after = BallObjective(replace(plain, linear_term=parts)).gradient(theta)
        for j, (one, other) in enumerate(zip(before, after, strict=True)):
            added = sum((Fraction(float(part[j])) for part in parts), Fraction(0))
            assert (other - one).contains(arb(fmpq(added.numerator, added.denominator)))
            assert other.rad() < 1e-60
