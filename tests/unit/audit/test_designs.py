"""Estimators of their own design are attacked in the norm of their rows, and keep the claim."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.choose.questions import encoding_of

from dpwerm.audit import suite
from dpwerm.audit.attack import audit
from dpwerm.audit.mechanisms import MechanismTarget, design_target, log_density, stacked
from dpwerm.audit.suite import DESIGN_GAMMA, QUICK_RUNS, Task, audited
from dpwerm.audit.target import claimed
from dpwerm.features.composed import Hull
from dpwerm.objective.regularizers import ArmPenalty, Ridge
from dpwerm.privacy.budget import Budget
from dpwerm.solve.batch import minimise_path
from dpwerm.weighting.contract import WEIGHTINGS

CELLS = suite.cells()
DESIGNS = ("contrast", "arm-wise")
every = pytest.mark.parametrize("name", DESIGNS)


def target(name: str, epsilon: str = "4", features: int = 1) -> MechanismTarget:
    return design_target(name, features, Budget.of(epsilon), DESIGN_GAMMA)


def test_every_design_that_is_shipped_has_cells() -> None:
    shipped: dict[str, Any] = dict(WEIGHTINGS)
    assert {name for name, kind in shipped.items() if kind.options} == {
        *DESIGNS,
        "outcome-weighted",
    }
    for name in DESIGNS:
        own = [cell for cell in CELLS.values() if cell.name == name]
        assert {cell.setting.split(", ")[1] for cell in own} == {
            f"epsilon = {epsilon}" for epsilon in suite.EPSILONS
        }
        assert {cell.setting.split(", ")[0] for cell in own} == {"1 features", "2 features"}
        assert all(cell.asked for cell in own)
        assert any(cell.quick and cell.confirmed for cell in own)
        for cell in own:
            made = cell.make()
            assert f"epsilon = {claimed(made).epsilon}" in cell.setting


@pytest.mark.parametrize("features", [1, 2])
@every
def test_a_target_is_the_release_of_the_design(name: str, features: int) -> None:
    made = target(name, features=features)
    encoding = encoding_of((0,) * features)
    whole = made.facts.domain
    if name == "contrast":
        assert made.dimension == features + 2  # the mean, the intercept and the features
        assert made.facts.regularizer == Ridge()
    else:
        assert whole == Hull((encoding.domain, encoding.domain))
        assert made.facts.regularizer == ArmPenalty()
    assert made.facts.gamma == pytest.approx(DESIGN_GAMMA * whole.radius**2)
    assert made.facts.taper == 1.0
    assert made.calibration.inside is not None
    assert made.calibration.inside.norm == "block"


@every
def test_quick_cells_stay_below_the_claim_and_within_a_factor_of_two(name: str) -> None:
    """A bound above the claim has probability below 1e-9 if the claim holds."""
    (cell,) = [one for one in CELLS.values() if one.name == name and one.quick]
    found = audited(Task(cell.key, QUICK_RUNS, 20, 1 - 1e-9, 1))
    claim = float(claimed(cell.make()).epsilon)
    assert claim / 2 < found.lower <= claim
    assert found.exact_runs == 20


@every
def test_half_the_noise_is_caught(name: str) -> None:
    """An audit of a mechanism that claims ε and spends 2ε finds more than ε."""
    honest = target(name, "4")
    calibration = target(name, "8").calibration
    guilty = replace(honest)
    object.__setattr__(guilty, "calibration", calibration)
    found = audit(guilty, runs=QUICK_RUNS, confidence=1 - 1e-9, seed=1, exact_runs=0)
    assert found.lower > 4


@every
def test_the_density_of_a_release_is_that_of_its_noise_and_its_curvature(name: str) -> None:
    """log p(θ; D) − log p(θ; D') from the theory, with derivatives of F by differences."""
    made = target(name)
    calibration, facts, loss = made.calibration, made.facts, made.loss
    assert calibration.inside is not None
    rate = calibration.inside.rate
    assert rate is not None
    matrix = facts.regularizer.matrix(facts.dimension)
    assert matrix is not None

    def gradient(theta: Any, data: Any) -> Any:
        r = data.X @ theta - data.targets
        slopes = -np.sign(r) * loss.lipschitz * np.expm1(-np.abs(r) / loss.lipschitz)
        return data.X.T @ (data.weights * slopes) + facts.gamma * (matrix @ theta)

    def by_hand(theta: Any, data: Any) -> float:
        b = -gradient(theta, data)
        step = 1e-6 * np.eye(len(theta))
        hessian = [(gradient(theta + h, data) - gradient(theta - h, data)) / 2e-6 for h in step]
        parts = np.split(b, 2) if name == "arm-wise" else [b]
        norm = sum(np.abs(part).max() for part in parts)  # every column's bound is 1
        return float(-rate * norm + np.linalg.slogdet(hessian)[1])

    rng = np.random.default_rng(0)
    for pair in made.pairs()[:4]:
        outputs = rng.normal(scale=0.1, size=(5, facts.dimension))
        found = log_density(outputs, pair.first, loss, calibration) - log_density(
            outputs, pair.second, loss, calibration
        )
        expected = [by_hand(one, pair.first) - by_hand(one, pair.second) for one in outputs]
        np.testing.assert_allclose(found, expected, atol=1e-4)
        assert np.abs(found).max() <= float(made.claim.epsilon) + 1e-9


@every
def test_simulated_releases_stand_around_the_minimiser_of_the_design(name: str) -> None:
    made = target(name, "100")
    pair = made.pairs()[0]
    outputs = made.outputs(pair.first, 400, (1, 2))
    (middle,) = minimise_path(
        stacked(pair.first),
        made.loss,
        [made.facts.gamma],
        tolerance=1e-9,
        regularizer=made.facts.regularizer,
    ).theta[0]
    spread = outputs.std(axis=0)
    assert (np.abs(np.median(outputs, axis=0) - middle) < spread).all()
