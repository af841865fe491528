"""One contract for every language: an exported rule answers as ``recommend`` does.

Twenty rules that differ in their coefficients see the same odd cells, so that a cell that is read
in another way changes some arm.
"""

import math
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.releases.export.rules import Row, category, expected, make_rule, number
from tests.unit.releases.export.test_onnx import run as run_onnx
from tests.unit.releases.export.test_r import answers

from dpwerm.releases.export import EXPORTS
from dpwerm.releases.release import Rule

BLOCKS = [
    number("dose", 0, 20, 3),
    category("sex", ["F", "M", "x"], default=2),
    category("site", ["1", "2"], star=True, default=2),
    category("answer", ["NA", "given"]),
]
RULES = [
    make_rule(BLOCKS, [int(k) for k in np.random.default_rng(seed).integers(-(2**38), 2**38, 9)])
    for seed in range(20)
]
KNOWN: Row = {"dose": 9.0, "sex": "M", "site": "2", "answer": "given"}
ODD: dict[str, Sequence[float | str | None]] = {
    "dose": (None, math.nan, math.inf, -math.inf, -7.0, 400.0, 1e300),
    "sex": (None, "", "NA", "null", "f", " F ", "unknown", "1"),
    "site": (None, "", "N/A", "1.0", "3", "north", "10"),
    "answer": (None, "", "NA", "NaN", "none"),
}
ROWS = [KNOWN, *(KNOWN | {column: cell} for column, cells in ODD.items() for cell in cells)]


def in_python(_folder: Path) -> list[list[str]]:
    found = []
    for rule in RULES:
        made: dict[str, Any] = {}
        exec(EXPORTS[".py"].write(rule), made)  # noqa: S102 - what was written
        found.append([made["recommend"](row) for row in ROWS])
    return found


def in_sqlite(_folder: Path) -> list[list[str]]:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("CREATE TABLE people (dose DOUBLE PRECISION, sex TEXT, site TEXT, answer)")
        values = [tuple(row[column] for column in KNOWN) for row in ROWS]
        database.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", values)

        def ask(rule: Rule) -> list[str]:
            arm = EXPORTS[".sql"].write(rule).decode()
            query = f"SELECT {arm} FROM people AS t ORDER BY rowid"  # noqa: S608 - the user's way
            return [one for (one,) in database.execute(query)]

        return [ask(rule) for rule in RULES]


def in_onnx(_folder: Path) -> list[list[str]]:
    return [run_onnx(rule, ROWS)[0] for rule in RULES]


def in_r(folder: Path) -> list[list[str]]:
    return [arms for _, arms in answers(folder, [(rule, ROWS) for rule in RULES])]


ANSWERS: dict[str, Callable[[Path], list[list[str]]]] = {
    ".py": in_python,
    ".R": in_r,
    ".sql": in_sqlite,
    ".onnx": in_onnx,
}


@pytest.mark.parametrize("ending", EXPORTS)
def test_odd_cells_have_the_arm_that_recommend_gives(ending: str, tmp_path: Path) -> None:
    wanted = [rule.arms_for(expected(rule, ROWS)).tolist() for rule in RULES]
    assert ANSWERS[ending](tmp_path) == wanted


@pytest.mark.parametrize(
    ("column", "cell", "taken"),
    [
        ("dose", None, 0.0),
        ("sex", "unknown", "x"),
        ("site", "", "north"),
        ("answer", "NA", "given"),
    ],
)
def test_a_cell_that_is_read_in_another_way_changes_some_arm(
    column: str, cell: float | str | None, taken: float | str
) -> None:
    rows: list[Row] = [KNOWN | {column: cell}, KNOWN | {column: taken}]
    arms = [rule.arms_for(expected(rule, rows)).tolist() for rule in RULES]
    assert any(one != other for one, other in arms)
