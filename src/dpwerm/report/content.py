"""What a report says, before it is HTML, text or JSON: sections of a few kinds of blocks.

Every block holds plain text. Each format is one module that shows all kinds of blocks, so all
formats say the same.
"""

from dataclasses import dataclass
from typing import ClassVar


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
    svg: str


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

    notice: the sentence that heads a release wherever it is shown; private: whether it carries a
    claim; library: what made the report.
    """

    title: str
    notice: str
    private: bool
    sections: tuple[Section, ...]
    library: str
