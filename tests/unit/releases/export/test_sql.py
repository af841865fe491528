import sqlite3
from collections.abc import Sequence

import numpy as np
import psycopg
import pyarrow as pa
import pytest
from tests.unit.releases.export.conftest import Ask
from tests.unit.releases.export.rules import (
    HOSTILE,
    Row,
    agree,
    category,
    expected,
    make_rule,
    number,
    random_rows,
    random_rule,
)

from dpwerm.errors import ParameterError
from dpwerm.features.blocks import NumberBlock
from dpwerm.releases.export.sql import sql_case, sql_file, sql_score
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import notice


def check(rule: Rule, rows: Sequence[Row], ask: Ask, **types: str) -> None:
    """Compare a database's answers with ``recommend``, the heading's comments included."""
    kinds = {
        block.column: "DOUBLE PRECISION" if isinstance(block, NumberBlock) else "TEXT"
        for block in rule.release.encoding.blocks
    } | types
    values = [[row[name] for name in kinds] for row in rows]
    found = ask(kinds, values, f"{sql_file(rule)} AS recommended_arm, {sql_score(rule)}")
    agree(rule, [score for _, score in found], [arm for arm, _ in found], expected(rule, rows))


@pytest.mark.parametrize("seed", range(12))
def test_it_agrees_with_recommend(seed: int, ask: Ask) -> None:
    rule = random_rule(seed)
    blanks = ("", "", " ", "\t", "\r\n")
    check(rule, random_rows(rule, 250, seed, blanks=blanks, spellings=["{}.0"]), ask)


@pytest.mark.parametrize("kind", ["INTEGER", "DOUBLE PRECISION", "NUMERIC"])
def test_a_column_of_numbers_can_be_a_category_or_a_number(kind: str, ask: Ask) -> None:
    rule = make_rule(
        [category("c", ["1", "02", "3.0", "10"], star=True, default=2), number("x", -2, 2, 1)],
        [3, 5, 2**37, -(2**36), 2**35, 2**34, 2**38],
    )
    values = (1, 2, 3, 10, -1, 0, 100, None)
    types = {"c": kind, "x": kind}
    found = ask(types, [(one, one) for one in values], sql_score(rule))
    rows: list[Row] = [{"c": None if one is None else str(one), "x": one} for one in values]
    np.testing.assert_allclose([score for (score,) in found], expected(rule, rows), rtol=1e-12)


def test_a_boolean_column_of_postgresql(postgresql: Ask) -> None:
    rule = make_rule([category("c", ["false", "true", "x"], default=2)], [0, 1, 2**36, 2**37])
    found = postgresql({"c": "BOOLEAN"}, [[True], [False], [None]], sql_score(rule))
    wanted = expected(rule, [{"c": "true"}, {"c": "false"}, {"c": None}])
    np.testing.assert_allclose([score for (score,) in found], wanted, rtol=1e-12)


def test_texts_in_a_number_column_of_sqlite_are_read_or_missing(sqlite: Ask) -> None:
    rule = make_rule([number("x", 0, 20, 3)], [1, 2**38])
    texts = ["9", " 9 ", "10", "100", "-1", "1e1", "+5", ".5", "NA", "", "nine", "inf", "nan", None]
    wanted = rule.score_table(pa.table({"x": pa.array(texts, pa.string())}))
    for kind in ("TEXT", "REAL", ""):
        found = sqlite({"x": kind}, [[text] for text in texts], sql_score(rule))
        np.testing.assert_allclose([score for (score,) in found], wanted, rtol=1e-12)


def test_texts_in_a_number_column_of_postgresql_are_refused(postgresql: Ask) -> None:
    rule = make_rule([number("x", 0, 20, 3)], [1, 2**38])
    with pytest.raises(psycopg.errors.UndefinedFunction):
        postgresql({"x": "TEXT"}, [["9"]], sql_score(rule))


def test_a_column_that_is_not_there_is_an_error(ask: Ask) -> None:
    rule = make_rule([number("x", 0, 1), category("c", "ab")], [1, 2**30, 2**30])
    for there in ("x", "c"):
        with pytest.raises((sqlite3.OperationalError, psycopg.errors.UndefinedColumn)):
            ask({there: "INTEGER"}, [[1]], sql_case(rule))


@pytest.mark.parametrize("default", [0, 1])
def test_a_score_of_zero_is_the_default_arm(default: int, ask: Ask) -> None:
    rule = make_rule([number("x", 0, 1), category("c", "ab")], [0, 0, 0], default=default)
    check(rule, [{"x": 0.1, "c": "a"}, {"x": None, "c": None}], ask)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name: str, ask: Ask) -> None:
    shown = name.strip()
    rule = make_rule(
        [number(name, 0, 1), category(name + "2", [shown, "b"])],
        [1, 2**40, 2**30],
        arms=(shown, shown + "2"),
        name=name,
    )
    rows: list[Row] = [{name: x, name + "2": c} for x in (0.0, 1.0) for c in (shown, "b", "x")]
    check(rule, rows, ask)
    comments = [line for line in sql_file(rule).split("CASE")[0].splitlines() if line]
    assert all(line.startswith("-- ") for line in comments)
    assert f"-- {notice(rule)}" in comments


def test_a_rule_of_many_columns_is_not_too_deep(ask: Ask) -> None:
    rng = np.random.default_rng(0)
    rule = make_rule(
        [number(f"x{i}", -1, 1) for i in range(1_050)],
        [int(k) for k in rng.integers(-(2**30), 2**30, 1_051)],
    )
    values = [float(x) if x > 0 else None for x in rng.normal(size=1_050)]
    rows: list[Row] = [{f"x{i}": x for i, x in enumerate(values)}]
    check(rule, rows, ask)


def test_bounds_below_zero_begin_no_comment(ask: Ask) -> None:
    rule = make_rule([number("x", -9, -3, -4)], [-5, -(2**38)])
    assert "--" not in sql_case(rule)
    check(rule, [{"x": x} for x in (-10.0, -8.0, -3.5, 0.0, None)], ask)


@pytest.mark.parametrize("place", ["column", "cell", "arm"])
def test_a_null_character_is_refused(place: str) -> None:
    name = {place: "a\0b"}
    rule = make_rule(
        [category(name.get("column", "c"), [name.get("cell", "a"), "b"])],
        [1, 2**30],
        arms=(name.get("arm", "a"), "b"),
    )
    with pytest.raises(ParameterError, match=r"U\+0000"):
        sql_file(rule)
