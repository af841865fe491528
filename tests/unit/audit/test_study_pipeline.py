"""What the files of a release say is what the auditor sees."""

from pathlib import Path

import numpy as np
import pytest
from tests.unit.audit.made_up import made_up

from dpwerm.audit.canaries import canaries_for, simulated_people, write_table
from dpwerm.audit.pipeline_target import RULE, VALUE, StudyPipeline, claim_of, look, run_pipeline
from dpwerm.data.table import read_table
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.releases.rule_file import read_rule
from dpwerm.releases.value.release import read_value
from dpwerm.study.study import Study

STUDY = made_up(2)
ROWS = [bird.first for bird in canaries_for(STUDY, 4)]


def test_rule_and_value_are_read_from_their_files(tmp_path: Path) -> None:
    write_table(STUDY, ROWS, tmp_path / "table.csv")
    pipeline = StudyPipeline(STUDY, Budget.of(2), Budget.of(1))
    pipeline(tmp_path / "table.csv", tmp_path)
    seen = look(tmp_path, read_table(tmp_path / "table.csv", STUDY.feature_columns))
    rule, value = read_rule(tmp_path / RULE), read_value(tmp_path / VALUE)
    assert rule.private
    assert value.private
    np.testing.assert_array_equal(
        seen.rule, np.array(rule.release.integers) * 2.0**rule.release.exponent
    )
    np.testing.assert_array_equal(seen.sums.reshape(4, 3), value.sums)
    assert len(seen.propensity) == 0
    np.testing.assert_array_equal(np.abs(seen.rows), np.ones((4, 3)))
    arms = np.array(STUDY.treatment.arms)[seen.told]
    np.testing.assert_array_equal(arms, rule.arms_for(seen.rows @ rule.release.theta))


def test_the_claim_is_that_of_both_files() -> None:
    assert claim_of(StudyPipeline(STUDY, Budget.of(2), Budget.of("0.5")), STUDY, ROWS) == Budget.of(
        "2.5"
    )
    assert claim_of(StudyPipeline(STUDY, Budget.of(2)), STUDY, ROWS) == Budget.of(2)


def test_a_claim_in_another_currency_is_refused() -> None:
    study = made_up(2, mechanism="gaussian")
    with pytest.raises(ParameterError, match="epsilon"):
        claim_of(StudyPipeline(study, Budget.zcdp(1)), study, ROWS)  # type: ignore[arg-type]


def test_what_claims_no_privacy_is_refused() -> None:
    with pytest.raises(ParameterError, match="claims nothing"):
        claim_of(StudyPipeline(STUDY, Budget.of("inf")), STUDY, ROWS)


def test_the_total_of_a_study_is_not_for_people_who_are_made_up() -> None:
    whole = made_up(2)
    poor = Study.from_dict({**_raw(), "budget": {"epsilon": "0.1"}})
    assert claim_of(StudyPipeline(poor, Budget.of(2)), whole, ROWS) == Budget.of(2)


def test_a_tuned_rule_is_a_pipeline_too() -> None:
    people = simulated_people(STUDY, 40, key=1)
    pipeline = StudyPipeline(STUDY, Budget.of(4), tuning="parts")
    (seen,) = run_pipeline(pipeline, STUDY, [people], ROWS[:1], workers=1)
    assert seen.rule.shape == (3,)


def test_runs_are_the_same_number_whoever_does_them() -> None:
    pipeline = StudyPipeline(STUDY, Budget.of(2))
    done: list[tuple[int, int]] = []
    seen = run_pipeline(
        pipeline,
        STUDY,
        [ROWS, ROWS[:2]] * 13,
        ROWS[:1],
        workers=1,
        on_done=lambda *at: done.append(at),
    )
    assert len(seen) == 26
    assert done[-1][0] == done[-1][1]
    assert len({one.rule.tobytes() for one in seen}) == 26


def _raw() -> dict[str, object]:
    return {
        "format": 1,
        "study": {"id": "poor"},
        "features": {f"x{j}": {"kind": "number", "bounds": [j, j + 4]} for j in range(2)},
        "treatment": {"column": "arm", "arms": {"pill": 0.5, "therapy": 0.5}},
        "benefit": {"column": "gain", "bounds": [-10, 10], "clip": "range"},
        "method": {"gamma": 400.0, "h": 0.5, "mechanism": "spherical-laplace"},
    }
