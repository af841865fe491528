"""What happened when something was spoilt, and whether the table said so."""

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.bad_input.base import NUMBER_CANARY, STUDY, TEXT_CANARY, Cells
from tests.bad_input.expectations import Expected
from tests.bad_input.fitting import Through

from dpwerm.cli.main import main

WRONG_INPUT, OVER_BUDGET, NOT_VERIFIED = 2, 3, 4
NOT_PRIVATE = "NOT PRIVATE"

Capture = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class Outcome:
    """What happened, and every text that was seen on the way."""

    kind: str
    text: str


def meet(expected: Expected, outcome: Outcome) -> set[str]:
    """Assert that the table is right and return which parts of its cell were seen."""
    assert outcome.kind == expected.kind, outcome.text
    assert "Internal error" not in outcome.text
    assert "Traceback" not in outcome.text
    if expected.kind == "released":
        assert (NOT_PRIVATE in expected.parts) == (NOT_PRIVATE in outcome.text)
    if expected.kind not in ("error", "says"):
        return set(expected.parts)
    found = expected.found_in(outcome.text)
    assert found, outcome.text
    return found


def hide(text: str) -> None:
    """Assert that a text quotes no canary."""
    for canary in (TEXT_CANARY, NUMBER_CANARY.split(".")[0]):
        assert canary not in text


def run(capsys: Capture, *arguments: object) -> tuple[int, str]:
    """Run one command; return its exit code and all it printed."""
    code = main([str(argument) for argument in arguments])
    seen = capsys.readouterr()
    return code, seen.out + seen.err


def attempt(action: Callable[[], object]) -> tuple[str, str]:
    """Return the text of the error and all of what Python would print of it."""
    try:
        action()
    except Exception as error:  # noqa: BLE001 - every error is an outcome here
        return str(error), "".join(traceback.format_exception(error))
    return "", ""


def as_bytes(content: Cells | str | bytes) -> bytes:
    """Return a file's content."""
    if isinstance(content, Cells):
        return content.to_bytes()
    return content if isinstance(content, bytes) else content.encode()


def write(folder: Path, through: Through, table: Cells) -> tuple[Path, Path]:
    """Write the study file and the table of one run."""
    study, path = folder / "study.toml", folder / through.table_name
    study.write_bytes(as_bytes(through.study(STUDY)))
    path.write_bytes(as_bytes(through.table(table)))
    return study, path
