"""The paper's method on many trials is its method on each of them."""

from typing import Any

import numpy as np
import pytest

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.features.encoding import Encoding
from dpwerm.simulate.engine.released import outside_noise
from reproduction.paper_batch import LOSS, paper_plan, paper_problems, paper_theta
from reproduction.paper_method import paper_release, shifted

ENCODING = Encoding.of_numbers(["a", "b"], [(0, 1), (0, 1)], kind="paper")
CONSTANTS: dict[str, Any] = {"benefit_bound": 4.0, "smallest_propensity": 0.5}


def trials(count: int = 3, n: int = 40) -> tuple[FloatArray, ...]:
    rng = np.random.default_rng(5)
    X = ENCODING.encode_numbers(rng.uniform(size=(count * n, 2))).reshape(count, n, 2)
    arm = rng.choice([-1.0, 1.0], (count, n))
    benefit = arm * (X[..., 0] - 0.3) + rng.normal(size=(count, n))
    benefit[-1] = np.abs(benefit[-1]) + 1.0
    return X, arm, benefit, np.full((count, n), 0.5)


def test_each_trial_is_shifted_by_its_own_minimum() -> None:
    X, arm, benefit, propensity = trials()
    problems = paper_problems(X, arm, benefit, propensity, encoding=ENCODING, benefit_bound=4.0)
    for one, weights in zip(benefit, problems.weights, strict=True):
        moved = one - one.min() + 0.001 if one.min() < 0 else one
        np.testing.assert_allclose(weights, np.clip(moved, 0, 4) / 0.5)
        np.testing.assert_allclose(shifted(one), moved)
    assert problems.weights.max() <= 8.0


def test_the_noise_is_that_of_a_sensitivity_of_twice_w_over_gamma() -> None:
    calibration = paper_plan(ENCODING, 40, epsilon="2", gamma=10.0, **CONSTANTS)
    assert calibration.sensitivity == pytest.approx(2 * 8.0 / 10.0)
    assert calibration.noise.scale == pytest.approx(2 * 8.0 / 10.0 / 2, rel=1e-5)


def test_rules_without_noise_are_those_of_single_fits() -> None:
    X, arm, benefit, propensity = trials()
    theta = paper_theta(
        X,
        arm,
        benefit,
        propensity,
        [("inf", 5.0)],
        np.random.default_rng(1),
        encoding=ENCODING,
        tolerance=1e-7,
        **CONSTANTS,
    )
    assert theta.shape == (1, 3, 1, 3)
    for place in range(3):
        release = paper_release(
            X[place],
            arm[place],
            benefit[place],
            propensity[place],
            encoding=ENCODING,
            gamma=5.0,
            epsilon="inf",
            rng=np.random.default_rng(1),
            **CONSTANTS,
        )
        np.testing.assert_allclose(theta[0, place, 0], release.theta, atol=1e-5)


def test_every_cell_has_the_same_random_numbers() -> None:
    X, arm, benefit, propensity = trials()
    cells = [("1", 5.0), ("4", 5.0), ("inf", 5.0)]
    theta = paper_theta(
        X,
        arm,
        benefit,
        propensity,
        cells,
        np.random.default_rng(1),
        encoding=ENCODING,
        draws=2,
        **CONSTANTS,
    )
    np.testing.assert_allclose(theta[0] - theta[2], 4 * (theta[1] - theta[2]), rtol=1e-6)
    draws = Draws.of((3, 2), 3, np.random.default_rng(1))
    calibration = paper_plan(ENCODING, 40, epsilon="1", gamma=5.0, **CONSTANTS)
    np.testing.assert_allclose(theta[0] - theta[2], outside_noise(calibration, draws))
    assert LOSS.h == 0.5
