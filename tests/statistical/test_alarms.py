import ast
from collections import Counter
from pathlib import Path

import pytest
from tests.statistical.alarms import ALARMS, LARGEST, TOTAL


def test_a_correct_library_fails_the_suite_less_than_once_in_a_million() -> None:
    assert sum(alarm.per_case * alarm.cases for alarm in ALARMS.values()) < TOTAL
    assert all(0 < alarm.per_case <= LARGEST for alarm in ALARMS.values())


def test_every_statistical_test_is_declared_and_no_other() -> None:
    found = {
        f"{path.stem}.{node.name}"
        for path in Path(__file__).parent.glob("test_*.py")
        if path.name != Path(__file__).name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }
    assert found == set(ALARMS)


def test_no_test_has_more_cases_than_it_declares(request: pytest.FixtureRequest) -> None:
    here = Path(__file__).parent
    cases = Counter(
        f"{item.path.stem}.{item.originalname}"
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.path.parent == here
    )
    assert all(cases[name] <= alarm.cases for name, alarm in ALARMS.items())
