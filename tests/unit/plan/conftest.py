"""Plans with little effort."""

from pathlib import Path

import pytest
from tests.unit.plan.studies import make_small


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches and simulations be small."""
    make_small(tmp_path / "cache", monkeypatch)
