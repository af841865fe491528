"""Names in a study file are text: no markup, no mathematics, no steering of a terminal."""

from pathlib import Path

import pandas as pd
import pytest
from tests.bad_input.base import STUDY, sound_table
from tests.cli.conftest import Trial
from tests.said import Run

from dpwerm.documents.figures import save_figure
from dpwerm.releases.rule_file import read_rule

NAME = "[red]Trial[/red] :smile: $\\frac{1}{0$"
ARM = "[bold]pill[/bold]"
FEATURE = "cost $ [i]per _day^"


def hostile(trial: Trial) -> None:
    text = (
        STUDY.replace('id = "small-trial"', f'id = "small-trial"\nname = {toml(NAME)}')
        .replace("[features.age]", f'[features.{toml(FEATURE)}]\ncolumn = "age"')
        .replace("pill = 0.5", f"{toml(ARM)} = 0.5")
    )
    # A second number, so that the picture of recommendations is drawn too.
    text = text.replace(
        "[treatment]", "[features.person]\nkind = 'number'\nbounds = [0, 24]\n\n[treatment]"
    )
    trial.study.write_text(text, encoding="utf-8")
    cells = sound_table()
    rows = [i for i, row in enumerate(cells.rows) if row[3] == "pill"]
    trial.table.write_bytes(cells.set("arm", ARM, rows).to_bytes())


def toml(text: str) -> str:
    return '"' + text.replace("\\f", "\\\\f") + '"'


def test_they_are_printed_as_they_are(fit: Run, run: Run, trial: Trial) -> None:
    hostile(trial)
    result = fit()
    assert result.code == 0
    title = result.out.partition("\n\n")[2].partition("\n\n")[2].splitlines()[0]
    assert title == r"[red]Trial[/red] :smile: $\frac{1}{0$"
    assert f"'{ARM}' where it is below" in result.out
    assert FEATURE in result.out
    assert "\x1b" not in result.out
    assert run("verify", trial.rule).code == 0
    assert run("check", trial.study, trial.table).code == 0


def test_they_survive_the_file(fit: Run, run: Run, trial: Trial, tmp_path: Path) -> None:
    hostile(trial)
    assert fit().code == 0
    rule = read_rule(trial.rule)
    assert rule.arms[0] == ARM
    assert FEATURE in rule.release.encoding.coefficient_names
    out = tmp_path / "out.csv"
    assert run("recommend", trial.rule, trial.table, "--out", out).code == 0


def test_they_can_be_drawn(fit: Run, trial: Trial, tmp_path: Path) -> None:
    hostile(trial)
    assert fit().code == 0
    picture = tmp_path / "rule.png"
    save_figure(read_rule(trial.rule), picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_a_rejected_rule_cannot_steer_the_terminal(fit: Run, run: Run, trial: Trial) -> None:
    assert fit().code == 0
    text = trial.rule.read_text(encoding="utf-8")
    edited = text.replace('"notice": "Released', '"notice": "[red]\\u001b[2JReleased')
    trial.rule.write_text(edited, encoding="utf-8")
    result = run("verify", trial.rule)
    assert result.code == 4
    assert "notice: has a line break, another control character" in result.err
    assert "[red]" not in result.err
    edited = text.replace('"notice": "Released', '"notice": "[red]Released')
    trial.rule.write_text(edited, encoding="utf-8")
    assert "recorded [red]Released" in run("verify", trial.rule).err


@pytest.mark.parametrize(
    "name", ["Study\\n=====\\n\\nepsilon 0.01", "a\\u2028b", "\\u001b[2J", "\\u202ea"]
)
def test_a_name_of_several_lines_is_refused(run: Run, fit: Run, trial: Trial, name: str) -> None:
    new = f'id = "small-trial"\nname = "{name}"'
    trial.study.write_text(STUDY.replace('id = "small-trial"', new), encoding="utf-8")
    for result in (run("check", trial.study), fit()):
        assert result.code == 2
        assert "study.name: has a line break" in result.err
        assert "write it in one line of plain text" in result.err


def test_a_column_of_several_lines_is_printed_in_one(fit: Run, run: Run, trial: Trial) -> None:
    column = "age\nin years"
    text = STUDY.replace("[features.age]", '[features.age]\ncolumn = "age\\nin years"')
    trial.study.write_text(text, encoding="utf-8")
    result = run("check", trial.study, trial.table)
    assert r"  age\nin years: is not a column of the table" in result.err
    frame = pd.read_csv(trial.table).rename(columns={"age": column})
    table = trial.table.with_suffix(".parquet")
    frame.assign(**{column: 200.0}).to_parquet(table)
    assert r"age\nin years: every cell" in run("check", trial.study, table).out
    rule = run("fit", trial.study, table, "--epsilon", "1", "--yes", "--out", trial.rule)
    assert rule.code == 0
    assert "in years" not in rule.out
    out = table.with_name("out.parquet")
    assert r"  age\nin years: every cell" in run("recommend", trial.rule, table, "--out", out).out
