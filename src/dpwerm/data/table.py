r"""The one place that reads tables: a rectangle of cells, each number or text by a public rule.

Every cell has a meaning whatever it holds and whatever other rows hold: a number column gives a
finite double or NaN (missing), a text column a normalised text or None (missing). 1, 1.0, "1" and
" 1\t" are the same cell, because the same table may come as CSV text or as typed columns. Only the
header and the column types can be wrong; those faults are found before any value is used and are
reported together.

A reader says which endings of a path or which objects it takes, opens one as a :class:`Source`,
which knows its column names before any value is read, and writes a table back where it can. A new
format is one module with a :class:`Reader` and one call of :func:`register_reader`; errors and help
texts ask the registry. Errors of the libraries underneath may quote cells; a reader replaces them
and never passes them on.
"""

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import Fault, ParameterError, TableError
from dpwerm.faults import nearest
from dpwerm.parameters import check_unused
from dpwerm.text import one_line

if TYPE_CHECKING:
    import pyarrow as pa

    Create = Callable[[Path, "Source"], AbstractContextManager[Callable[[pa.Table], None]]]

BLOCK = 1 << 16
"""Rows of a block."""

MISSING = frozenset({"NA", "N/A", "NaN", "nan", "NULL", "null"})
"""Texts that mean "missing" in a category column unless the study declares them as a level."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def normalise(text: str) -> str | None:
    """Return the one spelling under which a cell is compared; None for an empty cell."""
    text = text.strip()
    if not text:
        return None
    if _NUMBER.fullmatch(text):
        return _decimal_spelling(text)
    if len(text) <= 5 and text.lower() in {"true", "false"}:
        return text.lower()
    return text


def parse_number(text: str) -> float:
    """Return the number a cell holds, NaN if it is no finite number; true and false are 1 and 0."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        number = float(text)
        return number if math.isfinite(number) else math.nan
    return {"true": 1.0, "false": 0.0}.get(text.lower(), math.nan)


def _decimal_spelling(text: str) -> str:
    """Return the number text without plus sign, exponent and idle zeros."""
    mantissa, _, exponent = text.lower().partition("e")
    if exponent:
        if len(exponent) > 5 or abs(int(exponent)) > 400:
            return text
        sign, digits, place = Decimal(mantissa).as_tuple()
        mantissa = f"{Decimal((sign, digits, int(place) + int(exponent))):f}"
    negative = mantissa.startswith("-")
    whole, _, fraction = mantissa.lstrip("+-").partition(".")
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    spelling = f"{whole}.{fraction}" if fraction else whole
    return f"-{spelling}" if negative and spelling != "0" else spelling


def text_of(value: object) -> str | None:
    """Return the cell text of one Python value; None for a missing one.

    A value of a kind no cell can hold (a date, a list) becomes its type's name in angle brackets:
    no number, and no level unless declared.
    """
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, str):
        # A half of a surrogate pair is no character; it becomes a question mark.
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, (bool, int, Decimal)):
        try:
            return str(value)
        except ValueError:  # a whole number of more digits than Python prints
            return "<int>"
    as_python = getattr(value, "item", None)
    if as_python is not None and getattr(value, "shape", None) == ():
        inner = as_python()
        # NumPy's widest numbers have no Python type: they give themselves back.
        return text_of(inner) if type(inner) is not type(value) else f"<{type(value).__name__}>"
    if isinstance(value, float):
        return None if math.isnan(value) else repr(value)
    return f"<{type(value).__name__}>"


@dataclass(frozen=True)
class Source:
    """An opened table.

    label : what messages call it
    names : the header
    read : from positions of columns to their cells, as text or typed numbers; what a cell means
        never depends on another row
    lines : from row numbers, counted from 1, to the lines of the file that hold them, if it has
        lines
    separator : between the cells of a line, if it has lines of cells
    """

    label: str
    names: tuple[str, ...]
    read: "Callable[[Sequence[int]], list[pa.ChunkedArray]]"
    lines: Callable[[Collection[int]], dict[int, int]] | None = None
    separator: str | None = None

    def __reduce__(self) -> tuple[object, ...]:
        """Give another process label and header; the cells that were read go with their table."""
        return Source, (self.label, self.names, _left_behind)


def _left_behind(_positions: "Sequence[int]") -> "list[pa.ChunkedArray]":
    raise RuntimeError("a table is read by the process that opened it")


@dataclass(frozen=True)
class Reader:
    """One kind of table: a file format by the endings of its paths, or a kind of object.

    name : one word, unique among the readers
    open : from a path or object, and the label for messages, to the opened table
    endings : of the paths it takes, in lower case, with their dot
    takes : whether it takes an object that is no path
    create : from a new path, and the source of the rows, to a context that writes blocks of rows,
        at least one, in order; None if the format is only read
    """

    name: str
    open: Callable[[Any, str], Source]
    endings: tuple[str, ...] = ()
    takes: Callable[[object], bool] = lambda _: False
    create: "Create | None" = None


READERS: dict[str, Reader] = {}


def register_reader(reader: Reader) -> None:
    """Make a reader known; of several that take an object the newest has it."""
    check_unused("reader", reader.name, READERS)
    taken = {ending for other in READERS.values() for ending in other.endings}
    for ending in reader.endings:
        check_unused("reader of", ending, taken)
    READERS[reader.name] = reader


def endings(*, written: bool = False) -> str:
    """Return the endings of tables for messages: those that are read, or that can be written."""
    readers = [reader for reader in READERS.values() if reader.create or not written]
    known = [ending for reader in readers for ending in reader.endings]
    return " or ".join(part for part in (", ".join(known[:-1]), known[-1]) if part)


def open_source(source: object) -> Source:
    """Return the table behind a path or an object, as the reader that takes it opens it."""
    if not isinstance(source, (str, Path)):
        takers = [reader for reader in READERS.values() if reader.takes(source)]
        return takers[-1].open(source, "table")
    path = Path(source)
    label = f"table {path.name or path}"
    reader = _reader_of(path)
    if reader is None:
        raise TableError(label, [Fault("name", f"must end in {endings()}")])
    try:
        if not path.is_file():
            problem = "is a folder" if path.is_dir() else "does not exist"
            raise TableError(label, [Fault("file", problem, "give the path of a table")])
        return reader.open(path, label)
    except (OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        reason = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
        raise TableError(label, [Fault("file", f"cannot be read{reason}")]) from None


def writer_of(path: Path) -> "Create":
    """Return what creates a file of the path's format; an ending that none has is a fault."""
    reader = _reader_of(path)
    if reader is None or reader.create is None:
        raise TableError(path.name, [Fault("name", f"must end in {endings(written=True)}")])
    return reader.create


def _reader_of(path: Path) -> Reader | None:
    found = (one for one in READERS.values() if path.suffix.lower() in one.endings)
    return next(found, None)


def _later(module: str, name: str) -> Callable[..., Any]:
    """Return a function whose module, slow to load, is imported when it is first called."""
    return lambda *arguments: getattr(import_module(module), name)(*arguments)


register_reader(Reader("frame", _later("dpwerm.data.columns", "open_frame"), takes=lambda _: True))
for _name, _endings in (("csv", (".csv", ".tsv")), ("parquet", (".parquet",))):
    _module = f"dpwerm.data.{_name}_files"
    register_reader(
        Reader(_name, _later(_module, "open_file"), _endings, create=_later(_module, "create"))
    )


@dataclass(frozen=True, repr=False)
class Table:
    """The cells of the columns that were asked for; printing it shows none of them.

    ``whole`` is all of the source as it was read, kept on request, and ``start`` how many rows of
    the source come before the first.
    """

    source: Source
    n_rows: int
    columns: "Mapping[str, pa.ChunkedArray]" = field(compare=False)
    whole: "pa.Table | None" = field(default=None, compare=False)
    start: int = 0

    def __repr__(self) -> str:
        return f"Table({len(self.source.names)} columns)"

    @property
    def label(self) -> str:
        """What messages call the table."""
        return self.source.label

    def blocks(self, size: int = BLOCK) -> Iterator[Self]:
        """Yield the rows in order as tables of ``size`` rows, the last shorter; at least one."""
        for start in range(0, max(self.n_rows, 1), size):
            rows = min(size, self.n_rows - start)
            columns = {name: column.slice(start, size) for name, column in self.columns.items()}
            whole = None if self.whole is None else self.whole.slice(start, size)
            yield type(self)(self.source, rows, columns, whole, self.start + start)

    def numbers(self, name: str) -> FloatArray:
        """Return a column as doubles, shape (n,); NaN for what is no finite number."""
        from dpwerm.data.columns import numbers

        return numbers(self.columns[name])

    def factorised(
        self, name: str, rows: IntArray | None = None
    ) -> tuple[IntArray, list[str | None]]:
        """Return (codes, texts) of these rows or all: row i has the text ``texts[codes[i]]``."""
        from dpwerm.data.columns import factorised

        column = self.columns[name]
        return factorised(column if rows is None else column.take(rows))

    def cell(self, name: str, row: int) -> str:
        """Return one cell as text, as it was read; for the curator's eyes only."""
        return text_of(self.columns[name][row].as_py()) or ""


def read_table(source: object, needed: Sequence[str], *, keep_all: bool = False) -> Table:
    """Return the needed columns of a file or a data frame, of a kind that some reader takes.

    All that are missing or of a wrong type are reported at once, by names and positions, never by a
    cell. ``keep_all`` keeps the other columns, of whatever type, to be written back.
    """
    import pyarrow as pa

    from dpwerm.data.columns import plain, readable, type_fault

    opened = open_source(source)
    wanted = list(dict.fromkeys(needed))
    check_header(opened, wanted)
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


def more_columns(table: Table, names: Sequence[str]) -> Table:
    """Return other columns of a table's source; one that a study could not use is left out."""
    from dpwerm.data.columns import plain, type_fault

    source, kept = table.source, {name: table.columns.get(name) for name in names}
    left = [name for name, column in kept.items() if column is None]
    for group in (left, *([name] for name in left)):
        with suppress(TableError):
            found = source.read([source.names.index(name) for name in group]) if group else []
            kept |= {name: plain(column) for name, column in zip(group, found, strict=True)}
            if group is left:
                break
    columns = {
        name: column
        for name, column in kept.items()
        if column is not None and type_fault(name, column.type) is None
    }
    return Table(source, table.n_rows, columns)


def check_header(source: Source, wanted: Sequence[str]) -> None:
    """Raise the faults of a header; a name not declared is never repeated, it may be a value."""
    faults = []
    first: dict[str, int] = {}
    for position, name in enumerate(source.names, start=1):
        if name and name in first:
            problem = f"has the same name as column {first[name]}"
            faults.append(Fault(f"column {position}", problem, "rename one of them"))
        first.setdefault(name, position)
    for name in (one for one in wanted if one not in first):
        guess = nearest(name, (other for other in source.names if other))
        remedy = f"column {first[guess]} has a similar name" if guess else ""
        faults.append(Fault(one_line(name), "is not a column of the table", remedy))
    if faults:
        raise TableError(source.label, faults)


def write_with_columns(
    table: Table,
    names: Sequence[str],
    values: Callable[[Table], Sequence[NDArray[np.generic]]],
    path: Path,
) -> None:
    """Write all of a table's own cells as they were read, and more columns after them.

    table: read with ``keep_all=True``; values: from a block of it to what the new columns hold
    there; path: its ending says the format.
    """
    import pyarrow as pa

    create = writer_of(path)
    if table.whole is None:
        raise ParameterError("table must be read with keep_all=True to be written back")
    clashes = [name for name in names if name in table.source.names]
    if clashes:
        problem, remedy = "is already a column", "rename it in the table"
        raise TableError(table.label, [Fault(name, problem, remedy) for name in clashes])
    with create(path, table.source) as write:
        for block in table.blocks():
            rows: pa.Table = block.whole
            for name, column in zip(names, values(block), strict=True):
                rows = rows.append_column(name, pa.array(column.tolist()))
            write(rows)
