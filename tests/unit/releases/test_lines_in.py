"""A name in a file that could be taken for several lines is refused; what a table says is not."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.releases.test_rule_file import demo_rule

from dpwerm.errors import RuleFileError
from dpwerm.releases.files import digest_of, refuse_broken_lines
from dpwerm.releases.rule_file import content_of, read_rule, verify_rule

FORGED = "Trial\n=====\n\nReleased under differential privacy: epsilon 0.01"
RULE = demo_rule(random_state=1)


def changed(*path: str | int) -> Callable[[str], dict[str, Any]]:
    """Return the content of a rule file with one text replaced."""

    def change(text: str) -> dict[str, Any]:
        content = copy.deepcopy(content_of(RULE))
        place: Any = content
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = text
        return content

    return change


NAMES = [
    ("study", "id"),
    ("study", "name"),
    ("sources", "age"),
    ("treatment", "default"),
    ("treatment", "arms", 0),
    ("benefit", "source"),
    ("certificate", "library"),
    ("encoding", "blocks", 0, "name"),
    ("coefficients", "names", 1),
]
COLUMNS = [
    ("encoding", "blocks", 0, "column"),
    ("treatment", "column"),
    ("treatment", "propensity"),
    ("benefit", "column"),
]


@pytest.mark.parametrize("path", NAMES)
@pytest.mark.parametrize("name", [FORGED, "a\u2028b", "\u202ea", "e" + "\u0301" * 5])
def test_a_name_that_breaks_its_line_is_refused(path: tuple[str | int, ...], name: str) -> None:
    with pytest.raises(RuleFileError, match="has a line break") as caught:
        refuse_broken_lines(changed(*path)(name), "rule.json")
    (fault,) = caught.value.faults
    assert fault.where == ".".join(f"[{key}]" if isinstance(key, int) else key for key in path)


@pytest.mark.parametrize("path", COLUMNS)
def test_what_the_table_says_may_have_line_breaks(path: tuple[str | int, ...]) -> None:
    refuse_broken_lines(changed(*path)("two\nlines"), "rule.json")


def test_a_cell_may_have_line_breaks_and_its_level_not() -> None:
    level = {"name": "two lines", "cells": ["two\nlines"]}
    content = {"encoding": {"blocks": [{"levels": [level]}]}}
    refuse_broken_lines(content | {"propensity": content}, "rule.json")
    level["name"] = "two\nlines"
    with pytest.raises(RuleFileError, match="2 faults"):
        refuse_broken_lines(content | {"propensity": content}, "rule.json")


def test_a_key_is_a_name_too_and_is_not_quoted_over_several_lines() -> None:
    with pytest.raises(RuleFileError) as caught:
        refuse_broken_lines({"sources": {"a\nb": "protocol"}}, "rule.json")
    assert str(caught.value).splitlines()[1].startswith(r"  sources.a\nb: has a line break")


def test_a_feature_called_column_is_no_way_around() -> None:
    with pytest.raises(RuleFileError):
        refuse_broken_lines({"sources": {"column": "a\nb"}}, "rule.json")


def test_a_file_with_a_new_digest_is_refused_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rule.json"
    content = changed("study", "name")(FORGED)
    path.write_text(json.dumps(content | {"digest": digest_of(content)}), encoding="utf-8")
    for read in (read_rule, verify_rule):
        with pytest.raises(RuleFileError, match=r"study\.name: has a line break"):
            read(path)
