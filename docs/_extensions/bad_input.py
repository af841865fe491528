"""The tables of docs/bad-input.md, made from the table that the tests of bad input try.

They come as Markdown in the place of a comment, so that each heading is one of the page's own.
"""

import tomllib
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

CASES = Path(__file__).parents[2] / "tests" / "bad_input" / "cases.toml"
PAGE, PLACE = "docs/bad-input", "<!-- cases -->"


def row(cells: list[str]) -> str:
    """Return a line of a Markdown table; no cell ends at a bar of its own."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def table_of(section: dict[str, Any]) -> str:
    """Return the cases of a section, what happens in each column beside them."""
    columns = section["columns"]
    lines = [row(["condition", *columns]), "|" + "---|" * (len(columns) + 1)]
    for condition, cells in section["cases"].items():
        lines.append(
            row([condition, *([cells] * len(columns) if isinstance(cells, str) else cells)])
        )
    return "\n".join(lines)


def markdown() -> str:
    """Return every section of the table with its heading and its words."""
    sections = tomllib.loads(CASES.read_text(encoding="utf-8"))
    return "\n\n".join(
        f"## {name}\n\n{one['says']}\n\n{table_of(one)}" for name, one in sections.items()
    )


def _fill(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname == PAGE:
        app.env.note_dependency(str(CASES))
        before, after = source[0].split(PLACE)  # the place is there once
        source[0] = before + markdown() + after


def setup(app: Sphinx) -> ExtensionMetadata:
    """Fill the page when it is read."""
    app.connect("source-read", _fill)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
