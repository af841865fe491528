"""``dpwerm recommend`` adds two columns and keeps the others as they were."""

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from tests.bad_input.base import Cells, sound_table
from tests.cli.conftest import Trial
from tests.said import Run

from dpwerm.releases.rule_file import read_rule, write_rule

ADDED = ["recommended_arm", "score"]


@pytest.fixture
def fitted(fit: Run, trial: Trial) -> Trial:
    assert fit().code == 0
    return trial


def as_arrow(cells: Cells) -> pa.Table:
    return pa.table(dict(zip(cells.header, zip(*cells.rows, strict=True), strict=True)))


def test_it_keeps_every_column_and_cell(run: Run, fitted: Trial, tmp_path: Path) -> None:
    odd = ["007", " spaced ", "", "1.50", 'with "quotes", and comma', "[red]x[/red]"] * 4
    cells = sound_table().add("note", odd)
    table, out = tmp_path / "new.csv", tmp_path / "out.csv"
    table.write_bytes(cells.to_bytes())
    result = run("recommend", fitted.rule, table, "--out", out)
    assert (result.code, result.err) == (0, "")
    assert "Released under differential privacy: epsilon 1" in result.out
    assert f"Wrote {out}: 24 rows with recommended_arm and score." in result.out
    with out.open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    assert header == [*cells.header, *ADDED]
    assert [tuple(row[:-2]) for row in rows] == list(cells.rows)
    rule = read_rule(fitted.rule)
    scores = rule.score_table(as_arrow(cells))
    assert [float(row[-1]) for row in rows] == scores.tolist()
    assert [row[-2] for row in rows] == list(rule.arms_for(scores))


@pytest.mark.parametrize(("come", "go"), [("csv", "parquet"), ("parquet", "csv"), ("tsv", "tsv")])
def test_formats_can_be_mixed(run: Run, fitted: Trial, tmp_path: Path, come: str, go: str) -> None:
    writers: dict[str, Callable[[Path], object]] = {
        "csv": lambda path: path.write_bytes(sound_table().to_bytes()),
        "tsv": lambda path: path.write_bytes(sound_table().to_bytes().replace(b",", b"\t")),
        "parquet": lambda path: pyarrow.parquet.write_table(as_arrow(sound_table()), path),
    }
    readers: dict[str, Callable[[Path], pd.DataFrame]] = {
        "csv": pd.read_csv,
        "tsv": lambda path: pd.read_csv(path, sep="\t"),
        "parquet": pd.read_parquet,
    }
    table, out, plain = tmp_path / f"new.{come}", tmp_path / f"out.{go}", tmp_path / "plain.csv"
    writers[come](table)
    assert run("recommend", fitted.rule, table, "--out", out).code == 0
    assert run("recommend", fitted.rule, fitted.table, "--out", plain).code == 0
    pd.testing.assert_frame_equal(readers[go](out)[ADDED], pd.read_csv(plain)[ADDED])


def test_a_rule_fitted_from_parquet(run: Run, trial: Trial, tmp_path: Path) -> None:
    table = tmp_path / "trial.parquet"
    pyarrow.parquet.write_table(as_arrow(sound_table()), table)
    options = ("--epsilon", 1, "--yes", "--out", trial.rule)
    assert run("fit", trial.study, table, *options).code == 0
    assert run("verify", trial.rule).code == 0


def test_what_stands_in_the_way_is_said(run: Run, fitted: Trial, tmp_path: Path) -> None:
    taken = tmp_path / "taken.csv"
    taken.write_text("mine", encoding="utf-8")
    for out, words in (
        (taken, "add --force to replace it"),
        (tmp_path / "out.xlsx", "must end in .csv, .tsv or .parquet"),
        (tmp_path / "nowhere" / "out.csv", "does not exist"),
    ):
        result = run("recommend", fitted.rule, fitted.table, "--out", out)
        assert result.code == 2
        assert words in result.err
    assert taken.read_text(encoding="utf-8") == "mine"
    forced = run("recommend", fitted.rule, fitted.table, "--out", taken, "--force")
    assert forced.code == 0
    assert taken.read_text(encoding="utf-8") != "mine"


def test_neither_arm_nor_benefit_is_needed(run: Run, fitted: Trial, tmp_path: Path) -> None:
    table = tmp_path / "new.csv"
    table.write_bytes(sound_table().pick([2, 1]).to_bytes())
    assert run("recommend", fitted.rule, table, "--out", tmp_path / "out.csv").code == 0


@pytest.mark.parametrize(("sign", "arm"), [(-1, "pill"), (1, "therapy")])
def test_a_rule_that_gives_everybody_one_arm_says_so(
    run: Run, fitted: Trial, tmp_path: Path, sign: int, arm: str
) -> None:
    rule, one = read_rule(fitted.rule), tmp_path / "one.json"
    first, *rest = rule.release.integers
    moved = (first + sign * 50 * sum(map(abs, rule.release.integers)), *rest)
    write_rule(replace(rule, release=replace(rule.release, integers=moved)), one)
    said = run("recommend", one, fitted.table, "--out", tmp_path / "out.csv").out
    assert f"The rule gives everybody '{arm}', whatever their features are." in said
    assert set(pd.read_csv(tmp_path / "out.csv")["recommended_arm"]) == {arm}
