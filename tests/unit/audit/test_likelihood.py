from dataclasses import replace

import numpy as np
import pytest
from tests.unit.mechanisms.calibrations import facts_of, law_of, sigma_of
from tests.unit.mechanisms.densities import Records, Setting, log_density, normal

from dpwerm.arrays import FloatArray
from dpwerm.audit import mechanisms as likelihood
from dpwerm.audit.mechanisms import minimiser
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import HuberisedHinge, Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Budget
from dpwerm.solve.newton import minimise

BLOCKS = ((1, 0.5), (3, 1.0), (1, 1.0))
SETTINGS = [
    Setting(loss, BLOCKS, weight_bound=2.0, gamma=9.0) for loss in (HuberisedHinge(0.5), Logistic())
]


def people(setting: Setting, n: int, seed: int) -> tuple[Records, MemoryRows]:
    """Return the same people as signed rows and as a data set."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(-1, 1, (n, setting.p)) * [0.5, 0.3, 0.3, 0.3, 1.0]
    labels, weights = rng.choice([-1.0, 1.0], n), rng.uniform(0, 2, n)
    bounds = np.array([0.5, 1.0, 1.0, 1.0, 1.0])
    return Records(rows * labels[:, None], weights), MemoryRows(rows, labels, weights, 0, bounds)


def planned(setting: Setting, name: str, n: int) -> Calibration:
    delta = "0.01" if MECHANISMS[name].needs_delta else "0"
    return MECHANISMS[name].calibrate(facts_of(setting, n), Budget.of(2, delta))


@pytest.mark.parametrize("name", ["objective-l2", "objective-block", "objective-gaussian"])
@pytest.mark.parametrize("n", [1, 8])
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda one: one.loss.name)
def test_noise_inside_has_the_density_that_the_proof_pages_use(
    setting: Setting, n: int, name: str
) -> None:
    calibration = planned(setting, name, n)
    law = (
        normal(sigma_of(calibration)) if name.endswith("gaussian") else law_of(setting, calibration)
    )
    theta = np.random.default_rng(4).normal(size=(200, setting.p))
    ratio, expected = [], []
    for seed in (1, 2):
        records, data = people(setting, n, seed)
        ratio.append(likelihood.log_density(theta, data, setting.loss, calibration))
        expected.append(log_density(setting, records, theta, law))
    np.testing.assert_allclose(ratio[0] - ratio[1], expected[0] - expected[1], atol=1e-9)


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("spherical-laplace", lambda z: -np.linalg.norm(z, axis=1)),
        ("product-laplace", lambda z: -np.abs(z).sum(axis=1)),
        ("gaussian", lambda z: -0.5 * (z**2).sum(axis=1)),
    ],
)
def test_noise_outside_has_its_density_around_the_minimiser(name: str, size: object) -> None:
    assert callable(size)
    setting = SETTINGS[0]
    calibration = planned(setting, name, 3)
    _, data = people(setting, 3, 1)
    solved = minimise(Objective(data, setting.loss, setting.gamma), calibration.tolerance).theta
    center = np.array([float(value) for value in solved])
    found = minimiser(data, setting.loss, calibration.facts, calibration.tolerance)
    np.testing.assert_allclose(found, center, atol=2 * calibration.tolerance)
    theta = center + np.random.default_rng(1).normal(size=(50, setting.p))
    found = likelihood.log_density(theta, data, setting.loss, calibration)
    np.testing.assert_allclose(found, size((theta - center) / calibration.noise.scale), atol=1e-5)


def test_no_output_has_no_density() -> None:
    calibration = planned(SETTINGS[0], "objective-l2", 3)
    _, data = people(SETTINGS[0], 3, 1)
    assert likelihood.log_density(np.zeros((0, 5)), data, SETTINGS[0].loss, calibration).shape == (
        0,
    )


class Stiff(Ridge):
    """R = ½k‖θ‖², which inherits an equality that leaves k out."""

    k: float

    def __init__(self, k: float) -> None:
        object.__setattr__(self, "k", k)

    def matrix(self, p: int) -> FloatArray:
        return self.k * np.eye(p)


def test_the_minimiser_is_that_of_the_penalty_at_hand() -> None:
    _, data = people(SETTINGS[0], 8, 1)
    facts = facts_of(SETTINGS[0], 8)
    one, other = (
        minimiser(data, SETTINGS[0].loss, replace(facts, regularizer=Stiff(k)), 1e-9)
        for k in (1.0, 4.0)
    )
    assert np.linalg.norm(other) < 0.5 * np.linalg.norm(one)
