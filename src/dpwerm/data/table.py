"""The one place that reads tables: a rectangle of cells, each number or text by a public rule.

Every cell has a meaning whatever it holds: a number column gives a finite double or NaN (missing),
a text column gives a normalised text or None (missing). Only the header and the column types can
be wrong; those faults are found before any value is used and are reported together.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.data.cells import normalise, parse_number, text_of
from dpwerm.data.readers import Source, open_source
from dpwerm.errors import Fault, TableError
from dpwerm.faults import nearest
from dpwerm.text import one_line


@dataclass(frozen=True, repr=False)
class Table:
    """The cells of the columns that were asked for; printing it shows none of them.

    ``names`` are all column names of the source, ``whole`` is all of it as it was read, kept on
    request, ``separator`` is that of a CSV file.
    """

    label: str
    names: tuple[str, ...]
    n_rows: int
    columns: Mapping[str, pa.ChunkedArray] = field(compare=False)
    separator: str | None = None
    whole: pa.Table | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"Table({len(self.names)} columns)"

    def numbers(self, name: str) -> FloatArray:
        """Return a column as doubles, shape (n,); NaN for what is no finite number."""
        column = self.columns[name]
        if _is_text(column.type):
            values = _text_numbers(column)
        else:
            values = arrow.cast(column, pa.float64(), safe=False).to_numpy()
        numbers: FloatArray = np.where(np.isfinite(values), values, np.nan)
        return numbers

    def factorised(self, name: str) -> tuple[IntArray, list[str | None]]:
        """Return (codes, texts): the normalised text of row i is ``texts[codes[i]]``."""
        codes, values = _factorise(self.columns[name])
        texts = [text_of(value) for value in values]
        return codes, [None if text is None else normalise(text) for text in texts]

    def texts(self, name: str) -> NDArray[np.object_]:
        """Return a column as normalised texts, shape (n,); None for an empty cell."""
        codes, texts = self.factorised(name)
        return np.array([*texts, None], dtype=object)[codes]

    def cell(self, name: str, row: int) -> str:
        """Return one cell as text, as it was read; for the curator's eyes only."""
        return text_of(self.columns[name][row].as_py()) or ""


def read_table(source: object, needed: Sequence[str], *, keep_all: bool = False) -> Table:
    """Return the needed columns of a table; other columns are ignored.

    Parameters
    ----------
    source : path of a .csv, .tsv or .parquet file, or a pandas, polars or Arrow table
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
    positions = [opened.names.index(name) for name in wanted]
    if keep_all or not wanted:
        positions = list(range(len(opened.names)))
    read = dict(zip(positions, opened.read(positions), strict=True))
    n_rows = len(next(iter(read.values()))) if read else 0
    kept = [_readable(column) for column in read.values()] if keep_all else []
    whole = pa.Table.from_arrays(kept, names=opened.names) if keep_all else None
    columns = {}
    faults = []
    for name in wanted:
        columns[name] = _plain(read[opened.names.index(name)])
        if not _is_cell_type(columns[name].type):
            kind = str(columns[name].type).partition("<")[0].partition("[")[0]
            remedy = "a column that a study uses holds numbers, texts or true and false"
            faults.append(Fault(name, f"holds values of type {kind}", remedy))
    if faults:
        raise TableError(opened.label, faults)
    return Table(opened.label, opened.names, n_rows, columns, opened.separator, whole)


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


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_large_string(kind))


def _is_cell_type(kind: pa.DataType) -> bool:
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_null)
    return _is_text(kind) or any(test(kind) for test in tests)


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column without dictionaries, all texts and decimals as one text type."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = arrow.cast(column, kind.value_type)
        kind = column.type
    texts = (pa.types.is_string, pa.types.is_string_view, pa.types.is_decimal)
    if any(test(kind) for test in texts):
        column = arrow.cast(column, pa.large_string())
    return _readable(column)


def _readable(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column with every text in UTF-8; other bytes become the replacement sign."""
    if not _is_text(column.type) and not pa.types.is_string(column.type):
        return column
    with suppress(pa.ArrowInvalid):
        column.validate(full=True)
        return column
    encoded = arrow.cast(column, pa.large_binary()).combine_chunks().dictionary_encode()
    texts = [raw.decode("utf-8", "replace") for raw in encoded.dictionary.to_pylist()]
    values = pa.array(texts, pa.large_string())
    return pa.chunked_array([values.take(encoded.indices)])


def _factorise(column: pa.ChunkedArray) -> tuple[IntArray, list[object]]:
    """Return (codes, values); a null has the code of a last value None."""
    if pa.types.is_null(column.type):
        return np.zeros(len(column), dtype=np.int64), [None]
    encoded = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    indices = arrow.fill_null(arrow.cast(encoded.indices, pa.int64()), len(values))
    return indices.to_numpy(zero_copy_only=False), [*values, None]


def _text_numbers(column: pa.ChunkedArray) -> FloatArray:
    """Return the numbers of a text column: all at once if each is one, else text by text."""
    with suppress(pa.ArrowInvalid):
        fast: FloatArray = arrow.cast(arrow.ascii_trim_whitespace(column), pa.float64()).to_numpy()
        return fast
    codes, texts = _factorise(column)
    parsed = [np.nan if text is None else parse_number(str(text)) for text in texts]
    values: FloatArray = np.array(parsed)[codes]
    return values
