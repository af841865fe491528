"""A file format from outside the package: one JSON object per line, all with the same keys."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa

from dpwerm.data.table import Reader, Source, register_reader, text_of
from dpwerm.errors import Fault, TableError


def open_file(path: Path, label: str) -> Source:
    with path.open(encoding="utf-8") as stream:
        names = tuple(json.loads(next(stream)))

    def read(positions: Sequence[int]) -> list[pa.ChunkedArray]:
        rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
        if any(tuple(row) != names for row in rows):
            raise TableError(label, [Fault("rows", "not every row has the same keys")])
        columns = [[text_of(row[names[position]]) for row in rows] for position in positions]
        return [pa.chunked_array([pa.array(column, pa.large_string())]) for column in columns]

    def lines(rows: Collection[int]) -> dict[int, int]:
        return {row: row for row in rows}

    return Source(label, names, read, lines)


@contextmanager
def create(path: Path, _source: Source) -> Iterator[Callable[[pa.Table], None]]:
    with path.open("w", encoding="utf-8") as stream:
        yield lambda block: stream.writelines(json.dumps(row) + "\n" for row in block.to_pylist())


READER = Reader("json lines", open_file, (".jsonl",), create=create)


def register() -> None:
    register_reader(READER)
