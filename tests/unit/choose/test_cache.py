"""The cache: what was kept comes back, and nothing in the folder can do harm."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.unit.choose.questions import NONE, question
from tests.unit.choose.test_choice import CHOICE, changed

from dpwerm.choose import settle as answers
from dpwerm.choose import settle as cache
from dpwerm.choose.question import Choice, Outcome, Question
from dpwerm.choose.settle import folder, keep, kept
from dpwerm.simulate.judged import HARM, HARMFUL, MOST_LOST, PRECISE

KEY = "ab12"


def test_what_is_kept_comes_back(cold: Path) -> None:
    assert kept(KEY) is None
    keep(KEY, CHOICE)
    assert kept(KEY) == CHOICE
    assert kept("cd34") is None
    assert [path.name for path in cold.iterdir()] == [f"{KEY}.json"]


def test_a_file_holds_public_settings_only(cold: Path) -> None:
    keep(KEY, CHOICE)
    assert json.loads((cold / f"{KEY}.json").read_text()) == CHOICE.plain()


GOOD = json.dumps(CHOICE.plain())
FLAT = {name: one for name, one in CHOICE.plain().items() if name != "hyperparameters"}
FLAT |= CHOICE.plain()["hyperparameters"]


def with_(**changes: Any) -> bytes:
    return json.dumps({**CHOICE.plain(), **changes}).encode()


def inside(choice: Choice = CHOICE, **changes: Any) -> dict[str, Any]:
    """Return the plain values of a choice with others among its hyperparameters."""
    plain = choice.plain()
    return plain | {"hyperparameters": plain["hyperparameters"] | changes}


def holding(**changes: Any) -> bytes:
    return json.dumps(inside(**changes)).encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b"[1, 2]",
        b"\xff\xfe\x00",
        b"\x00" * 50,
        b"[" * 50_000,
        b'{"a":' * 10_000,
        GOOD.encode() + b"x",
        GOOD.encode() + b" " * 200_000,
        b'{"schema": 3, "entries": []}',
        holding(gamma="20"),
        holding(gamma=True),
        holding(gamma=0),
        holding(gamma=-1),
        holding(gamma=None),
        holding(gamma=[1]),
        holding(clip=float("nan")),
        holding(threshold=float("inf")),
        holding(mechanism=7),
        holding(mechanism=None),
        holding(chosen=7),
        with_(hyperparameters=None),
        with_(hyperparameters={}),
        json.dumps(FLAT).encode(),
        with_(rivals=None),
        with_(rivals=[1]),
        with_(rivals={"objective-l2": "much"}),
        with_(accuracy="high"),
        with_(problems=1.5),
    ],
    ids=lambda content: str(content[:30]),
)
def test_a_strange_file_is_as_good_as_none(cold: Path, content: bytes) -> None:
    cold.mkdir()
    (cold / f"{KEY}.json").write_bytes(content)
    assert kept(KEY) is None
    keep(KEY, CHOICE)
    assert kept(KEY) == CHOICE


def fill_fifo(path: Path) -> None:
    os.mkfifo(path)


def link_to_zeros(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("make", [fill_fifo, link_to_zeros])
def test_what_is_no_file_is_neither_waited_for_nor_read(
    cold: Path, make: Callable[[Path], None]
) -> None:
    cold.mkdir()
    make(cold / f"{KEY}.json")
    ask = (
        "import sys; from dpwerm.choose.settle import kept; sys.exit(kept(sys.argv[1]) is not None)"
    )
    subprocess.run([sys.executable, "-c", ask, KEY], check=True, timeout=60)
    keep(KEY, CHOICE)
    assert kept(KEY) == CHOICE


def test_no_more_is_read_than_an_answer_can_be(cold: Path) -> None:
    cold.mkdir()
    path = cold / f"{KEY}.json"
    path.write_text(GOOD)
    os.truncate(path, 1 << 40)
    assert kept(KEY) is None


def test_a_folder_in_the_place_of_a_file_is_no_fault(cold: Path) -> None:
    (cold / f"{KEY}.json" / "inside").mkdir(parents=True)
    assert kept(KEY) is None
    keep(KEY, CHOICE)
    assert kept(KEY) is None
    assert [path.name for path in cold.iterdir()] == [f"{KEY}.json"]


def test_a_folder_that_cannot_be_made_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("DPWERM_CACHE", str(tmp_path / "file" / "below"))
    keep(KEY, CHOICE)
    assert kept(KEY) is None
    assert (tmp_path / "file").read_text() == "not a folder"


def test_a_folder_that_cannot_be_written_is_no_fault(
    cold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise PermissionError

    monkeypatch.setattr(cache, "NamedTemporaryFile", refused)
    keep(KEY, CHOICE)
    assert list(cold.iterdir()) == []


def test_no_home_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("no home directory")

    for name in ("DPWERM_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    keep(KEY, CHOICE)
    assert kept(KEY) is None


def test_the_folder_can_be_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DPWERM_CACHE", str(tmp_path / "mine"))
    assert folder() == tmp_path / "mine"
    monkeypatch.setenv("DPWERM_CACHE", "")
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert folder() == tmp_path / "xdg" / "dpwerm"
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for nowhere in ("", "relative/caches", "."):
        monkeypatch.setenv("XDG_CACHE_HOME", nowhere)
        assert folder() == tmp_path / ".cache" / "dpwerm"
    monkeypatch.setattr("sys.platform", "darwin")
    assert folder() == tmp_path / "Library" / "Caches" / "dpwerm"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert folder() == tmp_path / "local" / "dpwerm"


FIXED: dict[str, Any] = {"clip": 1.0, "intercept": 1.0, "saturation": 1.0, "threshold": 0.0}
OPEN = question((0,))
TIGHT = question((0,), mechanism="objective-block", **FIXED)
REGRESSION: dict[str, Any] = {
    "estimator": "arm-wise",
    "clip": None,
    "width": 0.5,
    "main": 1.0,
    "degree": 1.0,
}
TRUE = changed(gamma=50.0, **FIXED, **NONE)
LABELS = question((0,), outcome=Outcome.of_labels())
TOLD_OF_LABELS = replace(TRUE, gain=None, harm=None, score=0.9, rivals={"objective-l2": 0.8})


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """Answer every search with TRUE, and return the list of the questions that were searched."""
    asked: list[Question] = []

    def searched(question: Question, on_progress: object) -> Choice:
        asked.append(question)
        return TRUE

    monkeypatch.setattr(answers, "search", searched)
    return asked


def test_a_kept_answer_is_not_searched_again(cold: Path, searches: list[Question]) -> None:
    assert answers.answer(OPEN) == TRUE
    assert answers.answer(OPEN) == TRUE
    answers._MEMORY.clear()
    assert answers.answer(OPEN) == TRUE
    assert searches == [OPEN]


@pytest.mark.parametrize(
    ("asked", "changes"),
    [
        (OPEN, {"mechanism": "gaussian"}),
        (OPEN, {"mechanism": "none"}),
        (OPEN, {"mechanism": "no such"}),
        (OPEN, {"gamma": 1e-9}),
        (OPEN, {"gamma": 1e300}),
        (OPEN, {"clip": 0.0}),
        (OPEN, {"clip": 3.0}),
        (OPEN, {"intercept": 1e300}),
        (OPEN, {"saturation": 1000.0}),
        (OPEN, {"saturation": 0.5}),
        (OPEN, {"threshold": 1.0}),
        (TIGHT, {"mechanism": "objective-l2"}),
        (TIGHT, {"clip": 0.5}),
        (TIGHT, {"intercept": 0.5}),
        (TIGHT, {"saturation": 2.0}),
        (TIGHT, {"threshold": 0.5}),
        (OPEN, {"estimator": "no such"}),
        (OPEN, {"estimator": "arm-wise", "width": -1.0}),
        (OPEN, {"estimator": "arm-wise", "width": 1e300}),
        (OPEN, {"estimator": "arm-wise", "degree": 4.0}),
        (OPEN, {"estimator": "contrast", "width": 0.1, "mean": 1e300}),
        (TIGHT, REGRESSION),
        (LABELS, REGRESSION),
        (question((0,), estimator="contrast"), REGRESSION),
        (question((0,), estimator="arm-wise", width=0.25), REGRESSION),
        (question((0,), estimator="arm-wise", main=0.25), REGRESSION),
        (question((0,), degree=2.0), REGRESSION),
        (question((0,), mean=1.0), {"estimator": "contrast", "width": 0.1, "mean": 2.0}),
    ],
)
def test_a_file_that_does_not_answer_the_question_is_not_taken(
    cold: Path, searches: list[Question], asked: Question, changes: dict[str, Any]
) -> None:
    cold.mkdir()
    path = cold / f"{answers.key_of(asked)}.json"
    path.write_text(json.dumps(inside(TRUE, **changes)))
    assert answers.answer(asked) == TRUE
    assert searches == [asked]
    assert json.loads(path.read_text()) == TRUE.plain()


HIGHEST, LOWEST = 1.0, -max(HARM * MOST_LOST + HARMFUL, PRECISE)
"""The highest and the lowest score of a trial."""

TOLD: list[dict[str, Any]] = [
    {"accuracy": 5.0},
    {"accuracy": -1.0},
    {"accuracy": float("nan")},
    {"accuracy": float("inf")},
    {"problems": 0},
    {"problems": 10**2000},
    {"rows": -1},
    {"rivals": {"gaussian\nNOT": 0.5}},
    {"rivals": {"gaus\u202esian": 0.5}},
    {"rivals": {"x" * 2000: 0.5}},
    {"rivals": {f"rival {i}": 0.5 for i in range(200)}},
    {"rivals": {"no such": 0.5}},
    {"rivals": {"none": 0.5}},
    {"rivals": {TRUE.mechanism: 0.5}},
    {"rivals": {TRUE.hyperparameters.estimator: 0.5}},
    {"rivals": {"spherical-laplace": HIGHEST + 0.1}},
    {"rivals": {"spherical-laplace": float("nan")}},
    {"rivals": {"spherical-laplace": LOWEST - 0.1}},
    {"score": HIGHEST + 0.1},
    {"score": float("nan")},
    {"score": LOWEST - 0.1},
    {"gain": None},
    {"harm": None},
    {"gain": 1.5},
    {"gain": -3.1},
    {"gain": float("nan")},
    {"harm": 1.5},
    {"harm": -0.1},
]
TOLD_WRONG_OF_LABELS: list[dict[str, Any]] = [
    {"gain": 0.5, "harm": 0.0},
    {"score": 1.5},
    {"score": -0.5},
    {"rivals": {"spherical-laplace": 1.5}},
    {"rivals": {"spherical-laplace": -0.5}},
    {"rivals": {"contrast": 0.5}},
]


@pytest.mark.parametrize("changes", TOLD, ids=lambda changes: str(changes)[:40])
def test_evidence_that_no_search_finds_is_not_taken(
    cold: Path, searches: list[Question], changes: dict[str, Any]
) -> None:
    cold.mkdir()
    path = cold / f"{answers.key_of(OPEN)}.json"
    path.write_text(json.dumps(TRUE.plain() | changes))
    assert answers.answer(OPEN) == TRUE
    assert searches == [OPEN]


def test_the_evidence_that_a_search_finds_is_taken() -> None:
    assert answers.is_told(TRUE, OPEN)
    edges = replace(TRUE, score=HIGHEST, gain=-MOST_LOST, harm=1.0, rivals={"arm-wise": LOWEST})
    assert answers.is_told(edges, OPEN)
    assert answers.is_told(TOLD_OF_LABELS, LABELS)


@pytest.mark.parametrize("changes", TOLD_WRONG_OF_LABELS, ids=str)
def test_labels_have_an_accuracy_and_no_gain(changes: dict[str, Any]) -> None:
    assert not answers.is_told(replace(TOLD_OF_LABELS, **changes), LABELS)


def test_a_fixed_mechanism_has_no_rivals(cold: Path, searches: list[Question]) -> None:
    path = cold / f"{answers.key_of(TIGHT)}.json"
    assert answers.is_told(replace(TRUE, rivals={}), TIGHT)
    cold.mkdir()
    path.write_text(json.dumps(TRUE.plain()))
    answers.answer(TIGHT)
    assert searches == [TIGHT]


def test_a_model_of_propensities_may_be_worse_than_none(cold: Path) -> None:
    poor = replace(TOLD_OF_LABELS, accuracy=-3.0, score=-3.0, rivals={})
    assert answers.is_told(poor, LABELS, least=-9.0)
    assert not answers.is_told(replace(poor, accuracy=-9.5, score=-9.5), LABELS, least=-9.0)
    assert not answers.is_told(poor, LABELS)
