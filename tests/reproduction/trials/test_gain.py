from pathlib import Path

import numpy as np
import pytest
from tests.reproduction.trials.trial_files import invented_cyp_guides, small_trial
from tests.reproduction.trials.trial_methods import QUICK_METHODS, Fixed

from dpwerm.errors import ParameterError
from reproduction.artefact import Bench
from reproduction.trials import gain as trials_gain
from reproduction.trials.gain import Gain, cross_fitted, gain, gain_sheet, mean_gain
from reproduction.trials.source import source_of


def test_the_gain_of_one_arm_is_the_difference_of_two_means() -> None:
    trial = small_trial(400)
    first, second = (trial.benefit[trial.received == arm] for arm in (-1.0, 1.0))
    found = gain(trial, np.ones(trial.n), -1.0)
    assert found.difference == pytest.approx(second.mean() - first.mean())
    error = np.sqrt(first.var() / len(first) + second.var() / len(second))
    assert found.error == pytest.approx(error, rel=0.02)


def test_an_arm_gains_nothing_over_itself() -> None:
    trial = small_trial()
    assert gain(trial, np.ones(trial.n), 1.0) == Gain(0.0, 0.0)
    assert not Gain(0.0, 0.0).is_clear


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Gain(0.00132, 0.014), "+0.001 ± 0.014"),
        (Gain(-67.03, 8.88), "-67.0 ± 8.9"),
        (Gain(0.0, 0.0), "+0 ± 0"),
    ],
)
def test_a_gain_has_the_digits_that_its_error_allows(found: Gain, words: str) -> None:
    assert str(found) == words


def test_gains_are_averaged_over_cuts() -> None:
    trial = small_trial()
    cuts = np.array([np.ones(trial.n), -np.ones(trial.n)])
    one = gain(trial, cuts[0], -1.0)
    assert mean_gain(trial, cuts, -1.0) == Gain(one.difference / 2, one.error / 2)


def test_nobody_is_treated_by_a_rule_that_saw_them() -> None:
    """103 people in five parts: 21 or 20 are out, and every rule learns from 82 others."""
    trial = small_trial(103)
    folds, cuts, seed = 5, 2, 3
    method = Fixed([1.0, 0.0, 0.0, 0.0, 0.0])
    arms = cross_fitted(trial, method, ("inf", 1.0), folds, cuts, seed)
    assert arms.shape == (cuts, trial.n)
    assert (arms == 1.0).all()
    (learned,) = method.seen
    assert learned.shape == (cuts * folds, 82)
    rng = np.random.default_rng(seed)
    part = rng.permuted(np.tile(np.arange(trial.n) % folds, (cuts, 1)), axis=1)
    for place, rows in enumerate(learned):
        cut, fold = divmod(place, folds)
        assert len(set(rows)) == 82
        assert (part[cut][rows] != fold).all()


def test_each_person_gets_the_arm_of_the_rule_that_left_them_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trial = small_trial(60)
    method = Fixed([0.0, 0.0, 1.0, 0.0, 0.0])
    arms = cross_fitted(trial, method, ("inf", 1.0), 3, 1, 0)
    women = np.array(trial.rows["GENDER"].to_pylist()) == "F"
    assert np.array_equal(arms[0], np.where(women, 1.0, -1.0))


def test_a_rule_that_knows_is_clearly_better() -> None:
    """Power: where the benefit follows the arm that a feature names, the gain is found."""
    trial = small_trial(600, effect=1.0)
    knows = cross_fitted(trial, Fixed([0.0, 0.0, 1.0, 0.0, 0.0]), ("inf", 1.0), 5, 2, 0)
    ignores = cross_fitted(trial, Fixed([1.0, 0.0, 0.0, 0.0, 0.0]), ("inf", 1.0), 5, 2, 0)
    assert all(mean_gain(trial, knows, arm).is_clear for arm in (-1.0, 1.0))
    assert not mean_gain(trial, ignores, 1.0).is_clear


def test_a_gamma_without_a_rule_is_refused() -> None:
    method = Fixed([1.0, 0.0, 0.0, 0.0, 0.0], without=("1",))
    with pytest.raises(ParameterError, match="no rule"):
        cross_fitted(small_trial(), method, ("1", 1.0), 3, 1, 0)


def test_a_sheet_has_all_methods_and_the_arms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trials_gain, "METHODS", QUICK_METHODS)
    source = source_of("cyp_guides", invented_cyp_guides(tmp_path / "copy.csv"))
    bench = Bench("gain", tmp_path, quick=True, workers=1)
    sheet = gain_sheet(bench, "name", "A trial", source, {"paper": 75.0, "ours": 75.0}, 0)
    assert [row[0] for row in sheet.rows] == ["paper"] * 3 + ["automatic"] * 3 + [
        "guided for everybody"
    ]
    assert [row[1] for row in sheet.rows[:3]] == ["1", "5", "∞"]
    assert "1 cut" in sheet.title
