"""The statistician's tutorial runs as printed."""

from pathlib import Path

import pytest
from tests.docs.pages import ROOT, run_page
from tests.unit.plan.studies import make_small

from dpwerm.choose import search as candidates


def test_the_statistician_gets_from_a_table_to_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Settings and plans are simulated with little effort: their numbers are not compared.
    make_small(tmp_path / "settings", monkeypatch)
    few = {True: ("objective-block",), False: ("none",)}
    monkeypatch.setattr(candidates, "candidates", lambda budget: few[budget.is_private])
    place = tmp_path / "place"
    place.mkdir()
    assert run_page(ROOT / "docs" / "tutorials" / "statistician.md", place) >= 15
    assert (place / "report.html").read_text("utf-8").startswith("<!doctype html>")
