"""A way to run commands of the reproduction and see what they print."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from reproduction.command import main


@dataclass(frozen=True)
class Result:
    """The exit code of a command and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs one command in this process."""

    def run_command(*arguments: object) -> Result:
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return run_command
