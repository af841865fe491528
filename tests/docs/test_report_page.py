"""docs/report.md runs as printed, and so does the Python of two pages on what is in a report."""

import shutil
from pathlib import Path

from tests.docs.pages import ROOT, run_page


def test_the_page_runs_as_printed(tmp_path: Path) -> None:
    assert run_page(ROOT / "docs" / "report.md", tmp_path) == 4
    assert (tmp_path / "trial" / "report.html").exists()
    for name in ("rule.json", "study.toml", "others.csv", "ledger.db"):
        shutil.copy(tmp_path / "trial" / name, tmp_path / name)
    for page in ("report-intervals.md", "evaluation.md"):
        assert run_page(ROOT / "docs" / page, tmp_path) >= 1, page
