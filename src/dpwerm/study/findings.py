"""What a check says about a table: one finding per column and kind of trouble, with examples.

Findings quote cells. They are for the curator, who holds the table, and for nobody else.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpwerm.study.table import Table
from dpwerm.text import one_line

MOST_EXAMPLES = 5


@dataclass(frozen=True)
class Example:
    """One cell: data row (from 1), line of the file if it is a CSV file, and the cell's text."""

    row: int
    line: int | None
    value: str

    def __str__(self) -> str:
        place = f"row {self.row}" if self.line is None else f"row {self.row}, line {self.line}"
        return f"{self.value!r} ({place})"


@dataclass(frozen=True)
class Finding:
    """One kind of trouble in one column: what it is and what a fit makes of it.

    ``column`` is empty for trouble with the table as a whole; ``refused`` says that a fit
    through the study is an error, not a public rule.
    """

    column: str
    kind: str
    problem: str
    consequence: str
    count: int = 0
    examples: tuple[Example, ...] = ()
    refused: bool = False

    def __str__(self) -> str:
        text = f"{one_line(self.column) or 'table'}: {self.problem}; {self.consequence}"
        shown = ", ".join(str(example) for example in self.examples)
        more = ", ..." if self.count > len(self.examples) else ""
        return f"{text}: {shown}{more}" if shown else text


def cell_finding(
    table: Table, column: str, kind: str, rows: NDArray[np.bool_], problem: str, consequence: str
) -> list[Finding]:
    """Return one finding about the marked rows of a column, or none if no row is marked."""
    places = np.flatnonzero(rows)
    if not len(places):
        return []
    examples = tuple(
        Example(int(place) + 1, None, _short(table.cell(column, int(place))))
        for place in places[:MOST_EXAMPLES]
    )
    count = len(places)
    cells = f"{count:,} {'cell' if count == 1 else 'cells'}"
    if 1 < count == len(rows):
        cells = f"every cell ({count:,})"
    return [Finding(column, kind, f"{cells} {problem}", consequence, count, examples)]


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def with_lines(findings: Sequence[Finding], path: Path, separator: str) -> list[Finding]:
    """Return the findings with the line of each example in its CSV file."""
    wanted = {example.row for finding in findings for example in finding.examples}
    lines = _lines(path, separator, wanted) if wanted else {}
    return [
        Finding(
            **{
                **vars(finding),
                "examples": tuple(
                    Example(one.row, lines.get(one.row), one.value) for one in finding.examples
                ),
            }
        )
        for finding in findings
    ]


def _lines(path: Path, separator: str, rows: Collection[int]) -> dict[int, int]:
    """Return the line of each wanted data row: one line is one row, empty lines are none."""
    found: dict[int, int] = {}
    row = 0
    with path.open(encoding="latin-1") as stream:
        alone = separator not in next(stream)
        for line, text in enumerate(stream, start=2):
            row += alone or text != "\n"
            if row in rows:
                found.setdefault(row, line)
    return found
