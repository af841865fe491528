"""A ledger in one SQLite file: one writer at a time, each commit on the disk before it returns.

    BEGIN IMMEDIATE → work → COMMIT, synced, the journal's removal synced too

The file must lie on a disk whose locks work; many network drives lock nothing. A file that is
locked must not be opened and closed by other means in the same process: that would drop its locks.
"""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path

from sqlalchemy import Connection, Engine, NullPool, create_engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from dpwerm.errors import LedgerError, LedgerTamperedError

WAIT = 120.0
"""How many seconds a writer waits for others."""

_PATIENCE = 1.0  # seconds inside SQLite, where no interrupt is seen
_PAUSE = 0.02  # seconds, where SQLite gives up at once
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_WORDS = {
    sqlite3.SQLITE_BUSY: "it is busy: others held it for too long",
    sqlite3.SQLITE_LOCKED: "it is busy: others held it for too long",
    sqlite3.SQLITE_READONLY: "it cannot be written: the file or its folder is read-only",
    sqlite3.SQLITE_PERM: "it cannot be opened: permission denied",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: look at its folder and its permissions",
    sqlite3.SQLITE_FULL: "it cannot be written: the disk is full",
    sqlite3.SQLITE_IOERR: "the disk failed or is full",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is not a ledger",
}
_DURABLE = ("PRAGMA synchronous = EXTRA", "PRAGMA fullfsync = ON", "PRAGMA journal_mode = DELETE")


class SqliteDatabase:
    """An SQLite file.

    Parameters
    ----------
    path : Path, full
    name : str, what messages call it
    """

    def __init__(self, path: Path, name: str) -> None:
        self._path = path
        self._name = name

    def is_there(self) -> bool:
        """Whether there is such a file."""
        try:
            self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            raise LedgerError(f"{self._name}: {_WORDS[sqlite3.SQLITE_CANTOPEN]}") from None
        return True

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give one consistent view; a file that a crash left half-written is first put right."""
        with self._in_words(), self._reader.connect() as connection:
            self._begin(connection, "BEGIN", "SELECT COUNT(*) FROM sqlite_master")
            yield connection
            connection.rollback()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give an exclusive transaction; what was done in it is durable at the end."""
        with self._in_words(), self._writer.connect() as connection:
            self._begin(connection, *_DURABLE, "BEGIN IMMEDIATE")
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(1000 * WAIT)}")
            try:
                opened = self._owned()
                yield connection
            except BaseException:
                with suppress(SQLAlchemyError):
                    connection.rollback()
                raise
            with self._in_words("; whether the last entry was written is not known"):
                connection.commit()
            if self._owned() != opened:
                raise LedgerError(f"{self._name}: the file was moved while it was written")

    def _begin(self, connection: Connection, *statements: str) -> None:
        """Run the statements that open a transaction, again while others hold the file."""
        deadline = time.monotonic() + WAIT
        while True:
            try:
                for statement in statements:
                    connection.exec_driver_sql(statement).close()
            except DBAPIError as error:
                if _code(error) not in _BUSY or time.monotonic() > deadline:
                    raise
                connection.rollback()
                time.sleep(_PAUSE)
            else:
                return

    def _owned(self) -> tuple[int, int]:
        """Return which file the path names; one that is still empty becomes the owner's alone."""
        try:
            stat = self._path.stat()
            if stat.st_size == 0:
                self._path.chmod(0o600)
        except OSError:
            raise LedgerError(f"{self._name}: the file is gone or not ours") from None
        return stat.st_dev, stat.st_ino

    @contextmanager
    def _in_words(self, after: str = "") -> Iterator[None]:
        """Say what went wrong without the library's text."""
        try:
            yield
        except DBAPIError as error:
            code = _code(error)
            kind = LedgerTamperedError if code == sqlite3.SQLITE_CORRUPT else LedgerError
            raise kind(f"{self._name}: {_WORDS.get(code, 'it cannot be used')}{after}") from None
        except SQLAlchemyError:
            raise LedgerError(f"{self._name}: it cannot be used{after}") from None

    @cached_property
    def _reader(self) -> Engine:
        return self._engine("rw")  # "ro" could not put right what a crash left

    @cached_property
    def _writer(self) -> Engine:
        return self._engine("rwc")

    def _engine(self, mode: str) -> Engine:
        def connect() -> sqlite3.Connection:
            uri = f"{self._path.as_uri()}?mode={mode}"
            connection = sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            return connection

        return create_engine(
            "sqlite://",
            creator=connect,
            poolclass=NullPool,
            pool_reset_on_return=None,
            hide_parameters=True,
        )


def _code(error: DBAPIError) -> int:
    """Return SQLite's primary result code, -1 if there is none."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else -1
