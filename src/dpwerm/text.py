"""Lines of text: paragraphs of one width, tables in columns, and names that stay text."""

import textwrap
from collections.abc import Sequence

WIDTH = 92


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


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of texts as a Markdown table, the first as its header."""
    header, *rest = ([text.replace("|", "\\|") for text in row] for row in rows)
    lines = [header, ["---"] * len(header), *rest]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def harmless(text: str) -> str:
    """Return the text with characters escaped that could steer a terminal or turn a line around."""
    return "".join(
        one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode()
        for one in text
    )


def one_line(text: str) -> str:
    """Return the text with every character escaped that ends a line or hides another."""
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text
    )
