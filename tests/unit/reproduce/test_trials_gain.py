import numpy as np
import pytest
from rich.console import Console
from tests.unit.reproduce.trial_files import small_trial

from dpwerm.arrays import FloatArray
from dpwerm.reproduce import trials_gain
from dpwerm.reproduce.trials import RealTrial, TrialMethod
from dpwerm.reproduce.trials_gain import Gain, cross_fitted, gain, gain_sheet, mean_gain


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
    trial = small_trial(100)
    met: list[tuple[set[int], set[int]]] = []

    def look(learned: RealTrial, people: RealTrial, epsilon: str, seed: int) -> FloatArray:
        ids = [{int(one) for one in part.rows["ID"].to_pylist()} for part in (learned, people)]
        met.append((ids[0], ids[1]))
        return np.where(people.received > 0, 1.0, -1.0)

    arms = cross_fitted(trial, TrialMethod("look", look), "inf", 5, seed=0)
    assert np.array_equal(arms, trial.received)
    everybody = {int(one) for one in trial.rows["ID"].to_pylist()}
    assert len(met) == 5
    for learned, people in met:
        assert not learned & people
        assert learned | people == everybody
    assert set.union(*(people for _, people in met)) == everybody


def test_a_rule_that_knows_is_clearly_better(monkeypatch: pytest.MonkeyPatch) -> None:
    """Power: where the benefit follows the arm that a feature names, the gain is found."""
    trial = small_trial(600, effect=1.0)

    def knows(_: RealTrial, people: RealTrial, epsilon: str, seed: int) -> FloatArray:
        return np.where(np.array(people.rows["GENDER"].to_pylist()) == "F", 1.0, -1.0)

    def ignores(_: RealTrial, people: RealTrial, epsilon: str, seed: int) -> FloatArray:
        return np.ones(people.n)

    monkeypatch.setattr(trials_gain, "EPSILONS", ("inf",))
    methods = [TrialMethod("knows", knows), TrialMethod("ignores", ignores)]
    sheet = gain_sheet("name", "A trial", trial, methods, 0, Console(quiet=True), splits=2)
    assert [row[-1] for row in sheet.rows] == ["yes", "no", ""]
