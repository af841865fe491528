"""A small trial on disk, and a way to run commands and see what they print."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.bad_input.base import STUDY, sound_table
from tests.said import Run, Said, runner

from dpwerm.cli.main import main


@dataclass(frozen=True)
class Trial:
    """A study file, its table, and where a rule is to go."""

    study: Path
    table: Path
    rule: Path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs one command in this process."""
    return runner(main, capsys)


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

    def fit_trial(*options: object) -> Said:
        asked = {"--epsilon", "--rho", "--mu"} & set(options)
        given = options if asked else (*options, "--epsilon", "1")
        return run("fit", trial.study, trial.table, "--out", trial.rule, "--yes", *given)

    return fit_trial


@pytest.fixture
def refused(fit: Run, trial: Trial) -> Run:
    """Return a function that checks that a fit ends with a code and writes nothing."""

    def refused_fit(code: object, *options: object) -> Said:
        result = fit(*options)
        assert result.code == code
        assert not trial.rule.exists()
        return result

    return refused_fit
