"""What a command said, and a way to run one in this process and see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Said:
    """The exit code of a command and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Said]


def runner(main: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs one command, its arguments as texts."""

    def run_command(*arguments: object) -> Said:
        code = main([str(argument) for argument in arguments])
        return Said(code, *capsys.readouterr())

    return run_command
