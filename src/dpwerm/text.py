"""Lines of text: paragraphs of one width, tables in columns, and names that stay text."""

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

WIDTH = 92
MOST_MARKS = 4
"""How many combining marks may follow each other in a name; no script stacks more."""

_MARKS = ("Mn", "Me")
_SMALL = Decimal("1e-4")
_STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


def wrapped(text: str) -> list[str]:
    """Return a paragraph as lines."""
    return textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines of a table, each column as wide as its widest text."""
    shown = [[one_line(text) for text in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = []
    for row in shown:
        cells = (f"{text:<{width}}" for text, width in zip(row, widths, strict=True))
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def rests_on(facts: Mapping[str, str], *, private: bool) -> list[str]:
    """Return what a promise rests on, each fact by its name."""
    heading = "What the promise rests on:" if private else "How it was made, without a promise:"
    return [heading, "", *aligned(list(facts.items()))]


def paragraphs(texts: Sequence[str]) -> list[str]:
    """Return several paragraphs as lines, each from a new line."""
    return [line for text in texts for line in wrapped(text)]


def listed(items: Sequence[str], word: str = "and") -> str:
    """Return "a, b and c"."""
    *most, last = items
    return f"{', '.join(most)} {word} {last}" if most else last


def underlined(title: str, sign: str = "=") -> list[str]:
    """Return a title and the line under it."""
    return [title, sign * len(title)]


def stacked(parts: Iterable[Sequence[str]]) -> str:
    """Return blocks of lines as one text, an empty line between two; empty blocks are left out."""
    return "\n\n".join("\n".join(part) for part in parts if part)


def digits(value: Decimal) -> str:
    """Return a decimal with all its digits, tiny ones with an exponent."""
    return f"{value:f}" if value == 0 or abs(value) >= _SMALL else f"{value:g}"


def harmless(text: str) -> str:
    """Return the text with characters escaped that could steer a terminal or turn a line around."""
    return "".join(
        one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode()
        for one in text
    )


def one_line(text: str) -> str:
    """Return the text with every character escaped that ends a line, hides or covers another."""
    if text.isascii() and text.isprintable():
        return text
    shown, row = [], 0
    for one in text:
        row = row + 1 if unicodedata.category(one) in _MARKS else 0
        kept = one.isprintable() and row <= MOST_MARKS
        shown.append(one if kept else one.encode("unicode_escape").decode("ascii"))
    return "".join(shown)


def stays_in_line(text: str) -> bool:
    """Whether a name is one line, turns nothing around and covers no line above it.

    No line break, no other control character, no sign that turns the direction of writing, and at
    most ``MOST_MARKS`` combining marks in a row. What ``one_line`` returns is always such a name.
    """
    if text.isascii():
        return text.isprintable()
    row = 0
    for one in text:
        kind = unicodedata.category(one)
        row = row + 1 if kind in _MARKS else row if kind == "Cf" else 0
        if row > MOST_MARKS:
            return False
    return _STEERING.search(text) is None
