r"""Arrow columns as cells: each a number or a text by a public rule that looks at no other row.

``data/table.py`` says what a cell means, text by text. Here most cells of a column are settled at
once, with the same meaning; those whose spelling is odd go through that rule, each text once. Data
frames in memory (pandas, polars and Arrow, through Narwhals) become such columns here too.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as arrow

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.data.table import MISSING, Source, normalise, parse_number, text_of
from dpwerm.errors import Fault, TableError

_ARROW_NUMBER = r"^-?(?:[0-9]{1,100}(?:\.[0-9]{0,100})?|\.[0-9]{1,100})(?:[eE][+-]?[0-9]{1,2})?$"
"""Numbers that Arrow reads as Python does; none of them is too large or too small for a double."""

_WORD = r"[!-~]*[!-*,/:-@B-DG-KM-QV-Z\[-`b-dg-km-qv-z{-~][!-~]*"
"""Texts without spaces that hold a character that no number has, nor the words true and false."""

_AS_WRITTEN = rf"^(?:0|-?[1-9][0-9]*|{_WORD})$"
"""Texts that are their own normalised spelling."""


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column without dictionaries, all texts and decimals as one text type."""
    if pa.types.is_dictionary(column.type):
        column = arrow.cast(column, column.type.value_type)
    texts = (pa.types.is_string, pa.types.is_string_view, pa.types.is_decimal)
    if any(test(column.type) for test in texts):
        column = arrow.cast(column, pa.large_string())
    return readable(column)


def readable(column: pa.ChunkedArray) -> pa.ChunkedArray:
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


def type_fault(name: str, kind: pa.DataType) -> Fault | None:
    """Return the fault of a column that a study cannot use, by its type alone."""
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_null)
    if _is_text(kind) or any(test(kind) for test in tests):
        return None
    shown = str(kind).partition("<")[0].partition("[")[0]
    remedy = "a column that a study uses holds numbers, texts or true and false"
    return Fault(name, f"holds values of type {shown}", remedy)


def numbers(column: pa.ChunkedArray) -> FloatArray:
    """Return a column as doubles, shape (n,); NaN for what is no finite number."""
    if _is_text(column.type):
        values = _text_numbers(column)
    else:
        values = arrow.cast(column, pa.float64(), safe=False).to_numpy()
    finite: FloatArray = np.where(np.isfinite(values), values, np.nan)
    return finite


def factorised(column: pa.ChunkedArray) -> tuple[IntArray, list[str | None]]:
    """Return (codes, texts): row i has the normalised text ``texts[codes[i]]``; a null has None."""
    if pa.types.is_null(column.type):
        return np.zeros(len(column), dtype=np.int64), [None]
    encoded = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary
    indices = arrow.fill_null(arrow.cast(encoded.indices, pa.int64()), len(values))
    return indices.to_numpy(zero_copy_only=False), [*_normalised(values), None]


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_large_string(kind))


def _normalised(values: pa.Array) -> list[str | None]:
    """Return the normalised texts of distinct values."""
    if _is_text(values.type):
        texts: list[str | None] = values.to_pylist()
        as_written = arrow.match_substring_regex(values, _AS_WRITTEN)
        for odd in np.flatnonzero(~as_written.to_numpy(zero_copy_only=False)):
            texts[odd] = normalise(str(texts[odd]))
        return texts
    if pa.types.is_integer(values.type):
        return list(arrow.cast(values, pa.large_string()).to_pylist())
    found = [text_of(value) for value in values.to_pylist()]
    return [None if text is None else normalise(text) for text in found]


def _text_numbers(column: pa.ChunkedArray) -> FloatArray:
    """Return the numbers of a text column: all at once if each is one or missing."""
    texts = arrow.ascii_trim_whitespace(column).combine_chunks()
    known = pa.array(["", *sorted(MISSING)], pa.large_string())
    texts = arrow.if_else(arrow.is_in(texts, value_set=known), None, texts)
    with suppress(pa.ArrowInvalid):
        fast: FloatArray = arrow.cast(texts, pa.float64()).to_numpy(zero_copy_only=False)
        return fast
    is_number = arrow.match_substring_regex(texts, _ARROW_NUMBER)
    cast = arrow.cast(arrow.if_else(is_number, texts, None), pa.float64())
    values: FloatArray = cast.to_numpy(zero_copy_only=False).copy()
    settled = arrow.or_(is_number, arrow.match_substring_regex(texts, f"^{_WORD}$"))
    rest = np.flatnonzero(~arrow.fill_null(settled, True).to_numpy(zero_copy_only=False))
    odd = texts.take(pa.array(rest)).dictionary_encode()
    parsed = np.array([parse_number(text) for text in odd.dictionary.to_pylist()], dtype=float)
    if len(rest):
        values[rest] = parsed[odd.indices.to_numpy()]
    return values


def open_frame(native: object, label: str) -> Source:
    """Return the table of a data frame; whatever else is given is refused."""
    frame: object = None
    with suppress(ValueError):
        frame = nw.from_native(native, pass_through=True)
    if frame is None:
        problem = "two columns have the same name"
        raise TableError(label, [Fault("header", problem, "rename one")])
    if isinstance(frame, nw.LazyFrame):
        raise TableError(label, [Fault("table", "is lazy", "call collect() first")])
    if not isinstance(frame, nw.DataFrame):
        problem = f"is of type {type(native).__name__}"
        remedy = "give a path or a pandas, polars or Arrow table"
        raise TableError(label, [Fault("table", problem, remedy)])
    columns = frame.columns

    def read(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        found = [_series(frame.get_column(columns[position])) for position in positions]
        unread = [at + 1 for at, column in zip(positions, found, strict=True) if column is None]
        if unread:
            problem = "holds values of a type that cannot be read"
            raise TableError(label, [Fault(f"column {place}", problem) for place in unread])
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
