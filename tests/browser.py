"""A real browser for the tests: Debian's Chromium, without a network, one for each worker."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

WIDE = 1280
PHONE = 360
_HEIGHT = 800
_ARGUMENTS = [
    "--no-sandbox",  # Chromium refuses to run as root with one
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_HERE = ("file:", "data:", "blob:", "about:")
# How far each element that shows text or a picture reaches beyond the window, unless a box of its
# own, inside the page, scrolls it.
_BEYOND = """() => {
  const width = document.documentElement.clientWidth;
  const boxed = element => {
    for (let box = element.parentElement; box && box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (style.overflowX !== "visible" || style.position === "fixed") return true;
    }
    return false;
  };
  const found = [];
  for (const element of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(element);
    if (style.position === "fixed" || style.visibility === "hidden") continue;
    const area = element.getBoundingClientRect();
    if (area.width > 1 && area.height > 1 && area.right > width + 1 && !boxed(element))
      found.push(`${element.tagName.toLowerCase()}.${element.className} ends at ${area.right}`);
  }
  if (document.documentElement.scrollWidth > width)
    found.push(`the page is ${document.documentElement.scrollWidth} wide`);
  return found;
}"""


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Start Chromium, or skip the test and say why; in CI a missing browser is a failure."""
    program = shutil.which("chromium")
    if program is None:
        reason = "Chromium is not installed: chromium was not found"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


@dataclass(frozen=True)
class Visit:
    """An open page, and everything that it asked of another place or complained about."""

    page: Page
    left: list[str]
    complaints: list[str]

    def beyond(self) -> list[str]:
        """Return what reaches beyond the window sideways, except inside boxes that scroll."""
        found: list[str] = self.page.evaluate(_BEYOND)
        return found


@contextmanager
def visit(
    browser: Browser, file: Path, width: int = WIDE, height: int = _HEIGHT
) -> Iterator[Visit]:
    """Open a file in a window of a width, with no network at all."""
    context = browser.new_context(viewport={"width": width, "height": height}, offline=True)
    try:
        seen = Visit(context.new_page(), [], [])
        context.on(
            "request",
            lambda request: (
                None if request.url.startswith(_HERE) else seen.left.append(request.url)
            ),
        )
        context.on("weberror", lambda error: seen.complaints.append(str(error.error)))
        seen.page.goto(file.resolve().as_uri(), wait_until="load")
        yield seen
    finally:
        context.close()
