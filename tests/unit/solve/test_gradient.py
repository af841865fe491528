"""The double certificate: true on hard problems, tight on easy ones, and refutable if broken."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from tests.unit.solve.losses import Plain

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.solve import gradient
from dpwerm.solve.gradient import proven_gradient

GradientOf = Callable[[Objective, Sequence[Fraction | float]], list[Any]]


def problem(n: int, d: int, loss: Loss, seed: int, gamma: float = 1.0) -> Objective:
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (n, d))
    y = np.where(X[:, 0] + random.normal(size=n) > 0, 1.0, -1.0)
    data = MemoryRows(X, y, random.uniform(0, 1, n), 0.7, np.r_[0.7, np.ones(d)])
    return Objective(data, loss, gamma)


def miss(objective: Objective, theta: FloatArray, true_gradient: GradientOf) -> float:
    """Return ‖computed − true gradient‖₂."""
    computed = proven_gradient(objective, theta).gradient.tolist()
    with mpmath.workdps(60):
        true = true_gradient(objective, theta.tolist())
        return float(mpmath.norm([mpmath.mpf(a) - b for a, b in zip(computed, true, strict=True)]))


@pytest.mark.parametrize("block_rows", [1, 32, 1024])
@pytest.mark.parametrize("n", [0, 31, 32, 33, 1500])
def test_blocks_of_any_height_err_as_little_as_is_said(
    n: int, block_rows: int, true_gradient: GradientOf
) -> None:
    objective = problem(n, 3, HuberisedHinge(0.5), n)
    theta = np.array([0.3, -1.0, 2.0, 0.1])
    claim = proven_gradient(objective, theta, block_rows)
    with mpmath.workdps(60):
        true = true_gradient(objective, theta.tolist())
        computed = claim.gradient.tolist()
        wrong = mpmath.norm([mpmath.mpf(a) - b for a, b in zip(computed, true, strict=True)])
        assert wrong <= claim.error
    assert claim.error <= proven_gradient(objective, theta).error


def test_low_blocks_make_a_smaller_error_of_many_rows() -> None:
    objective, theta = problem(100_000, 3, HuberisedHinge(0.5), 1), np.zeros(4)
    assert (
        10 * proven_gradient(objective, theta, 32).error < proven_gradient(objective, theta).error
    )


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("n", [0, 1, 40, 1500])
@pytest.mark.parametrize("loss", [HuberisedHinge(1e-3), HuberisedHinge(0.5), Logistic()], ids=str)
def test_error_and_distance_hold(
    loss: Loss, n: int, size: float, true_gradient: GradientOf
) -> None:
    objective = problem(n, 3, loss, n)
    theta = size * np.random.default_rng(2).normal(size=4)
    claim = proven_gradient(objective, theta)
    assert miss(objective, theta, true_gradient) <= claim.error
    norm = float(mpmath.norm(true_gradient(objective, theta.tolist())))
    assert norm / objective.gamma <= claim.distance


def test_distance_is_exact_where_only_the_regulariser_acts() -> None:
    data = MemoryRows(np.ones((3, 1)), np.ones(3), np.zeros(3), 0.0, np.ones(1))
    for gamma in (1e-12, 0.1, 1e12):
        claim = proven_gradient(Objective(data, Logistic(), gamma), np.array([0.3]))
        assert 0.3 <= claim.distance <= 0.3 * (1 + 1e-11)


def near_corner(loss: Loss) -> tuple[Objective, FloatArray]:
    """Return rows of size 1e-3 with margins near 1 that are sums of terms of size 1e5."""
    random = np.random.default_rng(4)
    theta = 1e8 * np.array([1.0, 1.3, -0.7])
    X = 1e-3 * random.uniform(-1, 1, (50, 3))
    X[:, 2] = (X[:, :2] @ theta[:2] - 1 - 0.4 * random.uniform(-1, 1, 50)) / -theta[2]
    bounds = np.abs(X).max(axis=0)
    data = MemoryRows(X, np.ones(50), np.ones(50), 0.0, bounds)
    return Objective(data, loss, 1e-12), theta


def test_a_certificate_without_the_margin_term_would_be_refuted(true_gradient: GradientOf) -> None:
    honest = HuberisedHinge(0.5)
    objective, theta = near_corner(honest)
    wrong = miss(objective, theta, true_gradient)
    assert wrong <= proven_gradient(objective, theta).error
    boastful = Plain(honest, claimed_smoothness=1e-12)
    assert wrong > proven_gradient(near_corner(boastful)[0], theta).error


def one_row(loss: Loss, weight: float, z: float) -> Objective:
    data = MemoryRows(np.ones((1, 1)), np.ones(1), np.array([weight]), 0.0, np.ones(1))
    assert (data.scores(np.array([z])) * data.targets).tolist() == [z]
    return Objective(data, loss, 1e-12)


def test_a_certificate_without_the_derivative_error_would_be_refuted(
    true_gradient: GradientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = HuberisedHinge(0.3)
    boastful = Plain(honest, 1e-12, 0.0)
    margins = np.random.default_rng(3).uniform(1.25, 1.3, 200)
    monkeypatch.setattr(gradient, "BLOCK_ROWS", 1)
    refuted = 0
    for z in margins.tolist():
        theta = np.array([z])
        wrong = miss(one_row(honest, 1.0, z), theta, true_gradient)
        assert wrong <= proven_gradient(one_row(honest, 1.0, z), theta).error
        refuted += wrong > proven_gradient(one_row(boastful, 1.0, z), theta).error
    assert refuted > 0


def test_a_certificate_without_the_summation_term_would_be_refuted(
    true_gradient: GradientOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(8)
    X = random.uniform(0.5, 1, (1000, 1))
    y = random.choice([-1.0, 1.0], 1000)
    data = MemoryRows(X, y, random.uniform(0, 1, 1000), 0.0, np.ones(1))
    objective, theta = Objective(data, HuberisedHinge(0.5), 1e-12), np.zeros(1)
    wrong = miss(objective, theta, true_gradient)
    assert wrong <= proven_gradient(objective, theta).error
    monkeypatch.setattr(gradient, "growth", lambda k: 0.0)
    boastful = Plain(HuberisedHinge(0.5), 1e-12, 0.0)
    assert wrong > proven_gradient(Objective(data, boastful, 1e-12), theta).error


@pytest.mark.parametrize("size", [1e-12, 1.0, 1e9, 1e40])
@pytest.mark.parametrize("loss", [HuberisedHinge(0.5), Logistic()], ids=str)
def test_the_bounds_hold_with_a_linear_term_of_several_doubles(
    loss: Loss, size: float, true_gradient: GradientOf
) -> None:
    random = np.random.default_rng(7)
    high = size * random.normal(size=4)
    low = high * 2.0**-54 * random.uniform(-1, 1, 4)
    objective = replace(problem(60, 3, loss, 1), linear_term=(high, low))
    theta = random.normal(size=4)
    claim = proven_gradient(objective, theta)
    assert miss(objective, theta, true_gradient) <= claim.error
    flat = proven_gradient(replace(objective, linear_term=None), theta)
    gap = float(np.linalg.norm(flat.gradient - claim.gradient))
    assert gap == pytest.approx(float(np.linalg.norm(high)), rel=1e-2)


def test_the_low_part_of_a_linear_term_counts(true_gradient: GradientOf) -> None:
    # The high part cancels γθ exactly; what is left of the gradient is the low part alone.
    data = MemoryRows(np.ones((1, 1)), np.ones(1), np.zeros(1), 0.0, np.ones(1))
    objective = Objective(
        data, Logistic(), 1.0, linear_term=(np.array([-0.5]), np.array([2.0**-60]))
    )
    claim = proven_gradient(objective, np.array([0.5]))
    assert claim.gradient.tolist() == [2.0**-60]
    assert miss(objective, np.array([0.5]), true_gradient) == 0.0


def test_what_overflows_certifies_nothing() -> None:
    objective = problem(5, 1, Logistic(), 0)
    with np.errstate(all="ignore"):
        assert not proven_gradient(objective, np.array([1e308, 1e308]) * 1.7).distance < np.inf
        assert not proven_gradient(objective, np.array([np.nan, 0.0])).distance < np.inf
