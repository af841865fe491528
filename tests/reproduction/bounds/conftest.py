"""Bounds with little effort."""

from pathlib import Path

import pytest
from tests.unit.plan.studies import make_small

from reproduction.bounds import measured


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches and simulations be small."""
    make_small(tmp_path / "cache", monkeypatch)
    monkeypatch.setattr(measured, "MOST_ROWS", 60)
    monkeypatch.setattr(measured, "PEOPLE", 100)
