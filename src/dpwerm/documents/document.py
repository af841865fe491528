"""What a document is made of: sections of a few kinds of blocks, each of plain text.

Summary, report, plan, value, account, tuning and audit are such documents, one module each;
``render`` shows any of them as a page, as text or as data, so all formats say the same.
"""

from dataclasses import dataclass, replace
from typing import Any

from dpwerm.text import one_line
from dpwerm.version import __version__


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
    """Rows of texts, under headings if there are any; the first column names the row."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Facts(Kind):
    """Names and what they stand for."""

    rows: tuple[tuple[str, str], ...]
    caption: str = ""


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


def told(*texts: str) -> list[Block]:
    """Return a paragraph for each text that says something."""
    return [Paragraph(text) for text in texts if text]


@dataclass(frozen=True)
class Section:
    """A heading, if it has a title, and what stands under it; ``key`` is its public name."""

    key: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A whole document.

    kind : its public name, such as "report"
    notices : the sentence that heads each release wherever it is shown
    private : whether all of these carry a claim; None if the document shows no release
    verdict : of a document on a rule, whether that can be told from noise; None in others
    about : what it is, in a few words above the title; made_from : what was read to make it
    """

    kind: str
    title: str
    sections: tuple[Section, ...]
    notices: tuple[str, ...] = ()
    private: bool | None = None
    verdict: str | None = None
    about: str = ""
    made_from: str = "released files alone"
    library: str = f"dpwerm {__version__}"

    def __post_init__(self) -> None:
        """Clean every text: names come from files that anybody can write."""
        for name, value in vars(self).items():
            object.__setattr__(self, name, cleaned(value))


def cleaned(part: Any) -> Any:
    """Return a part with every text on one line and no character that steers a screen.

    A line break in a name must not forge a line.
    """
    if isinstance(part, str):
        return one_line(part)
    if isinstance(part, tuple):
        return tuple(map(cleaned, part))
    if isinstance(part, Section | Block):
        return replace(part, **{name: cleaned(value) for name, value in vars(part).items()})
    return part
