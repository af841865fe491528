"""A table written back with more columns: all of its own cells as they were read."""

import csv
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as arrow_parquet
from numpy.typing import NDArray

from dpwerm.data.table import Table
from dpwerm.errors import Fault, ParameterError, TableError


def write_with_columns(table: Table, added: Mapping[str, NDArray[np.generic]], path: Path) -> None:
    """Write ``table`` and the added columns to a .csv, .tsv or .parquet file.

    Parameters
    ----------
    table : Table
        Read with ``keep_all=True``.
    added : mapping from a new name to its values; a name the table has is a fault
    path : Path
    """
    whole = table.whole
    if whole is None:
        raise ParameterError("table must be read with keep_all=True to be written back")
    refuse_clash(table, added)
    for name, values in added.items():
        whole = whole.append_column(name, pa.array(values.tolist()))
    if path.suffix.lower() == ".parquet":
        arrow_parquet.write_table(whole, path)
        return
    separator = "\t" if path.suffix.lower() == ".tsv" else table.separator or ","
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=separator, lineterminator="\n")
        writer.writerow(whole.column_names)
        writer.writerows(zip(*(column.to_pylist() for column in whole.columns), strict=True))


def refuse_clash(table: Table, added: Mapping[str, object]) -> None:
    """Raise if the table already has a column that is to be added."""
    clashes = [name for name in added if name in table.names]
    if clashes:
        raise TableError(
            table.label,
            [Fault(name, "is already a column", "rename it in the table") for name in clashes],
        )


def refuse_ending(path: Path) -> None:
    """Raise if the path has an ending that is no table's."""
    if path.suffix.lower() not in {".csv", ".tsv", ".parquet"}:
        raise TableError(path.name, [Fault("name", "must end in .csv, .tsv or .parquet")])
