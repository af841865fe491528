"""What a report says, before it is HTML, text or JSON: sections of a few kinds of blocks.

Every block holds plain text. Each format is one module that shows all kinds of blocks, so all
formats say the same.
"""

import base64
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpwerm.text import WIDTH, aligned, harmless, one_line, stacked, underlined, wrapped


@dataclass(frozen=True)
class Drawing:
    """An SVG element, in which no name from a file is text."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A few sentences."""

    kind: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True)
class Caution:
    """A sentence that must not be overlooked; it says so in its first words, not by colour."""

    kind: ClassVar[str] = "caution"
    text: str


@dataclass(frozen=True)
class Points:
    """Sentences that stand side by side."""

    kind: ClassVar[str] = "points"
    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Rows of texts under headings; the first column names the row."""

    kind: ClassVar[str] = "table"
    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Facts:
    """Names and what they stand for."""

    kind: ClassVar[str] = "facts"
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Picture:
    """A drawing, and in words what it shows, for whoever does not see it."""

    kind: ClassVar[str] = "picture"
    caption: str
    words: str
    svg: Drawing


@dataclass(frozen=True)
class Commands:
    """Lines to type at a command line."""

    kind: ClassVar[str] = "commands"
    lines: tuple[str, ...]


Block = Paragraph | Caution | Points | Table | Facts | Picture | Commands


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it; ``key`` is its public name."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Report:
    """The whole report.

    notices: the sentence that heads each release wherever it is shown; private: whether all of them
    carry a claim; library: what made the report.
    """

    title: str
    notices: tuple[str, ...]
    private: bool
    sections: tuple[Section, ...]
    library: str


def cleaned(report: Report) -> Report:
    """Return the report with every text on one line and no character that steers a screen.

    Names come from files that anybody can write; a line break in one must not forge a line.
    """
    return replace(
        report,
        title=one_line(report.title),
        notices=tuple(map(one_line, report.notices)),
        sections=tuple(
            replace(section, blocks=tuple(map(_cleaned_block, section.blocks)))
            for section in report.sections
        ),
    )


def _cleaned_block(block: Block) -> Block:
    kept = {one.name: getattr(block, one.name) for one in fields(block)}
    return replace(block, **{name: _cleaned_value(value) for name, value in kept.items()})


def _cleaned_value(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_cleaned_value, value))
    return one_line(value) if isinstance(value, str) else value


# ------------------------------------------------------------------------------------------
# A report as HTML, as text and as data: the same blocks in each.
#
# HTML: one file from which no request leaves, and text from files stays text. Jinja escapes
# everything; characters that could turn a line around are written out. Pictures are images in the
# page itself, where a browser runs nothing, and the page forbids every other source. Text: for
# terminals, mail and screen readers. Data: for other programs, each block with its kind.


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
