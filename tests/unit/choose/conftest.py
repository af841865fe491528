"""Searches with little effort, and caches that are empty."""

from pathlib import Path

import pytest
from tests.unit.small import some_of, try_few

from dpwerm.choose import grid, search
from dpwerm.choose import settle as answer
from dpwerm.choose.search import Round
from dpwerm.simulate import synthetic


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search try a few settings on a few people; its laws do not depend on how many."""
    try_few(monkeypatch, some_of)
    monkeypatch.setattr(grid, "GAMMAS", some_of(grid.GAMMAS))
    monkeypatch.setattr(search, "ROUNDS", (Round(2, 1, 4), Round(2, 1, 2), Round(2, 1, 1)))
    monkeypatch.setattr(search, "MOST_ROWS", 40)
    monkeypatch.setattr(synthetic, "TESTS", 40)


@pytest.fixture
def cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty cache folder, with nothing remembered in the process either."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("DPWERM_CACHE", str(folder))
    monkeypatch.setattr(answer, "_MEMORY", {})
    return folder
