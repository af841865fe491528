"""Imports point downwards only: a patient's row walks one way through the house."""

import ast
import functools
import re
from pathlib import Path

import pytest

import dpwerm

HOUSE = Path(dpwerm.__file__).parent
GROUND = {"draws", "errors", "exact", "parameters", "arrays", "text", "faults", "version"}
FLOORS = [
    {"data"},
    {"features"},
    {"study"},
    {"objective"},
    {"privacy", "solve"},
    {"mechanisms"},
    {"weighting"},
    {"releases"},
    {"simulate"},
    {"choose"},
    {"problem"},
    {"fit", "evaluate"},
    {"estimators"},
    {"plan"},
    {"tune"},
    {"audit"},
    {"documents"},
    {"cli"},
]
BESIDE = {"reproduction", "benchmarks", "tests"}
"""What stands beside the package and uses it, never the other way round."""

NAMED = re.compile(r"dpwerm(\.\w+)+(:\w+)?")
"""A text that names a module, or something in one, for whoever imports it by name."""

LEVEL = {
    room: level for level, rooms in enumerate(FLOORS, start=1) for room in rooms
} | dict.fromkeys(GROUND, 0)
MODULES = sorted(path for path in HOUSE.rglob("*.py") if path.parent != HOUSE)


@functools.cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def names_imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Constant) and NAMED.fullmatch(str(node.value)):
            found.add(str(node.value))
    return found


def rooms_imported(path: Path) -> set[str]:
    names = names_imported(path)
    return {name.split(".")[1] for name in names if name.startswith("dpwerm.")}


def modules_imported(path: Path) -> set[str]:
    return {name.split(".")[0] for name in names_imported(path)}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_imports_point_downwards(path: Path) -> None:
    room = path.relative_to(HOUSE).parts[0]
    upward = {other for other in rooms_imported(path) if LEVEL[other] > LEVEL[room]}
    sideways = {
        other for other in rooms_imported(path) if LEVEL[other] == LEVEL[room] and other != room
    }
    assert not upward
    assert not sideways


@pytest.mark.parametrize("path", sorted(HOUSE.rglob("*.py")), ids=lambda path: path.name)
def test_nothing_in_the_package_imports_what_stands_beside_it(path: Path) -> None:
    assert not modules_imported(path) & BESIDE


def test_an_import_of_what_stands_beside_it_would_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "guilty.py"
    for text in (
        "import reproduction",
        "from reproduction import page",
        "def f():\n    from reproduction.bounds.theorems import length_factor",
        "import os, tests.browser as b",
    ):
        path.write_text(text, encoding="utf-8")
        tree_of.cache_clear()
        assert modules_imported(path) & BESIDE


def test_an_import_by_name_would_be_seen(tmp_path: Path) -> None:
    path = tmp_path / "guilty.py"
    for text in ('WORDS = "dpwerm.documents.summary:summary"', 'f("dpwerm.documents.value")'):
        path.write_text(text, encoding="utf-8")
        tree_of.cache_clear()
        assert rooms_imported(path) == {"documents"}


def test_every_room_has_a_floor() -> None:
    rooms = {path.relative_to(HOUSE).parts[0] for path in MODULES}
    assert rooms <= set(LEVEL)


@pytest.mark.parametrize("path", sorted(HOUSE.rglob("*.py")), ids=lambda path: path.name)
def test_modules_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_randomness_comes_from_one_module() -> None:
    creators = {"secrets", "random", "os.urandom"}
    guilty = []
    for path in HOUSE.rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                guilty += [path for alias in node.names if alias.name in creators]
            from_module = isinstance(node, ast.ImportFrom) and node.module in creators
            by_name = isinstance(node, ast.Attribute) and node.attr in {"urandom", "default_rng"}
            guilty += [path] * (from_module or by_name)
    inside = {path.relative_to(HOUSE) for path in guilty}
    simulations = {path for path in inside if path.parts[0] in {"simulate", "choose"}}
    test_points = {path for path in inside if path.parts[0] == "objective"}
    assert inside - simulations - test_points == {Path("privacy/randomness.py")}
