"""The one place that reads tables: a rectangle of cells, each number or text by a public rule.

Every cell has a meaning whatever it holds: a number column gives a finite double or NaN (missing),
a text column gives a normalised text or None (missing). Only the header and the column types can
be wrong; those faults are found before any value is used and are reported together.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.data.columns import text_of
from dpwerm.data.readers import Source, open_source, writer_of
from dpwerm.errors import Fault, ParameterError, TableError
from dpwerm.faults import nearest
from dpwerm.text import one_line

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 16
"""Rows of a block."""


@dataclass(frozen=True, repr=False)
class Table:
    """The cells of the columns that were asked for; printing it shows none of them.

    Parameters
    ----------
    source : where the rows come from
    n_rows : how many there are
    columns : the cells, by name
    whole : all of the source as it was read, kept on request
    start : how many rows of the source come before the first
    """

    source: Source
    n_rows: int
    columns: "Mapping[str, pa.ChunkedArray]" = field(compare=False)
    whole: "pa.Table | None" = field(default=None, compare=False)
    start: int = 0

    def __repr__(self) -> str:
        return f"Table({len(self.names)} columns)"

    @property
    def label(self) -> str:
        """What messages call the table."""
        return self.source.label

    @property
    def names(self) -> tuple[str, ...]:
        """All column names of the source."""
        return self.source.names

    def blocks(self, size: int = BLOCK) -> Iterator[Self]:
        """Yield the rows in order as tables of ``size`` rows, the last shorter; at least one."""
        for start in range(0, max(self.n_rows, 1), size):
            yield type(self)(
                self.source,
                min(size, self.n_rows - start),
                {name: column.slice(start, size) for name, column in self.columns.items()},
                None if self.whole is None else self.whole.slice(start, size),
                self.start + start,
            )

    def numbers(self, name: str, rows: IntArray | None = None) -> FloatArray:
        """Return a column as doubles, shape (n,); NaN for what is no finite number."""
        from dpwerm.data.columns import numbers

        return numbers(self._cells(name, rows))

    def factorised(
        self, name: str, rows: IntArray | None = None
    ) -> tuple[IntArray, list[str | None]]:
        """Return (codes, texts): the normalised text of row i is ``texts[codes[i]]``.

        rows: positions of the rows that are asked for, by default all.
        """
        from dpwerm.data.columns import factorised

        return factorised(self._cells(name, rows))

    def texts(self, name: str) -> NDArray[np.object_]:
        """Return a column as normalised texts, shape (n,); None for an empty cell."""
        codes, texts = self.factorised(name)
        return np.array([*texts, None], dtype=object)[codes]

    def cell(self, name: str, row: int) -> str:
        """Return one cell as text, as it was read; for the curator's eyes only."""
        return text_of(self.columns[name][row].as_py()) or ""

    def _cells(self, name: str, rows: IntArray | None) -> "pa.ChunkedArray":
        return self.columns[name] if rows is None else self.columns[name].take(rows)


def read_table(source: object, needed: Sequence[str], *, keep_all: bool = False) -> Table:
    """Return the needed columns of a table; other columns are ignored.

    Parameters
    ----------
    source : path of a file, or a data frame; the readers in ``data/readers.py`` say of which kinds
    needed : column names; all that are missing or of a wrong type are reported at once
    keep_all : bool
        Also keep the other columns, of whatever type, so that they can be written back.

    Raises
    ------
    TableError
        The text names columns and positions, never a cell.
    """
    opened = open_source(source)
    wanted = list(dict.fromkeys(needed))
    faults = header_faults(opened.names, wanted)
    if faults:
        raise TableError(opened.label, faults)
    return _table(opened, wanted, keep_all=keep_all)


def _table(opened: Source, wanted: list[str], *, keep_all: bool) -> Table:
    import pyarrow as pa

    from dpwerm.data.columns import plain, readable, type_fault

    positions = [opened.names.index(name) for name in wanted]
    if keep_all or not wanted:
        positions = list(range(len(opened.names)))
    read = dict(zip(positions, opened.read(positions), strict=True))
    n_rows = len(next(iter(read.values()))) if read else 0
    whole = None
    if keep_all:
        read = {position: readable(column) for position, column in read.items()}
        whole = pa.Table.from_arrays(list(read.values()), names=opened.names)
    columns = {name: plain(read[opened.names.index(name)]) for name in wanted}
    faults = [type_fault(name, column.type) for name, column in columns.items()]
    if any(faults):
        raise TableError(opened.label, [fault for fault in faults if fault])
    return Table(opened, n_rows, columns, whole)


def header_faults(names: Sequence[str], wanted: Sequence[str]) -> list[Fault]:
    """Return the faults of a header; a name not declared is never repeated, it may be a value."""
    faults = []
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if name and name in first:
            faults.append(
                Fault(
                    f"column {position}",
                    f"has the same name as column {first[name]}",
                    "rename one of them",
                )
            )
        first.setdefault(name, position)
    for name in wanted:
        if name in first:
            continue
        guess = nearest(name, (other for other in names if other))
        remedy = f"column {first[guess]} has a similar name" if guess else ""
        faults.append(Fault(one_line(name), "is not a column of the table", remedy))
    return faults


def write_with_columns(
    table: Table,
    names: Sequence[str],
    values: Callable[[Table], Sequence[NDArray[np.generic]]],
    path: Path,
) -> None:
    """Write all of a table's own cells as they were read, and more columns after them.

    Parameters
    ----------
    table : Table
        Read with ``keep_all=True``.
    names : of the new columns; a name the table has is a fault
    values : from a block of the table to the new columns' values there
    path : Path
        Its ending says the format.
    """
    import pyarrow as pa

    create = writer_of(path)
    if table.whole is None:
        raise ParameterError("table must be read with keep_all=True to be written back")
    clashes = [name for name in names if name in table.names]
    if clashes:
        problem, remedy = "is already a column", "rename it in the table"
        raise TableError(table.label, [Fault(name, problem, remedy) for name in clashes])
    with create(path, table.source) as write:
        for block in table.blocks():
            rows: pa.Table = block.whole
            for name, column in zip(names, values(block), strict=True):
                rows = rows.append_column(name, pa.array(column.tolist()))
            write(rows)
