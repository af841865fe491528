"""Curves with a penalty of their own: in a rule file only where they have one, and verified."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.estimators.test_regression_rules import N, released

from dpwerm.objective.regularizers import ArmPenalty
from dpwerm.releases.certificate import certify
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import read_rule, verify_rule, write_rule
from dpwerm.weighting.arm_wise import ArmWiseRegression


def rule_with(curves: float, penalised: float, gamma: float = 60.0) -> Rule:
    """Return a rule of degree 3 whose design and whose penalty say these factors."""
    rule = released("arm-wise, curved")
    release, spec = rule.release, rule.release.certificate.specification()
    penalty = spec.regularizer
    assert isinstance(penalty, ArmPenalty)
    changed = spec.changed(
        weighting=ArmWiseRegression(3.0, curves),
        regularizer=replace(penalty, bend=penalised),
        gamma=gamma,
    )
    certificate, _ = certify(changed, release.encoding, N, secure=True, library="x")
    return replace(rule, release=replace(release, certificate=certificate))


def test_a_file_without_bend_reads_and_verifies_as_before(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    write_rule(released("arm-wise, curved"), path)
    assert "bend" not in path.read_text(encoding="utf-8")
    assert all(finding.holds for finding in verify_rule(path))
    certificate = read_rule(path).release.certificate
    assert certificate.design == ArmWiseRegression(3.0, 1.0)
    spec = certificate.specification()
    assert spec.regularizer == ArmPenalty(1.0, 1.0, 2.0, 4.0, 1.0)


# At the smaller γ the noise hangs on the leverage, at the larger one it does not.
@pytest.mark.parametrize("gamma", [4.0, 60.0])
def test_a_file_with_bend_verifies_if_design_and_penalty_agree(
    gamma: float, tmp_path: Path
) -> None:
    path = tmp_path / "rule.json"
    write_rule(rule_with(4.0, 4.0, gamma), path)
    assert all(finding.holds for finding in verify_rule(path))
    certificate = read_rule(path).release.certificate
    assert certificate.regularizer.parameters["bend"] == 4.0
    weighting = certificate.weighting
    assert weighting is not None
    assert weighting.parameters == {"degree": 3.0, "bend": 4.0}
    for curves, penalised in ((1.0, 4.0), (4.0, 1.0), (4.0, 8.0), (2.0, 4.0)):
        write_rule(rule_with(curves, penalised, gamma), path)
        found = [one.what for one in verify_rule(path) if not one.holds]
        assert found == ["penalty of the design"]


def test_less_is_paid_for_the_same_gamma() -> None:
    """The leverage falls, so more of ε is left for the noise."""
    plain, bent = (
        rule_with(bend, bend, 4.0).release.certificate.perturbation for bend in (1.0, 4.0)
    )
    assert plain is not None
    assert bent is not None
    assert bent.jacobian < plain.jacobian
    assert plain.rate is not None
    assert bent.rate is not None
    assert bent.rate > plain.rate
