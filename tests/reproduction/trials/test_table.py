from pathlib import Path

import numpy as np
import pytest
from tests.reproduction.trials.trial_files import invented_cyp_guides, small_trial
from tests.reproduction.trials.trial_methods import Fixed

from reproduction.trials.method import METHODS
from reproduction.trials.source import source_of
from reproduction.trials.table import (
    Ask,
    answer,
    arms_of,
    measure,
    measured,
    one_by_one,
    rows_of,
    together,
)


def test_a_row_is_measured_over_repeats() -> None:
    trial = small_trial()
    method = METHODS["paper"]
    private, bare = measure(trial, method, ("1",), 75.0, 7, seed=1)
    assert (private.epsilon, bare.epsilon) == ("1", "inf")
    assert (private.repeats, bare.repeats) == (7, 1)
    assert private.second + private.first == trial.n
    assert bare.deviation == 0.0
    assert (bare.single, bare.concordance) == (1.0, 1.0)
    assert measure(trial, method, ("1",), 75.0, 7, seed=1) == [private, bare]
    assert measure(trial, method, ("1",), 75.0, 7, seed=2)[0] != private


def test_the_measures_are_those_of_the_recommendations() -> None:
    trial = small_trial()
    rng = np.random.default_rng(0)
    arms = np.where(rng.random((9, trial.n)) < 0.5, 1.0, -1.0)
    baseline = np.ones(trial.n)
    row = measured(trial, METHODS["paper"], ("1", 75.0), arms, baseline)
    values = [trial.value(one) for one in arms]
    assert row.mean == pytest.approx(np.mean(values))
    assert row.deviation == pytest.approx(np.std(values, ddof=1))
    assert row.single == pytest.approx((arms > 0).mean())
    assert row.second == ((arms > 0).mean(axis=0) >= 0.5).sum()
    assert row.concordance == pytest.approx(row.second / trial.n)
    assert row.log10_p is None


def test_one_propensity_changes_the_value() -> None:
    trial = small_trial()
    arms = np.where(np.arange(trial.n) % 2 == 0, 1.0, -1.0)[None]
    by_arm, one = (
        measured(trial, METHODS[name], ("1", 75.0), arms, arms[0]).mean
        for name in ("by-arm", "one-propensity")
    )
    assert by_arm == pytest.approx(trial.value(arms[0]))
    assert one == pytest.approx(trial.value(arms[0], by_arm=False))
    assert one != pytest.approx(by_arm)


def test_a_known_rule_gives_known_arms() -> None:
    trial = small_trial()
    (rules,) = Fixed([0.0, 0.0, 1.0, 0.0, 0.0]).rules(trial, trial.everybody(), [("1", 1.0)], 2, 0)
    arms = arms_of(rules, trial)
    women = np.array(trial.rows["GENDER"].to_pylist()) == "F"
    assert arms is not None
    assert np.array_equal(arms, np.tile(np.where(women, 1.0, -1.0), (2, 1)))
    assert arms_of(None, trial) is None


def test_a_task_has_a_run_for_each_seed(tmp_path: Path) -> None:
    source = source_of("cyp_guides", invented_cyp_guides(tmp_path / "copy.csv"))
    ask = Ask(source, "one-propensity", ("0.5", "5"), (75.0, 150.0), 3, (1, 2))
    runs = [rows_of(run) for run in answer(ask)]
    assert len(runs) == 2
    for run in runs:
        cells = [(row.scale, row.epsilon) for row in run]
        assert cells == [(g, e) for g in (75.0, 150.0) for e in ("0.5", "5", "inf")]
    assert runs[0][2] == runs[1][2]
    assert runs[0][0] != runs[1][0]


def test_where_gamma_is_not_allowed_there_is_no_row() -> None:
    method = Fixed([1.0, 0.0, 0.0, 0.0, 0.0], without=("1",))
    rows = measure(small_trial(), method, ("1", "2"), 1.0, 2, 0)
    assert [row.epsilon for row in rows] == ["2", "inf"]
    none = Fixed([1.0, 0.0, 0.0, 0.0, 0.0], without=("inf",))
    assert measure(small_trial(), none, ("1", "2"), 1.0, 2, 0) == []


def test_one_task_for_each_budget_gives_the_same_rows(tmp_path: Path) -> None:
    source = source_of("cyp_guides", invented_cyp_guides(tmp_path / "copy.csv"))
    ask = Ask(source, "paper", ("0.5", "5"), (75.0,), 3, (1,))
    parts = one_by_one(ask)
    assert [part.epsilons for part in parts] == [(), ("0.5",), ("5",)]
    assert together([answer(part) for part in parts]) == rows_of(answer(ask)[0])
