"""Data frames in memory: pandas, polars and Arrow, through Narwhals."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import narwhals as nw
import pyarrow as pa

from dpwerm.data.columns import text_of
from dpwerm.data.readers import Source
from dpwerm.errors import Fault, TableError


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
