"""A report as HTML, as text and as data: the same blocks in each.

HTML: one file from which no request leaves, and text from files stays text. Jinja escapes
everything; characters that could turn a line around are written out. Pictures are images in the
page itself, where a browser runs nothing, and the page forbids every other source. Text: for
terminals, mail and screen readers. Data: for other programs, each block with its kind.
"""

import base64
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpwerm.documents.content import (
    Block,
    Caution,
    Commands,
    Drawing,
    Facts,
    Paragraph,
    Picture,
    Points,
    Report,
    Table,
)
from dpwerm.text import WIDTH, aligned, harmless, stacked, underlined, wrapped

FORMAT, VERSION = "dpwerm-report", 1
TEMPLATE = "report.html.j2"
BRIEF = 18
"""Characters of a cell that is kept on one line."""


def as_html(report: Report) -> str:
    """Return the report as a page that stands alone."""
    environment = Environment(
        loader=PackageLoader("dpwerm.documents"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters["image"] = _image
    return environment.get_template(TEMPLATE).render(report=report, BRIEF=BRIEF)


def _finalize(value: object) -> object:
    """Return text without a character that could steer a reader's screen."""
    return harmless(value) if type(value) is str else value


def _image(drawing: Drawing) -> str:
    """Return a drawing as the address of an image in the page itself."""
    return f"data:image/svg+xml;base64,{base64.b64encode(drawing.text.encode()).decode('ascii')}"


def as_text(report: Report) -> str:
    """Return the report as lines of text."""
    parts = [underlined(report.title), *map(wrapped, report.notices)]
    for section in report.sections:
        parts.append(underlined(section.title, "-"))
        parts += [_lines(block) for block in section.blocks]
    parts.append([f"Made by {report.library}."])
    return harmless(stacked(parts)) + "\n"


def _lines(block: Block) -> list[str]:
    match block:
        case Paragraph(text):
            return wrapped(text)
        case Caution(text):
            return wrapped(f"CAUTION. {text}")
        case Points(items):
            return [line for item in items for line in _hanging("- ", item)]
        case Facts(rows):
            width = max(len(name) for name, _ in rows)
            return [line for name, text in rows for line in _hanging(f"  {name:<{width}}  ", text)]
        case Table(caption, headings, rows):
            return [*wrapped(caption), "", *_table([headings, *rows])]
        case Picture(caption, words, _):
            return wrapped(f"[Picture: {caption} {words}]")
        case Commands(lines):
            return [f"  {line}" for line in lines]


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


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    lines = aligned(rows)
    return [lines[0], "  " + "-" * (max(map(len, lines)) - 2), *lines[1:]]


def as_data(report: Report) -> dict[str, Any]:
    """Return the report as plain values; a picture is given by its words."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": report.title,
        "notices": list(report.notices),
        "private": report.private,
        "sections": [
            {
                "key": section.key,
                "title": section.title,
                "blocks": [_plain(block) for block in section.blocks],
            }
            for section in report.sections
        ],
        "library": report.library,
    }


def _plain(block: Block) -> dict[str, Any]:
    plain = {"kind": block.kind, **asdict(block)}
    plain.pop("svg", None)
    return plain
