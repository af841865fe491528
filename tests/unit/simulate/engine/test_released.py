"""What calibrations would release: each optimum once, the noise of each, in any order."""

from typing import Any

import numpy as np
import pytest
from tests.unit.features.domains import of_blocks

from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import KnownByDesign
from dpwerm.simulate.engine.released import inside_noise, outside_noise, released
from dpwerm.solve.batch import BatchSolution, minimise_batch, minimise_path
from dpwerm.solve.batch_problems import BatchProblems

LOSS = HuberisedHinge(0.5)


def calibration(mechanism: str, epsilon: str, gamma: float) -> Calibration:
    facts = Facts(
        weight_bound=1.0,
        lipschitz=LOSS.lipschitz,
        smoothness=LOSS.smoothness,
        domain=of_blocks(((1, 1.0), (1, 1.0), (1, 1.0))),
        gamma=gamma,
        regularizer=Ridge(),
        relation=Relation.REPLACE_ONE,
        n=40,
        origin=KnownByDesign(),
    )
    return get_mechanism(mechanism).calibrate(facts, Budget.of(epsilon))


@pytest.fixture
def problems() -> BatchProblems:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1, 1, (4, 40, 2))
    y = np.where(X[..., 0] + 0.2 * rng.normal(size=(4, 40)) > 0, 1.0, -1.0)
    return BatchProblems(X, y, rng.uniform(0, 1, (4, 40)), 1.0)


@pytest.fixture
def draws() -> Draws:
    return Draws.of((4, 3), 3, np.random.default_rng(2))


def test_noise_outside_is_added_to_one_optimum(problems: BatchProblems, draws: Draws) -> None:
    calibrations = [
        calibration("spherical-laplace", epsilon, gamma)
        for epsilon in ("1", "5")
        for gamma in (2.0, 9.0)
    ]
    found = released(problems, LOSS, calibrations, draws, tolerance=1e-6)
    assert found.shape == (4, 4, 3, 3)
    for one, theta in zip(calibrations, found, strict=True):
        best = minimise_batch(problems, LOSS, one.facts.gamma, tolerance=1e-6).theta
        expected = best[:, None] + outside_noise(one, draws)
        np.testing.assert_allclose(theta, expected, atol=1e-5)


def test_noise_inside_is_a_linear_term_of_the_objective(
    problems: BatchProblems, draws: Draws
) -> None:
    calibrations = [
        calibration("objective-l2", epsilon, gamma)
        for gamma in (9.0, 20.0)
        for epsilon in ("2", "9")
    ]
    found = released(problems, LOSS, calibrations, draws, tolerance=1e-6)
    for one, theta in zip(calibrations, found, strict=True):
        linear_term = inside_noise(one, draws)
        solved = minimise_batch(
            problems, LOSS, one.facts.gamma, linear_term=linear_term, tolerance=1e-6
        )
        np.testing.assert_allclose(theta, solved.theta, atol=1e-5)


def test_plans_of_all_kinds_keep_their_places(problems: BatchProblems, draws: Draws) -> None:
    calibrations = [
        calibration("objective-l2", "3", 9.0),
        calibration("none", "inf", 4.0),
        calibration("spherical-laplace", "1", 9.0),
        calibration("objective-block", "3", 30.0),
    ]
    found = released(problems, LOSS, calibrations, draws, tolerance=1e-8)
    turned = released(problems, LOSS, calibrations[::-1], draws, tolerance=1e-8)
    np.testing.assert_allclose(found, turned[::-1], atol=1e-7)
    assert np.ptp(found[1], axis=1).max() < 1e-12


def test_an_optimum_is_found_once_for_all_budgets(
    problems: BatchProblems, draws: Draws, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def counted(*arguments: Any, **rest: Any) -> BatchSolution:
        asked.append(arguments[2])
        return minimise_path(*arguments, **rest)

    monkeypatch.setattr("dpwerm.simulate.engine.released.minimise_path", counted)
    calibrations = [
        calibration("spherical-laplace", e, g) for e in ("1", "2", "3", "4") for g in (5.0, 7.0)
    ]
    released(problems, LOSS, calibrations, draws)
    assert asked == [[7.0, 5.0]]


def test_no_plan_is_an_error(problems: BatchProblems, draws: Draws) -> None:
    with pytest.raises(ParameterError, match="at least one"):
        released(problems, LOSS, [], draws)
