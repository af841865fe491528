"""docs/ledger.md prints what the commands print, but for numbers, days and hashes."""

from pathlib import Path

from tests.docs.pages import ROOT, run_page


def test_the_example_runs_as_printed(tmp_path: Path) -> None:
    assert run_page(ROOT / "docs" / "ledger.md", tmp_path) >= 8
