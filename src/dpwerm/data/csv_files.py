"""CSV files: cells are text, no type is guessed, and one line is one row.

So what one row means never depends on another row, and a stray quote in one person's row cannot
swallow the rows of others.
"""

import csv
import io
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow
import pyarrow.csv as arrow_csv

from dpwerm.data.table import Source
from dpwerm.errors import Fault, TableError

HEADER_LIMIT = 1 << 20
ROW_LIMIT = 1 << 24
_ONE_LINE = (
    "a quote is not closed, or a cell holds a line break: write one line per row, or save as "
    "Parquet"
)


@dataclass(frozen=True)
class Header:
    """The first record of a CSV file."""

    names: tuple[str, ...]
    separator: str
    is_all: bool


def open_file(path: Path, label: str) -> Source:
    """Return the table of a CSV file."""
    header = read_header(path, label)

    def read(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        if header.is_all:
            return [pa.chunked_array([], pa.large_string()) for _ in positions]
        try:
            found = _columns(path, header, positions)
        except pa.ArrowException as error:
            fault = _fault(str(error), len(header.names))
        else:
            if found.num_rows == sum(1 for _ in _rows(path, header)):
                return list(found.columns)
            fault = Fault("rows", "a row runs over several lines", _ONE_LINE)
        raise TableError(label, [_with_line(fault, path, header)])

    def lines(rows: Collection[int]) -> dict[int, int]:
        wanted = set(rows)
        last = max(wanted, default=0)
        pairs = zip(range(1, last + 1), _rows(path, header), strict=False)
        return {row: line for row, line in pairs if row in wanted}

    return Source(label, header.names, read, lines, header.separator)


def read_header(path: Path, label: str) -> Header:
    """Return the header of a CSV file; the separator is the one that gives most names."""
    with path.open("rb") as stream:
        raw = stream.read(HEADER_LIMIT)
    text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")
    if not text.strip():
        raise TableError(label, [Fault("file", "is empty", "the first line must name the columns")])
    found = [_first_record(text, separator, label) for separator in (",", ";", "\t")]
    header = max(found, key=lambda one: len(one.names))
    try:
        "".join(header.names).encode()
    except UnicodeEncodeError:
        raise TableError(label, [Fault("header", "is not UTF-8", "save as UTF-8")]) from None
    if not any(header.names):
        raise TableError(label, [Fault("header", "is blank", "the first line names the columns")])
    if header.is_all and len(raw) == HEADER_LIMIT:
        raise TableError(label, [Fault("header", "is longer than 1 MB", "is a quote not closed?")])
    return header


def _first_record(text: str, separator: str, label: str) -> Header:
    stream = io.StringIO(text, newline="")
    names = None
    with suppress(csv.Error):
        names = next(csv.reader(stream, delimiter=separator))
    if names is None:
        raise TableError(label, [Fault("header", "cannot be read", "is it a CSV file?")])
    return Header(tuple(name.strip() for name in names), separator, stream.tell() == len(text))


def _columns(path: Path, header: Header, positions: Sequence[int]) -> pa.Table:
    """Return some columns as text."""
    inner = [str(position) for position in range(len(header.names))]
    return arrow_csv.read_csv(
        path,
        arrow_csv.ReadOptions(column_names=inner, skip_rows_after_names=1, block_size=ROW_LIMIT),
        arrow_csv.ParseOptions(
            delimiter=header.separator, newlines_in_values=True, ignore_empty_lines=len(inner) > 1
        ),
        arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(inner, pa.large_string()),
            include_columns=[inner[position] for position in positions],
            null_values=[],
            strings_can_be_null=False,
        ),
    )


def _rows(path: Path, header: Header) -> Iterator[int]:
    """Yield the number of every line below the header that holds a row: one line is one row."""
    alone = len(header.names) == 1
    with path.open(encoding="latin-1") as stream:
        next(stream)
        for line, text in enumerate(stream, start=2):
            if alone or text != "\n":
                yield line


def _with_line(fault: Fault, path: Path, header: Header) -> Fault:
    """Return a fault of the rows with the first line it can be seen in; a line is no value."""
    if fault.where != "rows":
        return fault
    width = len(header.names)
    with (
        path.open(encoding="utf-8-sig", errors="replace", newline="") as stream,
        suppress(csv.Error),
    ):
        reader = csv.reader(stream, delimiter=header.separator)
        before = 0
        for record in reader:
            if reader.line_num > before + 1 or (record and len(record) != width):
                return replace(fault, problem=f"{fault.problem} (line {before + 1})")
            before = reader.line_num
    return fault


def _fault(text: str, width: int) -> Fault:
    """Return the fault behind a reader's error, by how it begins: further on it quotes cells."""
    if text.startswith("CSV parse error: Expected"):
        problem = f"not every row has {width} cells as the header has"
        return Fault("rows", problem, "look for a stray separator or a quote that is not closed")
    if text.startswith("In CSV column"):
        return Fault("cells", "are not UTF-8", "save the file as UTF-8")
    if text.startswith("straddl"):
        return Fault("rows", f"one is longer than {ROW_LIMIT >> 20} MB", "is a quote not closed?")
    return Fault("rows", "cannot be read", "is it a CSV file?")


@contextmanager
def create(path: Path, source: Source) -> Iterator[Callable[[pa.Table], None]]:
    """Write blocks of rows with the separator that they were read with; quotes where needed."""
    separator = "\t" if path.suffix.lower() == ".tsv" else source.separator or ","
    with path.open("wb") as stream:

        def write(block: pa.Table) -> None:
            if stream.tell() == 0:
                header = io.StringIO()
                names = csv.writer(header, delimiter=separator, lineterminator="\n")
                names.writerow(block.column_names)
                stream.write(header.getvalue().encode())
            stream.write(_lines(block, separator))

        yield write


def _lines(block: pa.Table, separator: str) -> memoryview:
    """Return the rows as lines of UTF-8."""
    cells = [_quoted(_texts(column), separator) for column in block.columns]
    if len(cells) == 1:  # an empty line would be no row
        cells = [arrow.if_else(arrow.equal(arrow.fill_null(cells[0], ""), ""), '""', cells[0])]
    return _contents(_joined(_joined(*cells, separator), "\n", ""))


def _joined(*parts: pa.LargeStringArray | str) -> pa.LargeStringArray:
    """Return the parts of each row put together, the last part between them."""
    known = [
        pa.scalar(part, pa.large_string()) if isinstance(part, str) else part for part in parts
    ]
    return arrow.binary_join_element_wise(*known, null_handling="replace", null_replacement="")


def _texts(column: pa.ChunkedArray) -> pa.LargeStringArray:
    """Return a column of any type as texts, the way Python prints its values."""
    if pa.types.is_dictionary(column.type):
        column = arrow.cast(column, column.type.value_type)
    kinds = ("large_string", "string", "string_view", "integer")
    if any(getattr(pa.types, f"is_{kind}")(column.type) for kind in kinds):
        return arrow.cast(column, pa.large_string()).combine_chunks()
    texts = [None if value is None else str(value) for value in column.to_pylist()]
    return pa.array(texts, pa.large_string())


def _quoted(texts: pa.LargeStringArray, separator: str) -> pa.LargeStringArray:
    """Return the texts with quotes around those that hold a separator, a quote or a line's end."""
    contents = bytes(_contents(texts))
    if not any(mark in contents for mark in (separator.encode(), b'"', b"\n", b"\r")):
        return texts
    special = arrow.match_substring_regex(texts, f'[{separator}"\r\n]')
    doubled = arrow.replace_substring(texts, '"', '""')
    return arrow.if_else(special, _joined('"', doubled, '"', ""), texts)


def _contents(texts: pa.LargeStringArray) -> memoryview:
    """Return all the texts, one right after the other, in UTF-8."""
    _, offsets, data = texts.buffers()
    if data is None:
        return memoryview(b"")
    ends = np.frombuffer(offsets, dtype=np.int64)[[texts.offset, texts.offset + len(texts)]]
    return memoryview(data)[ends[0] : ends[1]]
