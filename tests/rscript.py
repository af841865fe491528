"""The real R, where it is installed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def rscript(package: str = "base") -> str:
    """Return the program that runs R scripts, or skip the test and say why; in CI it must be."""
    program = shutil.which("Rscript")
    load = ["-e", f"library({package})"]
    if (
        program
        and not subprocess.run([program, *load], capture_output=True, check=False).returncode
    ):
        return program
    reason = "R with jsonlite is not installed: Debian has r-base-core and r-cran-jsonlite"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def run_r(script: str, folder: Path, **environment: str) -> str:
    """Return what R prints of a script that it runs in a folder, warnings included, one by one."""
    (folder / "script.R").write_text("options(warn = 1)\n" + script, encoding="ascii")
    done = subprocess.run(
        [rscript(), "--vanilla", "-e", 'source("script.R")'],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr
