"""``dpwerm export`` writes a rule that runs elsewhere and says whether it is private."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.bad_input.base import sound_table
from tests.cli.conftest import Trial
from tests.said import Run

from dpwerm.releases.export import EXPORTS
from dpwerm.releases.export.terms import Export
from dpwerm.releases.rule_file import read_rule


@pytest.mark.parametrize("options", [(), ("--epsilon", "inf")])
def test_it_writes_each_language_and_says_the_notice(
    run: Run, fit: Run, trial: Trial, options: tuple[str, ...]
) -> None:
    assert fit(*options).code == 0
    for ending, use in (
        ("py", "recommend(row)"),
        ("R", "recommend(data) gives the arm of each row"),
        ("sql", "AS recommended_arm FROM your_table AS t"),
        ("onnx", "outputs recommended_arm and score"),
    ):
        out = trial.rule.with_suffix(f".{ending}")
        result = run("export", trial.rule, "--out", out)
        assert (result.code, result.err) == (0, "")
        first, second = result.out.splitlines()
        assert first.startswith("NOT PRIVATE" if options else "Released under differential privacy")
        assert second.startswith(f"Wrote {out}. Use: ")
        assert use in second
        assert first.encode() in out.read_bytes()


def test_what_it_writes_recommends_what_the_rule_does(run: Run, fit: Run, trial: Trial) -> None:
    assert fit().code == 0
    for ending in ("py", "sql"):
        path = trial.rule.with_suffix(f".{ending}")
        assert run("export", trial.rule, "--out", path).code == 0
    rule = read_rule(trial.rule)
    wanted = list(rule.arms_for(rule.score_table(trial.table)))
    rows = [dict(zip(sound_table().header, row, strict=True)) for row in sound_table().rows]
    made: dict[str, Any] = {}
    exec(trial.rule.with_suffix(".py").read_bytes(), made)  # noqa: S102 - what was written
    assert [made["recommend"](row) for row in rows] == wanted
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE t (age TEXT, sex TEXT)")
        people = [(row["age"], row["sex"]) for row in rows]
        database.executemany("INSERT INTO t VALUES (?, ?)", people)
        expression = trial.rule.with_suffix(".sql").read_text(encoding="utf-8")
        query = f"SELECT *, {expression} AS recommended_arm FROM t"  # noqa: S608 - the user's way
        assert [row[-1] for row in database.execute(query)] == wanted


def test_what_stands_in_the_way_is_said(run: Run, fit: Run, trial: Trial, tmp_path: Path) -> None:
    assert fit().code == 0
    taken = tmp_path / "taken.sql"
    taken.write_text("mine", encoding="utf-8")
    for out, words in (
        (taken, "add --force to replace it"),
        (tmp_path / "rule.txt", "must end in .py, .R, .sql or .onnx"),
        (trial.rule, "must end in .py, .R, .sql or .onnx"),
        (tmp_path / "nowhere" / "rule.py", "does not exist"),
    ):
        result = run("export", trial.rule, "--out", out)
        assert result.code == 2
        assert words in result.err
    assert taken.read_text(encoding="utf-8") == "mine"
    assert run("export", trial.rule, "--out", taken, "--force").code == 0
    assert taken.read_text(encoding="utf-8") != "mine"


def test_a_registered_language_needs_no_other_change(
    run: Run, fit: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = Export(".txt", lambda rule: "\n".join(rule.arms).encode(), "read it.")
    monkeypatch.setitem(EXPORTS, listed.ending, listed)
    assert fit().code == 0
    out = trial.rule.with_suffix(".txt")
    result = run("export", trial.rule, "--out", out)
    assert result.code == 0
    assert f"Wrote {out}. Use: read it." in result.out
    assert out.read_text(encoding="utf-8") == "pill\ntherapy"
