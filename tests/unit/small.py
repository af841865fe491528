"""The text of a small study of two numbers, as several tests declare it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dpwerm.choose import grid, search, settle
from dpwerm.choose.search import Round
from dpwerm.simulate import synthetic

FEATURES = """
[features.x]
kind = "number"
bounds = [-1, 1]
[features.z]
kind = "number"
bounds = [0, 10]
"""


def small_study(arms: str, after: str = "", *, about: str = "", features: str = FEATURES) -> str:
    """Return a study file.

    arms : the lines of [treatment] below its column; after : what follows [benefit]; about : more
    lines of [study]
    """
    return f"""
format = 1
[study]
id = "small"
{about}{features}[treatment]
column = "arm"
{arms}
[benefit]
column = "outcome"
bounds = [0, 4]
{after}"""


def search_little(cache: Path, monkeypatch: pytest.MonkeyPatch, most: int = 2) -> None:
    """Search a little, with a cache of its own and nothing remembered; most : values of each."""
    monkeypatch.setenv("DPWERM_CACHE", str(cache))
    monkeypatch.setattr(settle, "_MEMORY", {})
    monkeypatch.setattr(search, "ROUNDS", (Round(2, 1, 4), Round(2, 1, 2), Round(2, 1, 1)))
    monkeypatch.setattr(synthetic, "TESTS", 40)
    try_few(monkeypatch, lambda values: values[:most])


def try_few(monkeypatch: pytest.MonkeyPatch, few: Callable[[Any], Any]) -> None:
    """Let a search try some of the values of each setting but γ; few : from all to some."""
    for name in ("OPTIONS", "INTERCEPTS"):
        whole = getattr(grid, name)
        monkeypatch.setattr(grid, name, {key: few(values) for key, values in whole.items()})
    monkeypatch.setattr(grid, "SATURATIONS", few(grid.SATURATIONS))


def some_of(values: Any) -> Any:
    """Return the last two of every second value."""
    return values[::2][-2:]
