"""A document as a page, as text and as data.

Page: one file from which no request leaves, and text from files stays text. Jinja escapes
everything; characters that could turn a line around are written out. Pictures are images in the
page itself, where a browser runs nothing, and the page forbids every other source. Text: for
terminals, mail and screen readers. Data: for other programs, each block with its kind.
"""

import base64
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import zip_longest
from pathlib import Path
from typing import Any

from dpwerm.documents.document import (
    Block,
    Caution,
    Commands,
    Document,
    Drawing,
    Facts,
    Paragraph,
    Picture,
    Points,
    Table,
    cleaned,
)
from dpwerm.releases.files import write_json, write_text
from dpwerm.text import WIDTH, aligned, harmless, stacked, underlined, wrapped

VERSION = 1
"""Of documents as data."""

CELL = 60
"""Characters of a table's cell in text; a longer one goes on below."""

BRIEF = 18
"""Characters of a cell that is kept on one line."""


def write(document: Document, path: Path) -> None:
    """Write a document as the ending of the path says."""
    ending = path.suffix.lower()
    if ending == ".json":
        write_json(as_data(document), path)
    else:
        write_text(as_html(document) if ending == ".html" else as_text(document), path)


def as_html(document: Document) -> str:
    """Return the document as a page that stands alone."""
    # Jinja takes a moment to load; text on a terminal does without it.
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("dpwerm.documents"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: harmless(value) if type(value) is str else value,
    )
    environment.filters["image"] = _image
    template = environment.get_template("document.html.j2")
    return template.render(document=document, BRIEF=BRIEF)


def _image(drawing: Drawing) -> str:
    """Return a drawing as the address of an image in the page itself."""
    return f"data:image/svg+xml;base64,{base64.b64encode(drawing.text.encode()).decode('ascii')}"


def as_text(document: Document) -> str:
    """Return the document as lines of text."""
    parts = [underlined(document.title), *map(wrapped, document.notices)]
    for section in document.sections:
        parts += [underlined(section.title, "-")] if section.title else []
        parts += map(lines_of, section.blocks)
    return harmless(stacked(parts)) + "\n"


def blocks_as_text(blocks: Iterable[Block]) -> list[str]:
    """Return blocks that stand alone as lines, an empty one between two of them."""
    return stacked(lines_of(cleaned(block)) for block in blocks).splitlines()


def lines_of(block: Block) -> list[str]:
    """Return a block as lines."""
    match block:
        case Paragraph(text):
            return wrapped(text)
        case Caution(text):
            return wrapped(f"CAUTION. {text}")
        case Points(items):
            return [line for item in items for line in _hanging("- ", item)]
        case Facts(rows, caption):
            width = max(len(name) for name, _ in rows)
            facts = [line for name, text in rows for line in _hanging(f"  {name:<{width}}  ", text)]
            return [*_headed(caption), *facts]
        case Table(caption, headings, rows):
            whole = [headings, *rows] if headings else rows
            return [*_headed(caption), *aligned([line for row in whole for line in _folded(row)])]
        case Picture(caption, words, _):
            return wrapped(f"[Picture: {caption} {words}]")
        case Commands(lines):
            return [f"  {line}" for line in lines]


def _folded(row: Sequence[str]) -> list[tuple[str, ...]]:
    """Return a row as one or more, so that no cell is wider than ``CELL`` unless it is one word."""
    fold = textwrap.TextWrapper(CELL, break_long_words=False, break_on_hyphens=False)
    cells = [fold.wrap(cell) if len(cell) > CELL else [cell] for cell in row]
    return list(zip_longest(*cells, fillvalue=""))


def _headed(caption: str) -> list[str]:
    return [*wrapped(caption), ""] if caption else []


def _hanging(head: str, text: str) -> list[str]:
    """Return a paragraph that begins with ``head`` and goes on below its text."""
    return textwrap.wrap(
        text,
        max(WIDTH, len(head) + 40),
        initial_indent=head,
        subsequent_indent=" " * len(head),
        break_long_words=False,
        break_on_hyphens=False,
    ) or [head.rstrip()]


def as_data(document: Document) -> dict[str, Any]:
    """Return the document as plain values; a picture is given by its words."""
    sections = [
        {"key": one.key, "title": one.title, "blocks": list(map(_plain, one.blocks))}
        for one in document.sections
    ]
    return {
        "format": f"dpwerm-{document.kind}",
        "version": VERSION,
        "title": document.title,
        "notices": list(document.notices),
        "private": document.private,
        "verdict": document.verdict,
        "sections": sections,
        "library": document.library,
    }


def _plain(block: Block) -> dict[str, Any]:
    plain = {"kind": block.kind, **asdict(block)}
    plain.pop("svg", None)
    return plain
