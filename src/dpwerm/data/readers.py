"""Where tables come from: each source knows its column names before any value is read.

CSV cells are read as text without guessing types, so what one row means never depends on another
row. Errors of the readers underneath may quote cells; they are replaced, never passed on.
"""

import csv
import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as arrow_parquet

from dpwerm.data.cells import text_of
from dpwerm.errors import Fault, TableError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
HEADER_LIMIT = 1 << 20
ROW_LIMIT = 1 << 24


@dataclass(frozen=True)
class Source:
    """An opened table: its name for messages, its header, and how to read some columns."""

    label: str
    names: tuple[str, ...]
    read: Callable[[Sequence[int]], list[pa.ChunkedArray]]
    separator: str | None = None


@dataclass(frozen=True)
class Header:
    """The first record of a CSV file."""

    names: tuple[str, ...]
    separator: str
    is_all: bool


def open_source(source: object) -> Source:
    """Return the table behind a path (.csv, .tsv, .parquet) or a data frame."""
    if not isinstance(source, (str, Path)):
        return _frame_source(source)
    path = Path(source)
    label = f"table {path.name or path}"
    kinds = {".csv": _csv_source, ".tsv": _csv_source, ".parquet": _parquet_source}
    if path.suffix.lower() not in kinds:
        raise TableError(label, [Fault("name", "must end in .csv, .tsv or .parquet")])
    try:
        if not path.is_file():
            problem = "is a folder" if path.is_dir() else "does not exist"
            raise TableError(label, [Fault("file", problem, "give the path of a table")])
        return kinds[path.suffix.lower()](path, label)
    except (OSError, ValueError) as error:
        if isinstance(error, TableError):
            raise
        reason = f" ({error.strerror})" if isinstance(error, OSError) and error.strerror else ""
        raise TableError(label, [Fault("file", f"cannot be read{reason}")]) from None


def read_header(path: Path, label: str) -> Header:
    """Return the header of a CSV file; the separator is the one that gives most names."""
    with path.open("rb") as stream:
        raw = stream.read(HEADER_LIMIT)
    text = raw.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="surrogateescape")
    if not text.strip():
        raise TableError(label, [Fault("file", "is empty", "the first line must name the columns")])
    found = [_first_record(text, separator, label) for separator in SEPARATORS]
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


def _csv_source(path: Path, label: str) -> Source:
    header = read_header(path, label)

    def read(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        if header.is_all:
            return [pa.chunked_array([], pa.large_string()) for _ in positions]
        found = _csv_columns(path, header, positions)
        if not isinstance(found, Fault) and found.num_rows != _data_lines(path, header):
            found = Fault(
                "rows",
                "a row runs over several lines",
                "a quote is not closed, or a cell holds a line break: write one line per row, "
                "or save as Parquet",
            )
        if isinstance(found, Fault):
            raise TableError(label, [_with_line(found, path, header)])
        return list(found.columns)

    return Source(label, header.names, read, header.separator)


def _csv_columns(path: Path, header: Header, positions: Sequence[int]) -> pa.Table | Fault:
    """Return some columns as text, or the fault that keeps the file from being read."""
    inner = [str(position) for position in range(len(header.names))]
    try:
        return arrow_csv.read_csv(
            path,
            arrow_csv.ReadOptions(
                column_names=inner, skip_rows_after_names=1, block_size=ROW_LIMIT
            ),
            arrow_csv.ParseOptions(
                delimiter=header.separator,
                newlines_in_values=True,
                ignore_empty_lines=len(inner) > 1,
            ),
            arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(inner, pa.large_string()),
                include_columns=[inner[position] for position in positions],
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except pa.ArrowException as error:
        return _csv_fault(str(error), len(inner))


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


def _data_lines(path: Path, header: Header) -> int:
    """Return how many lines below the header hold a row.

    One line is one row. Otherwise a stray quote in one person's row would swallow the rows of
    others up to the next quote, and one row could change far more than its own.
    """
    with path.open(encoding="latin-1") as stream:
        next(stream)
        if len(header.names) == 1:
            return sum(1 for _ in stream)
        return sum(line != "\n" for line in stream)


def _csv_fault(text: str, width: int) -> Fault:
    """Return the fault behind a reader's error, told from how its text begins.

    Further on the text quotes cells, which must not decide what is said.
    """
    if text.startswith("CSV parse error: Expected"):
        return Fault(
            "rows",
            f"not every row has {width} cells as the header has",
            "look for a stray separator or a quote that is not closed",
        )
    if text.startswith("In CSV column"):
        return Fault("cells", "are not UTF-8", "save the file as UTF-8")
    if text.startswith("straddl"):
        return Fault("rows", f"one is longer than {ROW_LIMIT >> 20} MB", "is a quote not closed?")
    return Fault("rows", "cannot be read", "is it a CSV file?")


def _parquet_source(path: Path, label: str) -> Source:
    unreadable = TableError(label, [Fault("file", "is not a Parquet file that can be read")])
    names: tuple[str, ...] | None = None
    with suppress(pa.ArrowException, OSError):
        names = tuple(arrow_parquet.read_schema(path).names)
    if names is None:
        raise unreadable

    def read(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        columns: list[pa.ChunkedArray] | None = None
        with suppress(pa.ArrowException, OSError), arrow_parquet.ParquetFile(path) as file:
            table = file.read(columns=[names[position] for position in positions])
            columns = [table.column(names[position]) for position in positions]
        if columns is None:
            raise unreadable
        return columns

    return Source(label, tuple(name.strip() for name in names), read)


def _frame_source(native: object) -> Source:
    label = "table"
    frame: object = None
    with suppress(ValueError):
        frame = nw.from_native(native, pass_through=True)
    if frame is None:
        problem = "two columns have the same name"
        raise TableError(label, [Fault("header", problem, "rename one")])
    if isinstance(frame, nw.LazyFrame):
        raise TableError(label, [Fault("table", "is lazy", "call collect() first")])
    if not isinstance(frame, nw.DataFrame):
        raise TableError(
            label,
            [
                Fault(
                    "table",
                    f"is of type {type(native).__name__}",
                    "give a path or a pandas, polars or Arrow table",
                )
            ],
        )
    columns = frame.columns

    def read(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        found = [_series(frame.get_column(columns[position])) for position in positions]
        problem = "holds values of a type that cannot be read"
        faults = [
            Fault(f"column {position + 1}", problem)
            for position, column in zip(positions, found, strict=True)
            if column is None
        ]
        if faults:
            raise TableError(label, faults)
        return [column for column in found if column is not None]

    return Source(label, tuple(str(name).strip() for name in columns), read)


def _series(series: nw.Series[Any]) -> pa.ChunkedArray | None:
    """Return a column as Arrow, None if its type has no Arrow counterpart.

    A column of Python objects, or of texts that Arrow refuses, becomes cell texts one by one; the
    rule for cells gives the same meaning both ways.
    """
    pandas_like = series.implementation.is_pandas_like()
    as_objects = series.dtype == nw.Object or (
        pandas_like and (series.dtype == nw.Categorical or series.to_native().dtype == object)
    )
    if not as_objects:
        with suppress(pa.ArrowException, TypeError, ValueError, NotImplementedError, OverflowError):
            array = series.to_arrow()
            return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
        if series.dtype != nw.String:
            return None
    texts = [text_of(value) for value in series.to_list()]
    return pa.chunked_array([pa.array(texts, pa.large_string())])
