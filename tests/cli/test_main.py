"""Exit codes, and the wall that keeps the text of unexpected errors inside."""

import errno
import subprocess
import sys
from pathlib import Path

import pytest
from tests.bad_input.base import NUMBER_CANARY, TEXT_CANARY
from tests.cli.conftest import Trial
from tests.said import Run

from dpwerm import __version__
from dpwerm.cli.main import COMMANDS, DEBUG
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule


def test_version_and_help(run: Run) -> None:
    assert run("--version").out == f"dpwerm {__version__}\n"
    result = run("--help")
    assert result.code == 0
    assert all(command in result.out for command in COMMANDS)
    # A first sentence that is too long would be cut off.
    assert "..." not in result.out.replace("[ARGS]...", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(run: Run, command: str) -> None:
    result = run(command, "--help")
    assert result.code == 0
    assert f"dpwerm {command}" in result.out
    # The list of commands is printed without loading them, so it repeats their first sentence.
    assert COMMANDS[command] in " ".join(result.out.split())


def test_help_loads_no_command_and_no_numbers() -> None:
    asked = "import sys; from dpwerm.cli.main import main; main(['--help'])"
    heavy = ("numpy", "scipy", "sklearn", "pyarrow", "pydantic", "rich", "dpwerm.cli.release")
    told = f"{asked}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\n[]\n")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("fitt",),
        ("fit",),
        ("fit", "a", "b"),
        ("fit", "a", "b", "--epsilon", "1", "--gamma", "x"),
        ("check", "--nonsense"),
        ("check", "no-such-study.toml"),
        ("verify", "no-such-rule.json"),
        ("init", "no-such-table.csv", "--out", "no-such-folder/study.toml"),
    ],
)
def test_a_wrong_command_line_ends_with_2(run: Run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert "Traceback" not in result.out + result.err


class Unexpected:
    """A fit that fails with a text that quotes the data."""

    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def __call__(self, *_: object, **__: object) -> None:
        raise self.error(f"could not convert {TEXT_CANARY} {NUMBER_CANARY}")


@pytest.mark.parametrize("error", [ValueError, KeyError, MemoryError, OSError, RecursionError])
def test_an_internal_error_ends_with_1_and_shows_nothing_of_the_data(
    fit: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    monkeypatch.delenv(DEBUG, raising=False)
    monkeypatch.setattr(PrivateTreatmentRule, "fit", Unexpected(error))
    result = fit()
    assert result.code == 1
    assert f"Internal error: {error.__name__}" in result.err
    assert "The command did not finish" in result.err
    for canary in (TEXT_CANARY, NUMBER_CANARY, "Traceback"):
        assert canary not in result.out + result.err
    assert not trial.rule.exists()


def test_the_curator_can_ask_for_the_text_of_an_internal_error(
    fit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(DEBUG, "sensitive")
    monkeypatch.setattr(PrivateTreatmentRule, "fit", Unexpected(ValueError))
    result = fit()
    assert result.code == 1
    assert "SENSITIVE, for the curator only" in result.err
    assert TEXT_CANARY in result.err
    assert TEXT_CANARY not in result.out


def test_a_full_disk_is_said_in_plain_words(
    fit: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "rule.json")

    monkeypatch.setattr("dpwerm.releases.kinds.write_json", full)
    result = fit()
    assert result.code == 2
    first, paid, copy, printed = result.err.splitlines()
    assert first == f"{trial.rule} could not be written (No space left on device)."
    assert paid.startswith("The release is paid for: epsilon = 1, by entry ")
    assert printed == "Its whole content is on standard output: keep it as a file."
    Path(copy.removeprefix("A copy is in ").partition(": ")[0]).unlink()
    assert not trial.rule.exists()


def test_the_list_of_commands_names_every_language_of_an_export() -> None:
    assert COMMANDS["export"] == "Write a rule as Python, SQL, R or ONNX."
