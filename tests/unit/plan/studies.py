"""Small studies to plan for, and a way to plan for them with little effort."""

from pathlib import Path
from typing import Any

import pytest
from tests.bad_input.base import STUDY
from tests.unit.small import some_of, try_few

from dpwerm.choose import grid, search
from dpwerm.choose import settle as answer
from dpwerm.choose.search import Round
from dpwerm.plan import desk, expected
from dpwerm.simulate import synthetic
from dpwerm.study.study import Study

OPEN = STUDY.replace("gamma = 50", "")
"""The small trial with everything left to the library."""

PRIVATE_MODEL = OPEN.replace(
    "arms = { pill = 0.5, therapy = 0.5 }",
    'arms = ["pill", "therapy"]\npropensity = { model = "private", share = 0.25 }\n'
    "propensity_floor = 0.1",
)


def study(text: str = OPEN, **about: Any) -> Study:
    """Return a study; keywords change [study]."""
    found = Study.parse(text)
    return found.model_copy(update={"about": found.about.model_copy(update=about)})


def make_small(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let searches and simulations be small; what is found that way is kept nowhere else."""
    monkeypatch.setenv("DPWERM_CACHE", str(cache))
    # Other processes would not see what is made small here.
    monkeypatch.setattr(desk, "WORTH_WORKERS", 10**6)
    monkeypatch.setattr(answer, "_MEMORY", {})
    try_few(monkeypatch, some_of)
    monkeypatch.setattr(grid, "GAMMAS", some_of(grid.GAMMAS))
    monkeypatch.setattr(search, "ROUNDS", (Round(2, 1, 4), Round(2, 1, 2), Round(2, 1, 1)))
    monkeypatch.setattr(search, "MOST_ROWS", 40)
    monkeypatch.setattr(expected, "MOST_ROWS", 60)
    monkeypatch.setattr(expected, "AT_ONCE", 8)
    monkeypatch.setattr(synthetic, "TESTS", 40)
