"""docs/report.md runs as printed."""

from pathlib import Path

from tests.docs.pages import ROOT, run_page


def test_the_page_runs_as_printed(tmp_path: Path) -> None:
    assert run_page(ROOT / "docs" / "report.md", tmp_path) == 6
    assert (tmp_path / "trial" / "report.html").exists()
