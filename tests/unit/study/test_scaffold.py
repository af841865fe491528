import tomllib
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import StudyError, TableError
from dpwerm.study.scaffold import quoted, scaffold, slugs
from dpwerm.study.study import Study


def test_loading_it_unedited_lists_what_to_fill_in() -> None:
    text = scaffold(pd.DataFrame({"AGE": [1], "RACE/ETHNICITY": [1]}))
    with pytest.raises(StudyError) as caught:
        Study.parse(text)
    assert [fault.where for fault in caught.value.faults] == [
        "study.id",
        "features.age.kind",
        "features.race_ethnicity.kind",
        "treatment.column",
        "treatment.arms",
        "benefit.column",
        "benefit.bounds",
        "budget.epsilon",
    ]
    assert {fault.problem for fault in caught.value.faults} == {"is still to be filled in"}
    assert len(caught.value.faults) == text.count('= "<fill in>"')


def test_it_asks_for_adaptive_allocation() -> None:
    text = scaffold(pd.DataFrame({"AGE": [1]}))
    assert "The ratio must be fixed before the first person" in text
    assert 'Then allocation = "adaptive"' in text


def test_filled_in_it_is_a_study() -> None:
    text = scaffold(pd.DataFrame({"AGE": [1]}))
    for old, new in [
        ('id = "<fill in>"', 'id = "x"'),
        ('kind = "<fill in>"', 'kind = "number"'),
        ("# bounds = [0, 100]", "bounds = [0, 100]"),
        ('arms = "<fill in>"', 'arms = { a = "1/2", b = "1/2" }'),
        ('column = "<fill in>"', 'column = "arm"'),
        ('bounds = "<fill in>"', "bounds = [0, 1]"),
        ('epsilon = "<fill in>"', "epsilon = 2"),
    ]:
        assert old in text
        text = text.replace(old, new, 1)
    text = text.replace('column = "<fill in>"', 'column = "outcome"')
    assert Study.parse(text).columns == ("AGE", "arm", "outcome")
    for commented in ("# name", "# source", "# person", "# planned_n"):
        assert f"\n{commented} = " in text
        text = text.replace(f"\n{commented} = ", f"\n{commented[2:]} = ")
    assert Study.parse(text).name == "My trial"


def test_no_value_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,"odd \\ name, with ""quotes"""\nSECRET,\xff,ragged\n')
    text = scaffold(path)
    assert "SECRET" not in text
    columns = [block["column"] for block in tomllib.loads(text)["features"].values()]
    assert columns == ["a", 'odd \\ name, with "quotes"']


@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_every_text_can_be_quoted(text: str) -> None:
    assert tomllib.loads(f"x = {quoted(text)}")["x"] == text


@given(st.lists(st.text()))
def test_slugs_are_plain_and_distinct(columns: list[str]) -> None:
    names = slugs(columns)
    assert len(set(names)) == len(columns)
    assert all(name.isascii() and name and len(name) <= 64 for name in names)
    assert "intercept" not in names


def test_unnamed_columns_are_left_out_and_twins_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",a\n0,1\n")
    assert list(tomllib.loads(scaffold(path))["features"]) == ["a"]
    path.write_text("a,a\n0,1\n")
    with pytest.raises(TableError, match="same name"):
        scaffold(path)
