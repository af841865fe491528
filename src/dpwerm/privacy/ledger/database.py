"""Where a ledger is: a database, from a URL whose password is never shown.

    sqlite:///ledger.db                      a file beside the study file
    sqlite:////srv/trials/ledger.db          a file by its full path
    postgresql://user@host:5432/database     a server that a team shares

A message about a URL never repeats it: a mistyped one may have its password anywhere. Each database
has one writer at a time, and each commit is durable before it returns; a file by

    BEGIN IMMEDIATE → work → COMMIT, synced, the journal's removal synced too

The file must lie on a disk whose locks work; many network drives lock nothing. A file that is
locked must not be opened and closed by other means in the same process: that would drop its locks.
"""

import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Self

from sqlalchemy import Connection, Engine, NullPool, create_engine
from sqlalchemy.exc import SQLAlchemyError

from dpwerm.errors import LedgerError, LedgerTamperedError, ParameterError
from dpwerm.text import one_line

WAIT = 120.0
"""How many seconds a writer waits for others."""

BUSY = "it is busy: others held it for too long"


class Guarded:
    """What may hold a password: it is its own copy, and cannot be pickled."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise ParameterError("a ledger cannot be pickled: its address may hold a password")


class Database(Guarded, ABC):
    """A place for the tables of a ledger; whether it is there shows when it is used.

    ``shown`` is its kind and place without user, password or options, safe in any message,
    ``kind_shown`` what a page that outsiders read says of it: no server is named there.
    """

    kind: ClassVar[str]
    has_password = False

    def __init__(self, place: str) -> None:
        self.shown = one_line(f"{self.kind} {place}")
        self.name = f"the ledger {self.shown}"
        self.kind_shown = self.shown

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shown})"

    @property
    @abstractmethod
    def place(self) -> tuple[str, ...]:
        """What makes two of them the same database, whoever logs in."""

    def is_there(self) -> bool:
        """Whether there may be a ledger; of a server only a connection can tell."""
        return True

    @abstractmethod
    def reading(self) -> AbstractContextManager[Connection]:
        """Give one consistent view."""

    @abstractmethod
    def writing(self) -> AbstractContextManager[Connection]:
        """Give an exclusive transaction, durable at its end, undone by an exception."""

    @abstractmethod
    def explained(self, error: SQLAlchemyError) -> LedgerError:
        """Return what an error means, in our own words only."""

    @contextmanager
    def in_words(self, after: str = "") -> Iterator[None]:
        """Say what went wrong without the library's text."""
        try:
            yield
        except SQLAlchemyError as error:
            told = self.explained(error)
            raise type(told)(f"{self.name}: {told}{after}") from None

    @contextmanager
    def committed(self, connection: Connection) -> Iterator[None]:
        """Commit what is done inside, or undo it."""
        try:
            yield
        except BaseException:
            with suppress(SQLAlchemyError):
                connection.rollback()
            raise
        with self.in_words("; whether the last entry was written is not known"):
            connection.commit()

    def engine(self, url: str, connect: Callable[[], Any], **more: bool) -> Engine:
        """Return an engine that keeps no connection and shows no value."""
        return create_engine(
            url,
            creator=connect,
            poolclass=NullPool,
            pool_reset_on_return=None,
            hide_parameters=True,
            **more,
        )


# -- a file -----------------------------------------------------------------------------------

_PATIENCE = 1.0  # seconds inside SQLite, where no interrupt is seen
_PAUSE = 0.02  # seconds, where SQLite gives up at once
_WORDS = {
    sqlite3.SQLITE_BUSY: BUSY,
    sqlite3.SQLITE_LOCKED: BUSY,
    sqlite3.SQLITE_READONLY: "it cannot be written: the file or its folder is read-only",
    sqlite3.SQLITE_PERM: "it cannot be opened: permission denied",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened: look at its folder and its permissions",
    sqlite3.SQLITE_FULL: "it cannot be written: the disk is full",
    sqlite3.SQLITE_IOERR: "the disk failed or is full",
    sqlite3.SQLITE_CORRUPT: "the file is damaged",
    sqlite3.SQLITE_NOTADB: "the file is not a ledger",
}
_DURABLE = ("PRAGMA synchronous = EXTRA", "PRAGMA fullfsync = ON", "PRAGMA journal_mode = DELETE")


class SqliteDatabase(Database):
    """An SQLite file, by its full path."""

    kind = "sqlite"

    def __init__(self, path: Path) -> None:
        super().__init__(path.name)
        self.path = path

    @classmethod
    def of(cls, text: str, folder: Path | None) -> Self:
        """Read what follows sqlite:///; a relative path is taken from ``folder``."""
        if text in {"", ":memory:"} or "\x00" in text:
            raise ParameterError('an SQLite ledger is a file, such as "sqlite:///ledger.db"')
        if "?" in text:
            raise ParameterError("an SQLite ledger takes no options: the path may not contain ?")
        if folder is None and not Path(text).is_absolute():
            raise ParameterError(
                "an SQLite ledger without a study file needs its full path: sqlite:////full/path.db"
            )
        return cls((folder.absolute() if folder else Path()) / text)

    @property
    def place(self) -> tuple[str, ...]:
        """The file, by whatever name."""
        return self.kind, str(self.path.resolve())

    def is_there(self) -> bool:
        """Whether there is such a file."""
        try:
            self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            raise LedgerError(f"{self.name}: {_WORDS[sqlite3.SQLITE_CANTOPEN]}") from None
        return True

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give one consistent view; a file that a crash left half-written is first put right."""
        with self.in_words(), self._reader.connect() as connection:
            self._begin(connection, "BEGIN", "SELECT COUNT(*) FROM sqlite_master")
            yield connection
            connection.rollback()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Give an exclusive transaction; what was done in it is durable at the end."""
        with self.in_words(), self._writer.connect() as connection:
            self._begin(connection, *_DURABLE, "BEGIN IMMEDIATE")
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {int(1000 * WAIT)}")
            with self.committed(connection):
                opened = self._owned()
                yield connection
            if self._owned() != opened:
                raise LedgerError(f"{self.name}: the file was moved while it was written")

    def explained(self, error: SQLAlchemyError) -> LedgerError:
        """Return what SQLite's result code means."""
        code = _code(error)
        kind = LedgerTamperedError if code == sqlite3.SQLITE_CORRUPT else LedgerError
        return kind(_WORDS.get(code, "it cannot be used"))

    def _begin(self, connection: Connection, *statements: str) -> None:
        """Run the statements that open a transaction, again while others hold the file."""
        deadline = time.monotonic() + WAIT
        while True:
            try:
                for statement in statements:
                    connection.exec_driver_sql(statement).close()
            except SQLAlchemyError as error:
                if _WORDS.get(_code(error)) != BUSY or time.monotonic() > deadline:
                    raise
                connection.rollback()
                time.sleep(_PAUSE)
            else:
                return

    def _owned(self) -> tuple[int, int]:
        """Return which file the path names; one that is still empty becomes the owner's alone."""
        try:
            stat = self.path.stat()
            if stat.st_size == 0:
                self.path.chmod(0o600)
        except OSError:
            raise LedgerError(f"{self.name}: the file is gone or not ours") from None
        return stat.st_dev, stat.st_ino

    @cached_property
    def _reader(self) -> Engine:
        return self._engine("rw")  # "ro" could not put right what a crash left

    @cached_property
    def _writer(self) -> Engine:
        return self._engine("rwc")

    def _engine(self, mode: str) -> Engine:
        def connect() -> sqlite3.Connection:
            uri = f"{self.path.as_uri()}?mode={mode}"
            connection = sqlite3.connect(uri, uri=True, timeout=_PATIENCE, isolation_level=None)
            connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
            return connection

        return self.engine("sqlite://", connect)


def _code(error: SQLAlchemyError) -> int:
    """Return SQLite's primary result code, -1 if there is none."""
    code = getattr(getattr(error, "orig", None), "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else -1
