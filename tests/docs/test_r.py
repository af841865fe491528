"""The page for R users runs with the real R, and its rule agrees with ``dpwerm recommend``."""

import csv
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.pages import ROOT, run_page
from tests.rscript import rscript
from tests.unit.plan.studies import make_small

from dpwerm.cli.main import main

STUDY = """
format = 1
study = { id = "odd-cells" }
treatment = { column = "arm", arms = { a = "1/3", b = "2/3" }, default = "b" }
benefit = { column = "gain", bounds = [0, 1] }
method = { gamma = 5, saturation = 2, threshold = 0.01 }

[features]
dose = { kind = "number", bounds = [-2.5, 40], default = 3 }
smokes = { kind = "category", levels = ["no", "yes"], default = "yes" }
site = { kind = "category", column = "site code", levels = { n = ["1", "2"], o = "*", s = ["3"] } }
answer = { kind = "category", levels = ["NA", "given", "ä, \\"b\\""] }
"""
CELLS = {
    "dose": [
        "0",
        "-2.5",
        "-1e3",
        "39.9",
        "500",
        "",
        "NA",
        "many",
        " 7 ",
        "Inf",
        "1e1",
        ".5",
        "True",
    ],
    "site code": ["1", "2", "3", "4", "", "NA", "null", " 3 ", "north", "1.0", "02", "30e-1"],
    "smokes": ["no", "yes", "", "NaN", "maybe", "YES"],
    "answer": ["NA", "given", 'ä, "b"', "", "N/A", "none"],
}
EXAMPLE = ROOT / "docs" / "examples" / "use_rule.R"
PAGE = ROOT / "docs" / "r.md"


@pytest.fixture
def r() -> str:
    """Return the program that runs R scripts."""
    return rscript("jsonlite")


def test_the_page_runs_as_printed(r: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_small(tmp_path / "settings", monkeypatch)
    place = tmp_path / "place"
    place.mkdir()
    shutil.copy(EXAMPLE, place)  # the page shows this file and says to save it
    assert run_page(PAGE, place) == 3


def write_people(path: Path, count: int, seed: int) -> None:
    """Write random people whose cells are odd in every way that a rule knows."""
    lots = random.Random(seed)  # noqa: S311 - cells of a test
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*CELLS, "arm", "gain"])
        for _ in range(count):
            cells = [lots.choice(values) for values in CELLS.values()]
            writer.writerow([*cells, lots.choice("ab"), lots.random()])


def test_odd_cells_mean_the_same_in_r(
    r: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    Path("study.toml").write_text(STUDY, encoding="utf-8")
    write_people(Path("trial.csv"), 300, seed=1)
    write_people(Path("people.csv"), 2_000, seed=2)
    fit = "fit study.toml trial.csv --epsilon 1 --seed 1 --yes"
    assert main(fit.split()) == 0
    right = EXAMPLE.read_text("utf-8")
    wrong = right.replace("rule$score(people)", "2 * rule$score(people)")
    assert wrong != right
    for code, text in ((0, right), (1, wrong)):
        Path("use_rule.R").write_text(text, encoding="utf-8")
        done = subprocess.run(
            [r, "use_rule.R", "rule.json", "people.csv"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == code, done.stderr
        assert ("2000 people have the same arm" in done.stdout) is (code == 0)
        for column in ("dose holds no finite number", "smokes holds no declared level"):
            assert f"column {column} in row" in done.stderr
        Path("recommended.csv").unlink()
