"""The examples of docs/export.md run as printed."""

from pathlib import Path

from tests.docs.pages import ROOT, run_page


def test_the_page_runs_as_printed(tmp_path: Path) -> None:
    assert run_page(ROOT / "docs" / "export.md", tmp_path) == 7
