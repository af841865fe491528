"""The statistician's tutorial runs as printed."""

from pathlib import Path

import pytest
from tests.docs.pages import ROOT, run_page
from tests.unit.plan.studies import make_small

from dpwerm.choose import grid
from dpwerm.choose import search as candidates
from dpwerm.choose.search import Round


def test_the_statistician_gets_from_a_table_to_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Settings and plans are simulated with little effort: their numbers are not compared.
    make_small(tmp_path / "settings", monkeypatch)
    few = {True: ("objective-block",), False: ("none",)}
    monkeypatch.setattr(grid, "candidates", lambda budget: few[budget.is_private])
    # On enough trials that the page's estimator is chosen, because its words are compared.
    rounds = (Round(12, 1, 6), Round(24, 1, 3), Round(48, 1, 1))
    monkeypatch.setattr(candidates, "ROUNDS", rounds)
    place = tmp_path / "place"
    place.mkdir()
    assert run_page(ROOT / "docs" / "tutorials" / "statistician.md", place) >= 15
    assert (place / "report.html").read_text("utf-8").startswith("<!doctype html>")
