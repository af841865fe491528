"""What a check found: one finding per column and kind of trouble, with a few examples.

Findings quote cells; they are for the curator, who holds the table, and for nobody else.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpwerm.data.table import Table
from dpwerm.text import one_line

MOST_EXAMPLES = 5


@dataclass(frozen=True)
class Example:
    """One cell: data row (from 1), line of the file if it has lines, and the cell's text."""

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


Marks = tuple[str, str, NDArray[np.bool_], str, str]
"""(column, kind, the rows of a block that are meant, problem, consequence)."""


def find(table: Table, marks: Callable[[Table], Sequence[Marks]]) -> list[Finding]:
    """Return a finding for each kind of mark that some row has; every block has the same kinds."""
    found: list[Finding] = []
    for block in table.blocks():
        for place, (column, kind, rows, problem, consequence) in enumerate(marks(block)):
            if place == len(found):
                found.append(Finding(column, kind, problem, consequence))
            before, places = found[place], np.flatnonzero(rows)
            if not len(places):
                continue
            new = places[: MOST_EXAMPLES - len(before.examples)].tolist()
            examples = [
                Example(block.start + row + 1, None, _short(block.cell(column, row))) for row in new
            ]
            found[place] = replace(
                before,
                consequence=max(before.consequence, consequence, key=len),
                count=before.count + len(places),
                examples=(*before.examples, *examples),
            )
    marked = [(one, _cells(one.count, table.n_rows)) for one in found if one.count]
    return [replace(one, problem=f"{cells} {one.problem}") for one, cells in marked]


def _cells(count: int, rows: int) -> str:
    if 1 < count == rows:
        return f"every cell ({count:,})"
    return f"{count:,} {'cell' if count == 1 else 'cells'}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def with_lines(
    findings: Sequence[Finding], lines: Callable[[Collection[int]], dict[int, int]]
) -> list[Finding]:
    """Return the findings with the line of each example in its file."""
    wanted = {example.row for finding in findings for example in finding.examples}
    at = lines(wanted) if wanted else {}
    return [
        replace(one, examples=tuple(replace(each, line=at.get(each.row)) for each in one.examples))
        for one in findings
    ]
