"""docs/figures.md: its Python runs and writes the pictures that the page shows."""

import re
from importlib import import_module
from pathlib import Path

from tests.docs.pages import ROOT, run_page

PAGE = ROOT / "docs" / "figures.md"
TEXT = PAGE.read_text(encoding="utf-8")


def box(path: Path) -> str:
    found = re.search(r'viewBox="([^"]*)"', path.read_text(encoding="utf-8"))
    assert found is not None
    return found[1]


def test_the_page_runs_and_its_pictures_are_those_of_the_page(tmp_path: Path) -> None:
    assert run_page(PAGE, tmp_path) == TEXT.count("```python")
    written = {path.name for path in tmp_path.iterdir()}
    shown = set(re.findall(r"\(images/([\w-]+\.svg)\)", TEXT))
    assert written == shown
    for name in shown:
        assert box(tmp_path / name) == box(PAGE.parent / "images" / name), name


def test_every_function_of_the_table_is_there() -> None:
    rows = re.findall(r"^\| [^|]* \| (`dpwerm[^|]*) \|", TEXT, flags=re.MULTILINE)
    assert len(rows) == 8
    for row in rows:
        first, *others = re.findall(r"`([\w.]+)`", row)
        home, name = first.rsplit(".", 1)
        module = import_module(home)
        assert all(callable(getattr(module, one)) for one in (name, *others))
