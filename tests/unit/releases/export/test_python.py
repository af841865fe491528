import ast
import math
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.unit.releases.export.rules import (
    HOSTILE,
    NUMBER_SPELLINGS,
    Row,
    agree,
    category,
    expected,
    hostile_rule,
    make_rule,
    number,
    random_rows,
    random_rule,
)

from dpwerm.releases.export.python import python_source
from dpwerm.releases.export.terms import digest
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import notice


def module(rule: Rule) -> dict[str, Any]:
    """Run the exported module as Python reads it from a file: as bytes."""
    names: dict[str, Any] = {"__name__": "rule"}
    exec(compile(python_source(rule).encode(), "rule.py", "exec"), names)  # noqa: S102
    return names


@pytest.mark.parametrize("seed", range(16))
def test_it_agrees_with_recommend(seed: int) -> None:
    rule = random_rule(seed)
    blanks = ("", "", " ", "\t", "\r\n", "\u00a0\u3000")
    spellings = (*NUMBER_SPELLINGS, "{}0e-1", "{}.000")
    rows = random_rows(rule, 200, seed, blanks=blanks, spellings=spellings)
    made = module(rule)
    scores, arms = [made["score"](row) for row in rows], [made["recommend"](row) for row in rows]
    agree(rule, scores, arms, expected(rule, rows))


@pytest.mark.parametrize("default", [0, 1])
def test_a_score_of_zero_is_the_default_arm(default: int) -> None:
    rule = make_rule([number("x", 0, 1), category("c", "ab")], [0, 0, 0], default=default)
    made = module(rule)
    assert made["score"]({}) == 0
    assert made["recommend"]({}) == rule.default


def test_values_of_every_type_mean_what_they_mean_in_a_table() -> None:
    rule = make_rule(
        [number("x", -5, 5, 1), category("c", ["1", "true", "0.5"], star=True)],
        [2**36, 2**37, 3, 5 * 2**36, 7 * 2**36, 11 * 2**36],
    )
    made = module(rule)
    values: list[Any] = [
        *(None, True, False, 1, 1.0, 0.5, -7, 10**400, math.nan, math.inf, "1", " 1.0 ", "TRUE"),
        *("", "NA", "nan", "1e0", ".5", "x", Decimal("0.50"), Decimal(1), pd.NA, pd.NaT),
        *(np.float64(0.5), np.float32(0.1), np.int8(1), np.True_, np.str_("1"), "\ud800"),
        *(pd.Timestamp(0), [1], (2,), b"1", np.longdouble(1), 1 + 0j),
    ]
    for value in values:
        table = pd.DataFrame({"x": [value, None], "c": [value, None]}, dtype=object)
        found = made["score"]({"x": value, "c": value})
        assert found == pytest.approx(rule.score_table(table)[0], rel=1e-12), repr(value)


def test_it_imports_nothing_and_its_heading_says_what_it_is() -> None:
    for seed in range(3):  # private, from a seed, without noise
        rule = random_rule(seed)
        source = python_source(rule)
        kinds = {type(node) for node in ast.walk(ast.parse(source))}
        assert not kinds & {ast.Import, ast.ImportFrom}
        assert f"# {notice(rule)}\n" in source
        assert digest(rule) in source
        assert ("NOT PRIVATE" in source) == (seed > 0)


def test_a_column_that_changes_nothing_is_not_read_and_a_missing_one_is_an_error() -> None:
    rule = make_rule([number("x", 0, 1), number("little", 0, 1)], [5, 2**30, 1], threshold=0.5)
    made = module(rule)
    assert "# Not read, because they change nothing: little.\n" in python_source(rule)
    wanted = expected(rule, [{"x": 0.7, "little": 1.0}])[0]
    assert made["score"]({"x": 0.7}) == pytest.approx(wanted, rel=1e-12)
    with pytest.raises(KeyError, match="x"):
        made["score"]({"little": 1})


@pytest.mark.parametrize("name", [*HOSTILE, "\nimport os", '"""\nraise SystemExit'])
def test_hostile_names_stay_text(name: str) -> None:
    rule, shown = hostile_rule(name), name.strip()
    made = module(rule)
    assert set(made) - {"__builtins__", "__name__", "__doc__", "__annotations__"} == {
        *("CONSTANT", "NUMBERS", "CATEGORIES", "FIRST", "SECOND", "DEFAULT"),
        *("recommend", "score", "number", "text", "is_number", "spelling"),
    }
    assert made["recommend"]({name: 1.0, name + "2": name}) == shown + "2"
    assert made["recommend"]({name: 0.0, name + "2": name}) == shown
    assert made["NUMBERS"][0][0] == name
    assert "\u202e" not in python_source(rule)


def test_a_title_cannot_change_the_encoding_of_the_source() -> None:
    evil = "+AAo-raise SystemExit"
    rule = make_rule([category("c", [evil, "b"])], [1, 2**36], name="-*- coding: utf-7 -*-")
    rows: list[Row] = [{"c": evil}, {"c": "b"}]
    made = module(rule)
    agree(
        rule,
        [made["score"](row) for row in rows],
        [made["recommend"](row) for row in rows],
        expected(rule, rows),
    )
