"""Adaptive allocation: what a study that declares it may use, and what it is refused."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.faults.allocation import FLOOR, urn, urn_pair
from tests.unit.documents.reported import said
from tests.unit.releases.value.trials import COLUMN, EXTERNAL, PRIVATE, fitted, study, table

from dpwerm import PrivateTreatmentRule, treatment_value
from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.errors import ParameterError, StudyError
from dpwerm.releases.certificate import Certificate
from dpwerm.releases.rule_file import read_rule, verify_rule, write_rule
from dpwerm.study.treatment import Declaration

ADAPTIVE = '\nallocation = "adaptive"'
RIDGE = 'arms = ["pill", "therapy"]\npropensity_floor = 0.1\npropensity = { model = "ridge" }'
EVEN = 'arms = { pill = "1/2", therapy = "1/2" }'
WORST = COLUMN.replace("external", "worst_case")


@pytest.mark.parametrize(
    ("treatment", "origin"),
    [(EVEN, "design"), (COLUMN.replace("external", "design"), "design"), (COLUMN, "external")],
)
def test_what_counts_as_known_is_refused_with_the_ways_out(treatment: str, origin: str) -> None:
    assert study(treatment).treatment.allocation == "fixed"
    with pytest.raises(StudyError) as caught:
        study(treatment + ADAPTIVE)
    (fault,) = caught.value.faults
    assert fault.where == "treatment.allocation"
    assert fault.problem == f"probabilities that depend on earlier people have no origin '{origin}'"
    for way in ('propensity = { model = "private" }', 'origin = "worst_case"', "fixed one ratio"):
        assert way in fault.remedy


@pytest.mark.parametrize("treatment", [PRIVATE, RIDGE, EXTERNAL, WORST])
def test_models_and_the_worst_case_are_allowed_and_kept(treatment: str) -> None:
    plain, adaptive = (study(treatment + more).declaration() for more in ("", ADAPTIVE))
    keys = adaptive.checked().treatment_keys()
    assert keys == {**plain.treatment_keys(), "allocation": "adaptive"}
    back = Declaration.of_record(keys, adaptive.benefit_keys())
    assert back.treatment.allocation == "adaptive"


def test_a_private_model_reads_no_recorded_probability() -> None:
    declared = study(PRIVATE + ADAPTIVE)
    assert "chance" in study(WORST + ADAPTIVE).columns
    assert "chance" not in declared.columns


def test_other_words_are_refused() -> None:
    with pytest.raises(StudyError, match=r"allocation: must be 'fixed' or 'adaptive'"):
        study(PRIVATE + '\nallocation = "urn"')


def test_a_rule_keeps_the_word_and_verifies(tmp_path: Path) -> None:
    rule = fitted(study(WORST + ADAPTIVE), epsilon=1, mechanism="spherical-laplace")
    write_rule(rule, tmp_path / "rule.json")
    assert read_rule(tmp_path / "rule.json").declaration.treatment.allocation == "adaptive"
    assert all(finding.holds for finding in verify_rule(tmp_path / "rule.json"))
    with pytest.raises(ParameterError, match="origin worst_case cannot be evaluated"):
        treatment_value(rule, table(), 1, ledger="none")


def released(benefit: np.ndarray, second: np.ndarray, **facts: Any) -> tuple[float, Certificate]:
    """Return the coefficient of a fit without noise to the people of the urn's pair."""
    people = urn_pair().first
    rule = PrivateTreatmentRule(
        math.inf,
        feature_bounds=(-1, 1),
        benefit_bounds=(-1, 1),
        arms=("a", "b"),
        propensity="column",
        propensity_floor=FLOOR,
        gamma=75.0,
        intercept_scale=0,
        h=0.5,
        **facts,
    ).fit(people.x, np.where(people.arm > 0, "b", "a"), benefit, second)
    release = rule.release_
    return release.integers[0] * 2.0**release.exponent, release.certificate


@pytest.mark.parametrize(
    ("facts", "covered"),
    [
        ({"weight_origin": "design"}, False),
        ({"weight_origin": "worst_case", "allocation": "adaptive"}, True),
    ],
)
def test_an_urn_through_the_estimator(facts: dict[str, str], covered: bool) -> None:
    found = [released(people.benefit, urn(people), **facts) for people in urn_pair().both]
    (one, certificate), (other, _) = found
    sensitivity = certificate.sensitivity.minimiser
    assert sensitivity is not None
    assert (abs(one - other) <= sensitivity) is covered
    assert abs(one - other) == pytest.approx(3.53 * 2 * 3 / 75, rel=1e-3)


def test_an_estimator_refuses_it_by_design() -> None:
    people = urn_pair().first
    with pytest.raises(ParameterError, match=r"allocation: .* have no origin 'design'"):
        released(people.benefit, urn(people), weight_origin="design", allocation="adaptive")
    rule = PrivateTreatmentRule(
        1, benefit_bounds=(0, 1), propensity={"a": 0.5, "b": 0.5}, allocation="adaptive"
    )
    with pytest.raises(ParameterError, match=r'use arms = .* origin = "worst_case"'):
        rule.check_parameters()


def test_certificate_and_report_say_when_probabilities_were_fixed() -> None:
    rule = fitted(study(), epsilon=1, mechanism="spherical-laplace")
    words = "fixed by design before the first person"
    assert words in rule.release.certificate.weight_origin.statement
    report = said(compose(Material(rule)), "private")
    assert words in report
    assert "the design of the trial, fixed before the first person" in report
