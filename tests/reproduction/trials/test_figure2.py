from dataclasses import replace
from pathlib import Path

import pytest
from tests.reproduction.trials.trial_bench import small_bench
from tests.reproduction.trials.trial_files import invented_cyp_guides

from reproduction.trials.figure2 import ARTEFACT, Sensitivity, gamma_figure, verdicts
from reproduction.trials.table import Measured

ROW = Measured("paper", "1", 75.0, 200, 4.1, 0.02, 0.05, 0.6, 100, 20, 0.9, -9.0)


def trial_of(*rows: Measured) -> Sensitivity:
    return Sensitivity("one", "One", ("S", "G"), list(rows), list(rows))


def test_both_trials_have_their_panels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = invented_cyp_guides(tmp_path / "copy.csv")
    made = ARTEFACT.make(small_bench("figure2", tmp_path, monkeypatch, data))
    assert set(made.pictures) == {"sjcrh-simulated", "cyp-guides"}
    assert len(made.verdicts) == 6
    assert {row["method"] for row in made.rows} == {"paper", "ours"}
    gammas = {row["gamma"] for row in made.rows}
    assert gammas == {"25", "75", "300", "automatic × 1", "automatic × 4"}
    assert made.left_out
    assert made.skipped == ""


def test_without_the_file_one_trial_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ARTEFACT.make(small_bench("figure2", tmp_path, monkeypatch))
    assert set(made.pictures) == {"sjcrh-simulated"}
    assert "skipped" in made.skipped


def test_numbers_that_hardly_change_are_stable() -> None:
    stable = trial_of(ROW, replace(ROW, scale=100.0, mean=4.11, second=95, first=25))
    assert [verdict.agrees for verdict in verdicts(stable)] == [True, True, True]
    moved = replace(ROW, scale=100.0, mean=4.2, second=40, first=80, concordance=0.5)
    assert [verdict.agrees for verdict in verdicts(trial_of(ROW, moved))] == [False, False, False]


DRAWN = Measured("paper", "1", 75.0, 200, 4.1, 0.02, 0.03, 0.6, 100, 20, 0.9, -9.0)


def test_both_methods_have_the_four_panels_of_the_paper() -> None:
    rows = [replace(DRAWN, epsilon=e, scale=g) for e in ("0.5", "5", "inf") for g in (50.0, 100.0)]
    figure = gamma_figure("A trial", ("S", "G"), rows, [replace(r, log10_p=None) for r in rows])
    assert len(figure.axes) == 8
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert (
        labels[:4]
        == labels[4:]
        == [
            "value, mean ± SD",
            "share with G",
            "concordance",
            "log₁₀ p",
        ]
    )
    assert all(len(axes.containers) == 2 for axes in figure.axes)
    assert [text.get_text() for text in figure.axes[-1].texts] == ["no test"]
    figure.canvas.draw()
