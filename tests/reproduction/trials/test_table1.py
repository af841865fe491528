import re
from pathlib import Path

import numpy as np
import pytest
from tests.reproduction.trials.trial_bench import small_bench
from tests.reproduction.trials.trial_files import invented_cyp_guides, small_trial

from dpwerm.arrays import FloatArray
from dpwerm.errors import TableError
from reproduction.trials.table1 import ARTEFACT, coded, codings_words
from reproduction.trials.trial import OpenTrial


def test_without_the_file_the_stand_in_is_there_and_the_rest_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = ARTEFACT.make(small_bench("table1", tmp_path, monkeypatch))
    assert "CYP-GUIDES is skipped" in made.skipped
    assert made.sheets == []
    assert "SJCRH is SIMULATED here" in made.notes[0]
    assert "one SIMULATED trial of 246 people" in made.notes[-1]
    assert {row["trial"] for row in made.rows} == {"sjcrh", "sjcrh-simulated"}
    assert all("simulated" in verdict.claim.lower() for verdict in made.verdicts)
    assert "repeats instead of 200" in made.left_out


def test_both_trials_are_put_beside_the_published_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = invented_cyp_guides(tmp_path / "copy.csv")
    made = ARTEFACT.make(small_bench("table1", tmp_path, monkeypatch, data))
    assert made.skipped == ""
    assert [sheet.name for sheet in made.sheets] == ["cyp-guides-gain"]
    cyp = [row for row in made.rows if row["trial"] == "cyp-guides"]
    assert {row["method"] for row in cyp} == {"paper", "ours"}
    assert len(made.verdicts) == 2 * (6 + 4)
    made.pictures["values"].canvas.draw()


def test_the_same_bench_gives_the_same_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, again = (
        ARTEFACT.make(small_bench("table1", tmp_path / name, monkeypatch)) for name in "ab"
    )
    assert first.rows == again.rows
    assert first.sheets == again.sheets


def test_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(TableError, match="Assignment: is not a column of the table"):
        ARTEFACT.make(small_bench("table1", tmp_path, monkeypatch, path))


def encoded(trial: OpenTrial) -> FloatArray:
    return trial.encoded(trial.study.encoding())


def test_a_turned_feature_changes_its_sign_alone() -> None:
    trial = small_trial()
    before, after = encoded(trial), encoded(coded(trial, ("race",)))
    assert np.array_equal(after[:, 2], -before[:, 2])
    assert np.array_equal(np.delete(after, 2, axis=1), np.delete(before, 2, axis=1))


def test_all_codings_are_tried() -> None:
    words = codings_words(small_trial(400))
    assert "over the 8 orders of the levels of sex, race and diagnosis: " in words
    ends = re.findall(r"(\d+):(\d+) to (\d+):(\d+) with (one propensity|propensity by arm)", words)
    assert len(ends) == 2
    assert any(int(few) < int(many) for few, _, many, _, _ in ends)
    for few, rest, many, left, _ in ends:
        assert int(few) + int(rest) == int(many) + int(left) == 400
