from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from tests.reproduction.trials.trial_bench import small_bench

from reproduction.trials import source as trials_actg175
from reproduction.trials.actg175 import ARTEFACT, paper_gamma
from reproduction.trials.source import actg175


def test_gamma_is_as_large_beside_the_bound_as_the_papers() -> None:
    assert paper_gamma(actg175()) == pytest.approx(2.754 * 3000, rel=1e-3)


def test_the_tables_say_that_the_paper_has_no_such_trial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ARTEFACT.make(small_bench("actg175", tmp_path, monkeypatch))
    assert [sheet.name for sheet in made.sheets] == ["actg175-gain"]
    assert "not in the paper" in ARTEFACT.title
    assert made.verdicts == []
    assert {row["method"] for row in made.rows} == {"paper", "ours"}
    assert [row["epsilon"] for row in made.rows[:6]] == ["0.1", "0.5", "1", "2", "5", "inf"]


def test_without_lifelines_it_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(trials_actg175, "distribution", missing)
    made = ARTEFACT.make(small_bench("actg175", tmp_path, monkeypatch))
    assert made.sheets == []
    assert "lifelines: is not installed" in made.skipped
