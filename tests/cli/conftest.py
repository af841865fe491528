"""A small trial on disk, and a way to run commands and see what they print."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.bad_input.base import STUDY, sound_table

from dpwerm.cli.main import main


@dataclass(frozen=True)
class Result:
    """The exit code of a command and what it printed."""

    code: int
    out: str
    err: str


Run = Callable[..., Result]


@dataclass(frozen=True)
class Trial:
    """A study file, its table, and where a rule is to go."""

    study: Path
    table: Path
    rule: Path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs one command in this process."""

    def run_command(*arguments: object) -> Result:
        code = main([str(argument) for argument in arguments])
        return Result(code, *capsys.readouterr())

    return run_command


@pytest.fixture
def trial(tmp_path: Path) -> Trial:
    """Return a sound trial in a folder of its own."""
    study, table = tmp_path / "study.toml", tmp_path / "trial.csv"
    study.write_text(STUDY, encoding="utf-8")
    table.write_bytes(sound_table().to_bytes())
    return Trial(study, table, tmp_path / "rule.json")


@pytest.fixture
def fit(run: Run, trial: Trial) -> Run:
    """Return a function that fits the trial with further options."""

    def fit_trial(*options: object) -> Result:
        asked = {"--epsilon", "--rho", "--mu"} & set(options)
        given = options if asked else (*options, "--epsilon", "1")
        return run("fit", trial.study, trial.table, "--out", trial.rule, "--yes", *given)

    return fit_trial
