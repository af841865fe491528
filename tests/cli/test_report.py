"""``dpwerm report``: from files alone to a page, a text and data."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from tests.cli.conftest import Trial
from tests.said import Run


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "report.html"


@pytest.fixture
def value(run: Run, trial: Trial, fit: Run, tmp_path: Path) -> Path:
    """Return the value file of a fitted rule."""
    assert fit().code == 0
    path = tmp_path / "value.json"
    done = run(
        "evaluate", trial.rule, trial.study, trial.table, "--epsilon", "0.5", "--out", path, "--yes"
    )
    assert done.code == 0
    return path


def test_a_rule_alone_is_enough(run: Run, fit: Run, trial: Trial, out: Path) -> None:
    assert fit().code == 0
    trial.table.unlink()
    result = run("report", trial.rule, "--out", out)
    assert result.code == 0
    assert "no row was read" in result.out
    assert "With --study" in result.out
    assert "With --value" in result.out
    page = out.read_text(encoding="utf-8")
    assert "entry 3 of ledger" in page
    assert "dpwerm ledger show study.toml" in page


def test_with_study_and_value_it_says_what_is_left(
    run: Run, trial: Trial, value: Path, out: Path
) -> None:
    given = ("report", trial.rule, "--study", trial.study, "--value", value)
    for ending in ("html", "txt", "json"):
        result = run(*given, "--out", out.with_suffix(f".{ending}"))
        assert result.code == 0
        assert "With --" not in result.out
    text = out.with_suffix(".txt").read_text(encoding="utf-8")
    assert "For the study, of epsilon 2, 1.5 is spent and 0.5 is left." in text
    assert "this rule" in text
    assert "its value" in text
    assert "dpwerm report rule.json --study study.toml --value value.json" in text
    data = json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))
    assert data["format"] == "dpwerm-report"
    keys = ["short", "learned", "quality", "cost", "private", "limits", "words"]
    keys += ["certificate", "made"]
    assert [section["key"] for section in data["sections"]] == keys


def test_the_same_files_give_the_same_page(run: Run, fit: Run, trial: Trial, out: Path) -> None:
    assert fit().code == 0
    other = out.with_name("again.html")
    assert run("report", trial.rule, "--study", trial.study, "--out", out).code == 0
    assert run("report", trial.rule, "--study", trial.study, "--out", other).code == 0
    assert out.read_bytes() == other.read_bytes()


def test_the_value_of_another_rule_is_refused(
    run: Run, fit: Run, trial: Trial, value: Path, out: Path
) -> None:
    trial.rule.unlink()
    assert fit("--epsilon", "0.5").code == 0
    result = run("report", trial.rule, "--value", value, "--out", out)
    assert result.code == 2
    assert "about another rule" in result.err
    assert not out.exists()


def test_files_in_each_others_place_are_named(
    run: Run, trial: Trial, value: Path, out: Path
) -> None:
    result = run("report", value, "--out", out)
    assert result.code == 2
    assert "this is a value file, where a rule file is needed" in result.err
    result = run("report", trial.rule, "--value", trial.rule, "--out", out)
    assert result.code == 2
    assert "this is a rule file, where a value file is needed" in result.err


def test_an_edited_rule_gives_no_report(run: Run, fit: Run, trial: Trial, out: Path) -> None:
    assert fit().code == 0
    text = trial.rule.read_text(encoding="utf-8")
    trial.rule.write_text(text.replace('"epsilon": "1"', '"epsilon": "0.1"'), encoding="utf-8")
    result = run("report", trial.rule, "--out", out)
    assert result.code == 2
    assert "does not match the content" in result.err
    assert not out.exists()


def test_a_rule_that_the_ledger_does_not_know_gives_no_report(
    run: Run, fit: Run, trial: Trial, out: Path, tmp_path: Path
) -> None:
    assert fit().code == 0
    kept = tmp_path / "kept.json"
    shutil.move(trial.rule, kept)
    (tmp_path / "ledger.db").unlink()
    assert fit().code == 0
    result = run("report", kept, "--study", trial.study, "--out", out)
    assert result.code == 4
    assert "does not hold the charge" in result.err
    assert not out.exists()


def test_an_edited_ledger_gives_no_report(
    run: Run, fit: Run, trial: Trial, out: Path, tmp_path: Path
) -> None:
    assert fit().code == 0
    with sqlite3.connect(tmp_path / "ledger.db") as database:
        database.execute("DROP TRIGGER dpwerm_entries_delete")
        database.execute("DELETE FROM dpwerm_entries WHERE rowid = 3")
    database.close()
    result = run("report", trial.rule, "--study", trial.study, "--out", out)
    assert result.code == 4
    assert not out.exists()


def test_a_rule_without_a_claim_needs_no_ledger(
    run: Run, fit: Run, trial: Trial, out: Path
) -> None:
    assert fit("--epsilon", "inf").code == 0
    result = run("report", trial.rule, "--study", trial.study, "--out", out)
    assert result.code == 0
    assert "NOT PRIVATE" in result.out
    assert "NOT PRIVATE" in out.read_text(encoding="utf-8")


def test_a_release_outside_any_ledger_is_said_to_be(
    run: Run, fit: Run, trial: Trial, out: Path
) -> None:
    assert fit("--ledger", "none").code == 0
    assert run("report", trial.rule, "--study", trial.study, "--out", out).code == 0
    assert "NO LEDGER knows of this release" in out.read_text(encoding="utf-8")


def test_the_study_file_is_read_even_if_there_is_no_charge(
    run: Run, fit: Run, trial: Trial, out: Path, tmp_path: Path
) -> None:
    assert fit("--ledger", "none").code == 0
    assert run("report", trial.rule, "--study", tmp_path / "no.toml", "--out", out).code == 2
    other = tmp_path / "other.toml"
    text = trial.study.read_text(encoding="utf-8")
    other.write_text(text.replace('id = "small-trial"', 'id = "other"'), encoding="utf-8")
    result = run("report", trial.rule, "--study", other, "--out", out)
    assert result.code == 2
    assert "comes from another study" in result.err
    assert run("report", trial.rule, "--study", trial.study, "--out", out).code == 0
    page = out.read_text(encoding="utf-8")
    assert "dpwerm verify rule.json\n" in page
    assert "--study study.toml" not in page.partition('id="private"')[2]


def test_a_changed_total_stands_in_the_report_with_its_reason(
    run: Run, fit: Run, trial: Trial, out: Path
) -> None:
    assert fit().code == 0
    text = trial.study.read_text(encoding="utf-8")
    trial.study.write_text(text.replace("epsilon = 2", "epsilon = 3"), encoding="utf-8")
    given = ("ledger", "total", trial.study, "--reason", "the board agreed in May", "--yes")
    assert run(*given).code == 0
    text_file = out.with_suffix(".txt")
    assert run("report", trial.rule, "--study", trial.study, "--out", text_file).code == 0
    shown = text_file.read_text(encoding="utf-8")
    assert "total was changed after the study began" in shown
    assert "the board agreed in May" in shown


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--out", "report.docx"), "must end in .html, .txt or .json"),
        (("--out", "rule.json"), "is an input of this command"),
        (("--ledger", "sqlite:///ledger.db"), "--ledger needs --study"),
    ],
)
def test_wrong_options_are_refused_with_a_way_out(
    run: Run,
    fit: Run,
    trial: Trial,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(trial.rule.parent)
    assert fit().code == 0
    before = trial.rule.read_bytes()
    result = run("report", trial.rule, *options)
    assert result.code == 2
    assert words in result.err
    assert trial.rule.read_bytes() == before


def test_an_existing_report_is_kept_without_force(
    run: Run, fit: Run, trial: Trial, out: Path
) -> None:
    assert fit().code == 0
    out.write_text("mine", encoding="utf-8")
    assert run("report", trial.rule, "--out", out).code == 2
    assert out.read_text(encoding="utf-8") == "mine"
    assert run("report", trial.rule, "--out", out, "--force").code == 0
