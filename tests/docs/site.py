"""The pages built to HTML, and what stands in them: names, links, and what a page loads."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parents[2]
_LOADED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "object": "data"}
_BY_LINK = {"stylesheet", "icon", "preload", "prefetch", "manifest", "modulepreload"}


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """Build the pages as `make docs` does: a warning is an error."""
    return subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-n", "-q"),
            *("-c", "docs", "-d", str(folder / "doctrees"), ".", str(folder / "html")),
        ],
        cwd=ROOT,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


class Page(HTMLParser):
    """One page: its ids, its links, and the addresses that it loads by itself."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = {name: value or "" for name, value in attrs}
        self.ids |= {held[name] for name in ("id", "name") if name in held}
        if tag == "a" and "href" in held:
            self.links.append(held["href"])
        if tag in _LOADED and _LOADED[tag] in held:
            self.loads.append(held[_LOADED[tag]])
        if tag == "link" and "href" in held:
            kinds = set(held.get("rel", "").split())
            (self.loads if kinds & _BY_LINK else self.links).append(held["href"])


@dataclass(frozen=True)
class Site:
    """A folder of built pages."""

    folder: Path
    read: dict[Path, Page] = field(default_factory=dict)

    @cached_property
    def files(self) -> list[Path]:
        return sorted(self.folder.rglob("*.html"))

    def page(self, file: Path) -> Page:
        if file not in self.read:
            self.read[file] = Page(file)
        return self.read[file]

    def target(self, file: Path, address: str) -> tuple[Path, str] | None:
        """Return the file and the anchor that a page's link leads to, None outside the site."""
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            return None
        path = (file.parent / unquote(parts.path)).resolve() if parts.path else file
        return path, unquote(parts.fragment)

    def broken(self) -> Iterator[str]:
        """Yield every link, and everything that is loaded, that leads nowhere."""
        for file in self.files:
            page = self.page(file)
            for address in dict.fromkeys([*page.links, *page.loads]):
                found = self.target(file, address)
                if found is None:
                    continue
                path, anchor = found
                where = f"{file.relative_to(self.folder)}: {address}"
                if not path.is_file() or self.folder not in path.parents:
                    yield where
                elif anchor and path.suffix == ".html" and anchor not in self.page(path).ids:
                    yield f"{where} has no such anchor"

    def reached(self, start: str) -> set[str]:
        """Return all pages to which links lead from one page."""
        found, waiting = set[Path](), [self.folder / start]
        while waiting:
            file = waiting.pop()
            if file in found or file.suffix != ".html" or not file.is_file():
                continue
            found.add(file)
            for address in self.page(file).links:
                target = self.target(file, address)
                if target is not None:
                    waiting.append(target[0])
        return {str(file.relative_to(self.folder)) for file in found}
