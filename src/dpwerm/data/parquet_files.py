"""Parquet files: typed columns, read and written as they are."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as arrow_parquet

from dpwerm.data.table import Source
from dpwerm.errors import Fault, TableError

GROUP = 1 << 20
"""Rows of a row group."""


def open_file(path: Path, label: str) -> Source:
    """Return the table of a Parquet file."""
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


@contextmanager
def create(path: Path, _source: Source) -> Iterator[Callable[[pa.Table], None]]:
    """Write blocks of rows, gathered into row groups."""
    blocks: list[pa.Table] = []
    writers: list[arrow_parquet.ParquetWriter] = []

    def flush() -> None:
        table = pa.concat_tables(blocks).combine_chunks()
        if not writers:
            writers.append(arrow_parquet.ParquetWriter(path, table.schema))
        writers[0].write_table(table, row_group_size=GROUP)
        blocks.clear()

    def write(block: pa.Table) -> None:
        blocks.append(block)
        if sum(one.num_rows for one in blocks) >= GROUP:
            flush()

    try:
        yield write
        if blocks:
            flush()
    finally:
        for writer in writers:
            writer.close()
