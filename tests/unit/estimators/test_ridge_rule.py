"""Rules whose weights rest on an unreleased ridge model: C instead of a part of the budget."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.estimators.observational import EXTERNAL, STUDY, N, by_study, fitted

from dpwerm import Budget
from dpwerm.errors import ParameterError
from dpwerm.releases.rule_file import verify_rule, write_rule


def test_a_ridge_model_pays_with_noise_and_not_with_budget(tmp_path: Path) -> None:
    rule, external = fitted(propensity="ridge"), fitted(propensity=EXTERNAL)
    certificate = rule.release.certificate
    assert rule.propensity is None
    assert rule.budget == Budget.of(1)
    assert certificate.weight_origin.parameters["gamma"] == N
    assert certificate.sensitivity.weights_constant > 0
    assert external.release.certificate.sensitivity.weights_constant == 0
    assert certificate.noise.scale > external.release.certificate.noise.scale
    write_rule(rule, tmp_path / "rule.json")
    assert all(finding.holds for finding in verify_rule(tmp_path / "rule.json"))


def test_the_constant_of_a_ridge_model_is_its_formula() -> None:
    certificate = fitted(propensity={"model": "ridge", "gamma": 500}).release.certificate
    by_formula = (
        certificate.loss.lipschitz
        * certificate.radius
        * (N - 1)
        * certificate.weight_bound
        * 0.9
        * 3  # C_x², an intercept of 1 and two numbers
        * 2
        / 500
    )
    assert certificate.sensitivity.weights_constant == pytest.approx(by_formula, rel=1e-6)


@pytest.mark.parametrize("mechanism", ["objective-block", "objective-l2", "objective-gaussian"])
def test_objective_perturbation_refuses_weights_that_move(mechanism: str) -> None:
    other: dict[str, Any] = {"mechanism": mechanism}
    if mechanism == "objective-gaussian":
        other["delta"] = "1e-6"
    words = "needs weights that follow from their own record and public facts; for origin ridge use"
    with pytest.raises(ParameterError, match=words):
        fitted(propensity="ridge", **other)
    text = STUDY.replace('"private"', '"ridge"').replace(
        "epsilon = 2", "epsilon = 2\ndelta = 0.00001"
    )
    with pytest.raises(ParameterError, match=words):
        by_study(text=text, **other).check_parameters()


def test_automatic_settings_know_that_the_weights_move(tmp_path: Path) -> None:
    rule = fitted(propensity="ridge", gamma="auto")
    assert not rule.release.certificate.mechanism.startswith("objective")
    write_rule(rule, tmp_path / "rule.json")
    assert all(finding.holds for finding in verify_rule(tmp_path / "rule.json"))


def test_a_ridge_model_needs_a_public_n() -> None:
    with pytest.raises(ParameterError, match="a ridge propensity model needs a public n"):
        fitted(propensity="ridge", relation="add_remove")
    text = STUDY.replace('"private"', '"ridge"').replace("replace_one", "add_remove")
    with pytest.raises(ParameterError, match="a ridge propensity model needs a public n"):
        by_study(text=text).check_parameters()


def test_one_person_moves_the_rule_by_more_than_fixed_weights_would_allow() -> None:
    """Hundred people alike, half in each arm; the last one changes arm, and P with it.

    Everybody's benefit is high but for that person's, so the moves of all weights and of the one
    row point the same way: C is needed, and it is enough.
    """
    n, gamma = 100, 1e4
    x, outcome = np.ones(n), np.full(n, 4.0)
    outcome[-1] = 0.0
    arm = np.where(np.arange(n) % 2, "a", "b")
    other_arm = np.where(np.arange(n) == n - 1, "b", arm)
    settings: dict[str, Any] = {
        "propensity": {"model": "ridge", "gamma": 10},
        "propensity_floor": 0.45,
        "gamma": gamma,
        "intercept_scale": 1.0,
        "h": 0.5,
    }

    def theta_of(received: Any) -> Any:
        data = {"x": x, "z": np.full(n, 10.0), "arm": received, "outcome": outcome}
        return fitted("inf", data, **settings).release.theta

    data = {"x": x, "z": np.full(n, 10.0), "arm": arm, "outcome": outcome}
    certificate = fitted(1, data, **settings).release.certificate
    claimed = certificate.sensitivity.minimiser
    assert claimed is not None
    fixed = 2 * certificate.weight_bound * certificate.radius / gamma
    moved = float(np.linalg.norm(theta_of(arm) - theta_of(other_arm)))
    assert 1.2 * fixed <= moved <= claimed
