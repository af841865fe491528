"""The installed program: a few runs in a process of their own, as a script sees them."""

import os
import subprocess
import sys
from pathlib import Path

from tests.bad_input.base import TEXT_CANARY, sound_table
from tests.cli.conftest import Trial

PROGRAM = "import sys; from dpwerm.cli.main import run; run()"


def dpwerm(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        cwd=folder,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "error"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_rule_from_a_relative_path(trial: Trial) -> None:
    folder = trial.study.parent
    fitted = dpwerm("fit", "study.toml", "trial.csv", "--epsilon", "1", "--yes", folder=folder)
    assert (fitted.returncode, fitted.stderr) == (0, "")
    assert "Wrote rule.json." in fitted.stdout
    verified = dpwerm("verify", "rule.json", folder=folder)
    assert (verified.returncode, verified.stderr) == (0, "")


def test_a_fault_in_a_process_of_its_own(trial: Trial) -> None:
    folder = trial.study.parent
    trial.table.write_bytes(sound_table().set("age", TEXT_CANARY).pick([0, 1, 2, 3]).to_bytes())
    failed = dpwerm("fit", "study.toml", "trial.csv", "--epsilon", "1", "--yes", folder=folder)
    assert failed.returncode == 2
    assert failed.stdout.startswith("To be charged to study small-trial")
    assert "Released" not in failed.stdout
    assert not (folder / "ledger.db").exists()
    assert "gain: is not a column of the table" in failed.stderr
    assert TEXT_CANARY not in failed.stdout + failed.stderr
    assert "Traceback" not in failed.stderr
