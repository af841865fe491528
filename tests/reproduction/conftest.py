"""A way to run commands of the reproduction and see what they print."""

import pytest
from tests.said import Run, runner

from reproduction.command import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs one command in this process."""
    return runner(main, capsys)
