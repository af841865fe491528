"""Imports point downwards only: a patient's row walks one way through the house."""

import ast
from pathlib import Path

import pytest

import dpwerm

HOUSE = Path(dpwerm.__file__).parent
GROUND = {"errors", "balls", "exact", "parameters", "arrays", "text", "version"}
GROUND |= {"drawing", "lettering"}
FLOORS = [
    {"study"},
    {"problem"},
    {"privacy", "solve"},
    {"mechanisms"},
    {"simulate"},
    {"choose"},
    {"learn"},
    {"rules"},
    {"tune"},
    {"reproduce", "report", "audit", "plan"},
    {"cli"},
]
LEVEL = {
    room: level for level, rooms in enumerate(FLOORS, start=1) for room in rooms
} | dict.fromkeys(GROUND, 0)
MODULES = sorted(path for path in HOUSE.rglob("*.py") if path.parent != HOUSE)


def rooms_imported(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        found |= {name.split(".")[1] for name in names if name.startswith("dpwerm.")}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_imports_point_downwards(path: Path) -> None:
    room = path.relative_to(HOUSE).parts[0]
    upward = {other for other in rooms_imported(path) if LEVEL[other] > LEVEL[room]}
    sideways = {
        other for other in rooms_imported(path) if LEVEL[other] == LEVEL[room] and other != room
    }
    assert not upward
    assert not sideways


def test_every_room_has_a_floor() -> None:
    rooms = {path.relative_to(HOUSE).parts[0] for path in MODULES}
    assert rooms <= set(LEVEL)


@pytest.mark.parametrize("path", sorted(HOUSE.rglob("*.py")), ids=lambda path: path.name)
def test_modules_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


def test_randomness_comes_from_one_module() -> None:
    creators = {"secrets", "random", "os.urandom"}
    guilty = []
    for path in HOUSE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                guilty += [path for alias in node.names if alias.name in creators]
            from_module = isinstance(node, ast.ImportFrom) and node.module in creators
            by_name = isinstance(node, ast.Attribute) and node.attr in {"urandom", "default_rng"}
            guilty += [path] * (from_module or by_name)
    inside = {path.relative_to(HOUSE) for path in guilty}
    simulations = {path for path in inside if path.parts[0] in {"simulate", "choose", "reproduce"}}
    test_points = {path for path in inside if path.name == "contract.py"}
    assert inside - simulations - test_points == {Path("privacy/randomness.py")}
