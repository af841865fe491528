import numpy as np
import pytest
from rich.console import Console
from tests.unit.reproduce.trial_files import small_trial

from dpwerm.arrays import FloatArray
from dpwerm.reproduce import trials_table
from dpwerm.reproduce.trials import RealTrial, TrialMethod
from dpwerm.reproduce.trials_table import Measured, cells, header, measure, p_in_words, trial_sheet


def seeded(trial: RealTrial, people: RealTrial, epsilon: str, seed: int) -> FloatArray:
    """Return everybody's second arm without privacy, else the second for a random half."""
    if epsilon == "inf":
        return np.ones(people.n)
    return np.where(np.random.default_rng(seed).random(people.n) < 0.5, 1.0, -1.0)


METHOD = TrialMethod("coin", seeded)


def test_a_row_is_measured_over_repeats() -> None:
    trial = small_trial()
    row = measure(trial, METHOD, "1", 7, seed=1)
    assert row.values.shape == (7,)
    assert row.deviation == pytest.approx(np.std(row.values, ddof=1))
    assert row.concordance == np.mean(row.arms > 0)
    assert row.p_value is None
    assert 0.4 < row.single < 0.6
    assert sum(row.allocated) == trial.n
    again = measure(trial, METHOD, "1", 7, seed=1)
    assert np.array_equal(row.values, again.values)


def test_without_privacy_once_is_enough() -> None:
    trial = small_trial()
    row = measure(trial, METHOD, "inf", 7, seed=1)
    assert row.values.tolist() == [trial.value(np.ones(trial.n))]
    assert cells(row)[1] == "∞"
    assert cells(row)[3].startswith("SE ")
    assert (cells(row)[4], *cells(row)[6:]) == ("", "", "")


def test_repeats_that_nobody_followed_do_not_spoil_a_mean() -> None:
    arms = np.ones(3)
    row = Measured("", "1", np.array([1.0, np.nan, 3.0]), 0.1, 1.0, arms, arms)
    assert row.mean == 2.0


@pytest.mark.parametrize(
    ("p", "words"),
    [(None, "none"), (0.5, "0.500"), (6.1e-4, "6.10e-04"), (1e-17, "<2.2e-16"), (1.0, "1.000")],
)
def test_p_values_are_printed_as_in_the_paper(p: float | None, words: str) -> None:
    assert p_in_words(p) == words


def test_a_sheet_has_all_rows_and_both_arms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials_table, "EPSILONS", ("1", "inf"))
    trial = small_trial()
    sheet = trial_sheet("name", "A trial", trial, [METHOD], 3, 0, Console(quiet=True))
    assert [row[1] for row in sheet.rows] == ["1", "∞", "", ""]
    assert [row[5] for row in sheet.rows[2:]] == [f"0:{trial.n}", f"{trial.n}:0"]
    assert sheet.header == header(trial)
    assert "majority guided:standard" in sheet.header
