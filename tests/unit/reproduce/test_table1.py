from pathlib import Path

import numpy as np
import pytest
from tests.unit.reproduce.trial_files import invented_cyp_guides, small_trial

from dpwerm.arrays import FloatArray
from dpwerm.reproduce import table1, trials_gain, trials_table
from dpwerm.reproduce.table1 import coded, codings_sheet, main, published_cells, published_rows
from dpwerm.reproduce.trials import RealTrial
from dpwerm.study.table import read_table


def encoded(trial: RealTrial) -> FloatArray:
    return trial.study.encoding().encode(read_table(trial.rows, trial.study.feature_columns))


def test_all_published_rows_are_there() -> None:
    rows = published_rows()
    assert [row.study for row in rows] == ["sjcrh"] * 6 + ["cyp_guides"] * 6
    for row in rows:
        assert sum(row.allocated) == row.n
        assert (row.concordance is None) == (row.deviation is None) == (row.epsilon == "inf")
    assert published_cells("cyp_guides")[-1] == [
        "published",
        "∞",
        "4.151",
        "",
        "",
        "1451:8",
        "",
        "",
    ]


def test_a_turned_feature_changes_its_sign_alone() -> None:
    trial = small_trial()
    before, after = encoded(trial), encoded(coded(trial, ("race",)))
    assert np.array_equal(after[:, 2], -before[:, 2])
    assert np.array_equal(np.delete(after, 2, axis=1), np.delete(before, 2, axis=1))


def test_all_codings_are_tried() -> None:
    sheet = codings_sheet(small_trial())
    assert len({tuple(row[:3]) for row in sheet.rows}) == len(sheet.rows) == 8
    assert sheet.rows[0][:3] == ["M", "other", "major"]


def test_without_a_path_the_command_says_that_it_is_skipped(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 0
    assert main(["--cyp-guides", ""]) == 0
    assert "skipped" in capsys.readouterr().out


def test_another_file_ends_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a,b\n1,2\n", encoding="utf-8")
    assert main(["--cyp-guides", str(path)]) == 2
    assert "Assignment: is not a column of the table" in capsys.readouterr().out


def test_the_command_prints_and_fills_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(trials_table, "EPSILONS", ("1", "inf"))
    monkeypatch.setattr(trials_gain, "EPSILONS", ("inf",))
    monkeypatch.setattr(trials_gain, "FOLDS", 2)
    monkeypatch.setattr(table1, "methods", lambda: [table1.ONE_PROPENSITY, table1.BY_ARM])
    page = tmp_path / "page.md"
    names = ("table1", "codings", "table1-gain")
    marks = "\n".join(f"<!-- {name}: begin -->\n<!-- {name}: end -->" for name in names)
    page.write_text(marks, encoding="utf-8")
    data = invented_cyp_guides(tmp_path / "copy.csv")
    assert main(["--cyp-guides", str(data), "--repeats", "2", "--write-docs", str(page)]) == 0
    assert "108 people, 2 repeats" in capsys.readouterr().out
    filled = page.read_text("utf-8")
    assert "| published | 0.1 | 4.144 | 0.205 |  | 1164:295 | 0.801 | 6.10e-4 |" in filled
    assert filled.count("paper, one propensity, no intercept") == 3
