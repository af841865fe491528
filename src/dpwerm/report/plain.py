"""A report as plain text, for terminals, mail and screen readers."""

import textwrap
from collections.abc import Sequence

from dpwerm.report.content import (
    Block,
    Caution,
    Commands,
    Facts,
    Paragraph,
    Picture,
    Points,
    Report,
    Table,
)
from dpwerm.text import WIDTH, aligned, harmless, wrapped


def as_text(report: Report) -> str:
    """Return the report as lines of text."""
    parts = [[report.title, "=" * len(report.title)], *map(wrapped, report.notices)]
    for section in report.sections:
        parts.append([section.title, "-" * len(section.title)])
        parts += [_lines(block) for block in section.blocks]
    parts.append([f"Made by {report.library}."])
    return harmless("\n\n".join("\n".join(part) for part in parts)) + "\n"


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
