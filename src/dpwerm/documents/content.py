"""What a report says, before it is HTML, text or JSON: sections of a few kinds of blocks.

Every block holds plain text. Each format is one module that shows all kinds of blocks, so all
formats say the same.
"""

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from dpwerm.text import one_line


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
