"""What a report says: sections of a few kinds of blocks, as HTML, as text and as data.

Every block holds plain text, and each format shows all kinds of blocks, so all say the same.
HTML: one file from which no request leaves, and text from files stays text. Jinja escapes
everything; characters that could turn a line around are written out. Pictures are images in the
page itself, where a browser runs nothing, and the page forbids every other source. Text: for
terminals, mail and screen readers. Data: for other programs, each block with its kind.
"""

import base64
import textwrap
from dataclasses import asdict, dataclass, replace
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpwerm.text import WIDTH, aligned, harmless, one_line, stacked, underlined, wrapped

FORMAT, VERSION = "dpwerm-report", 1
BRIEF = 18
"""Characters of a cell that is kept on one line."""


@dataclass(frozen=True)
class Drawing:
    """An SVG element, in which no name from a file is text."""

    text: str


class Kind:
    """A kind of block, called by the name of its class."""

    @property
    def kind(self) -> str:
        """Its name in templates and data."""
        return type(self).__name__.lower()


@dataclass(frozen=True)
class Paragraph(Kind):
    """A few sentences."""

    text: str


@dataclass(frozen=True)
class Caution(Kind):
    """A sentence that must not be overlooked; it says so in its first words, not by colour."""

    text: str


@dataclass(frozen=True)
class Points(Kind):
    """Sentences that stand side by side."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table(Kind):
    """Rows of texts under headings; the first column names the row."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Facts(Kind):
    """Names and what they stand for."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Picture(Kind):
    """A drawing, and in words what it shows, for whoever does not see it."""

    caption: str
    words: str
    svg: Drawing


@dataclass(frozen=True)
class Commands(Kind):
    """Lines to type at a command line."""

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
    return replace(report, **{name: _cleaned(value) for name, value in vars(report).items()})


def _cleaned(part: Any) -> Any:
    if isinstance(part, str):
        return one_line(part)
    if isinstance(part, tuple):
        return tuple(map(_cleaned, part))
    if isinstance(part, Section | Block):
        return replace(part, **{name: _cleaned(value) for name, value in vars(part).items()})
    return part


def as_html(report: Report) -> str:
    """Return the report as a page that stands alone."""
    environment = Environment(
        loader=PackageLoader("dpwerm.documents"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: harmless(value) if type(value) is str else value,
    )
    environment.filters["image"] = _image
    return environment.get_template("report.html.j2").render(report=report, BRIEF=BRIEF)


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
            first, *others = aligned([headings, *rows])
            rule = "  " + "-" * (max(map(len, [first, *others])) - 2)
            return [*wrapped(caption), "", first, rule, *others]
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


def as_data(report: Report) -> dict[str, Any]:
    """Return the report as plain values; a picture is given by its words."""
    sections = [
        {**vars(section), "blocks": [_plain(block) for block in section.blocks]}
        for section in report.sections
    ]
    plain = {**vars(report), "notices": list(report.notices), "sections": sections}
    return {"format": FORMAT, "version": VERSION, **plain}


def _plain(block: Block) -> dict[str, Any]:
    plain = {"kind": block.kind, **asdict(block)}
    plain.pop("svg", None)
    return plain
