"""A picture of the beginning of a report, in a real browser: docs/images/report.png.

Needs Chromium as ``chromium`` on the path. The trial is the demo's, its noise is real.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from dpwerm.cli.main import main

PICTURE = Path("docs/images/report.png")
WIDTH, HEIGHT = 860, 1120


def report_of_demo(folder: Path) -> Path:
    """Return the page of a report with an evaluation, on the demo's trial."""
    out = folder / "demo"
    rule, study, value = out / "rule.json", out / "study.toml", out / "value.json"
    page = out / "report.html"
    steps: list[list[str]] = [
        ["demo", "--out", f"{out}"],
        ["evaluate", f"{rule}", f"{study}", f"{out / 'others.csv'}", "--epsilon", "0.5"],
        ["report", f"{rule}", "--study", f"{study}", "--value", f"{value}", "--force"],
    ]
    steps[1] += ["--out", f"{value}", "--yes"]
    steps[2] += ["--out", f"{page}"]
    for step in steps:
        if main(step) != 0:
            sys.exit(f"dpwerm {step[0]} failed")
    return page


def run() -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium was not found")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = report_of_demo(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(page_file.as_uri())
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    run()
