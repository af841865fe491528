"""Where tables come from: a registry of readers, one for each file format and one for data frames.

A reader says which endings of a path or which objects it takes, opens one as a :class:`Source`,
which knows its column names before any value is read, and writes a table back where it can. A new
format is one module with a :class:`Reader` and one call of :func:`register_reader`; errors and help
texts ask the registry. Errors of the libraries underneath may quote cells; a reader replaces them
and never passes them on.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwerm.errors import Fault, ParameterError, TableError

if TYPE_CHECKING:
    import pyarrow as pa

    Create = Callable[[Path, "Source"], AbstractContextManager[Callable[[pa.Table], None]]]


@dataclass(frozen=True)
class Source:
    """An opened table.

    Parameters
    ----------
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

    Parameters
    ----------
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
    taken = {ending for other in READERS.values() for ending in other.endings}
    if reader.name in READERS or taken & set(reader.endings):
        raise ParameterError(f"a reader called {reader.name}, or for its endings, is there already")
    READERS[reader.name] = reader


def endings(*, written: bool = False) -> str:
    """Return the endings of tables for messages: those that are read, or that can be written."""
    known = [
        ending
        for reader in READERS.values()
        if reader.create or not written
        for ending in reader.endings
    ]
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
    """Return a function of a module that is imported when it is first called.

    A table is read by few of the commands, and what reads it takes as long to load as the rest.
    """
    return lambda *arguments: getattr(import_module(module), name)(*arguments)


register_reader(Reader("frame", _later("dpwerm.data.frames", "open_frame"), takes=lambda _: True))
for _name, _endings in (("csv", (".csv", ".tsv")), ("parquet", (".parquet",))):
    _module = f"dpwerm.data.{_name}_files"
    register_reader(
        Reader(_name, _later(_module, "open_file"), _endings, create=_later(_module, "create"))
    )
