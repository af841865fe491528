"""Durable storage of a ledger: read it, verify it, append to it in one exclusive transaction.

    lock → read all → verify → decide → seal → write → commit, durable

A missing file or an empty database is a ledger that has not begun. The store cannot tell it from
one that was deleted; who holds a receipt can.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from sqlalchemy import Connection, insert, select, update

from dpwerm.errors import LedgerError, LedgerTamperedError
from dpwerm.privacy.ledger.entry import Entry, chain_faults, seal, unsealed
from dpwerm.privacy.ledger.postgresql import PostgresqlDatabase
from dpwerm.privacy.ledger.schema import ENTRIES, HEAD, VERSION, migrate, version
from dpwerm.privacy.ledger.sqlite import SqliteDatabase
from dpwerm.privacy.ledger.url import LedgerAddress
from dpwerm.privacy.randomness import OperatingSystemBits

FORMAT = 1
"""The form of the entries' bodies, written into the first entry."""

_IDENTITY = re.compile("[0-9a-f]{32}")
_MOST_FAULTS = 3  # in one message


class Database(Protocol):
    """A place for the tables of a ledger."""

    def is_there(self) -> bool:
        """Whether there may be a ledger."""

    def reading(self) -> AbstractContextManager[Connection]:
        """Give one consistent view."""

    def writing(self) -> AbstractContextManager[Connection]:
        """Give an exclusive transaction, durable at its end, undone by an exception."""


class Store:
    """The entries of one ledger; no connection is kept between calls or across a fork.

    Parameters
    ----------
    address : LedgerAddress
    """

    def __init__(self, address: LedgerAddress) -> None:
        self.address = address
        self._name = f"the ledger {address.shown}"
        self._database: Database = (
            PostgresqlDatabase(address.server, self._name)
            if address.path is None
            else SqliteDatabase(address.path, self._name)
        )

    def exists(self) -> bool:
        """Whether the ledger has begun; nothing is created."""
        with self._view() as (_, present):
            return present > 0

    def read(self) -> tuple[Entry, ...]:
        """Return all entries in order, unverified, none if the ledger has not begun."""
        with self._view() as (connection, present):
            entries, unreadable = _entries(connection) if connection and present else ((), [])
        self._refuse_faults(_unreadable_words(unreadable))
        return entries

    def head(self) -> tuple[int, str] | None:
        """Return number and hash of the entry written last, as the head names it."""
        with self._view() as (connection, present):
            head = _head(connection) if connection and present == VERSION else None
        if isinstance(head, str):
            raise self._tampered([head])
        return head

    def faults(self) -> list[str]:
        """Say what does not verify: edited, dropped, moved or unreadable entries."""
        try:
            with self._view() as (connection, present):
                return _verified(connection, present)[1] if connection and present else []
        except LedgerTamperedError as error:
            return [str(error)]

    def append(self, decide: Callable[[tuple[Entry, ...]], Mapping[str, object]]) -> Entry:
        """Write one more entry, whose body ``decide`` makes of the verified ones before it.

        If ``decide`` raises, nothing is written. If this function raises, the entry may stand or
        not; once it returns, the entry survives a crash.
        """
        with self._database.writing() as connection:
            entries = self._opened(connection)
            entry = seal(len(entries) + 1, entries[-1].hash, decide(entries))
            self._write(connection, entry)
        return entry

    def _opened(self, connection: Connection) -> tuple[Entry, ...]:
        """Return the verified entries of a ledger that was begun or brought up to date first."""
        present = self._version(connection)
        if 0 < present < VERSION:
            self._refuse_faults(_verified(connection, present)[1])
        migrate(connection, present)
        entries, faults = _verified(connection, VERSION)
        self._refuse_faults(faults)
        if entries:
            return entries
        identity = f"{OperatingSystemBits().bits(128):032x}"
        started = seal(1, "", {"kind": "started", "ledger": identity, "format": FORMAT})
        self._write(connection, started)
        return (started,)

    def _write(self, connection: Connection, entry: Entry) -> None:
        """Insert an entry, move the head from the one before, and see that both stayed."""
        row = {"number": entry.number, "hash": entry.hash}
        connection.execute(insert(ENTRIES).values(content=entry.content, **row))
        before = (HEAD.c.number == entry.number - 1) & (HEAD.c.hash == entry.previous)
        if connection.execute(update(HEAD).where(before).values(**row)).rowcount != 1:
            raise LedgerError(f"{self._name}: somebody else moved its head")
        stored = connection.execute(
            select(ENTRIES.c.content, ENTRIES.c.hash).where(ENTRIES.c.number == entry.number)
        ).all()
        head = entry.number, entry.hash
        if list(stored) != [(entry.content, entry.hash)] or _head(connection) != head:
            raise self._tampered(["what is written does not stay, somebody changed its tables"])

    @contextmanager
    def _view(self) -> Iterator[tuple[Connection | None, int]]:
        """Give a connection and the version there, or (None, 0)."""
        if not self._database.is_there():
            yield None, 0
            return
        with self._database.reading() as connection:
            yield connection, self._version(connection)

    def _version(self, connection: Connection) -> int:
        try:
            return version(connection)
        except LedgerError as error:
            raise type(error)(f"{self._name}: {error}") from None

    def _refuse_faults(self, faults: list[str]) -> None:
        if faults:
            raise self._tampered(faults)

    def _tampered(self, faults: list[str]) -> LedgerTamperedError:
        more = len(faults) - _MOST_FAULTS
        told = "; ".join(faults[:_MOST_FAULTS]) + (f"; and {more} more" if more > 0 else "")
        return LedgerTamperedError(f"{self._name} does not verify: {told}")


def _entries(connection: Connection) -> tuple[tuple[Entry, ...], list[int]]:
    """Return the entries that read as such, and the numbers of those that do not."""
    rows = connection.execute(
        select(ENTRIES.c.number, ENTRIES.c.content, ENTRIES.c.hash).order_by(ENTRIES.c.number)
    ).all()
    read = [(row[0], unsealed(*row)) for row in rows]
    unreadable = [number for number, entry in read if entry is None]
    return tuple(entry for _, entry in read if entry is not None), unreadable


def _unreadable_words(numbers: list[int]) -> list[str]:
    return [f"entry {number} cannot be read: it was edited" for number in numbers]


def _head(connection: Connection) -> tuple[int, str] | str:
    """Return what the head says, or what is wrong with it."""
    rows = connection.execute(select(HEAD.c.number, HEAD.c.hash)).all()
    if len(rows) != 1:
        return f"its head has {len(rows)} rows, not one"
    number, digest = rows[0]
    if isinstance(number, int) and isinstance(digest, str):
        return number, digest
    return "its head cannot be read"


def start_faults(entries: tuple[Entry, ...]) -> list[str]:
    """Say so if the first entry does not give its ledger a name."""
    if not entries:
        return []
    body = entries[0].body
    named = _IDENTITY.fullmatch(str(body.get("ledger")))
    if named and body.get("kind") == "started" and body.get("format") == FORMAT:
        return []
    return ["entry 1 does not start a ledger"]


def _verified(connection: Connection, present: int) -> tuple[tuple[Entry, ...], list[str]]:
    """Return the entries of a ledger of version ``present``, and everything wrong with them."""
    entries, unreadable = _entries(connection)
    faults = _unreadable_words(unreadable) + chain_faults(entries, unreadable)
    faults += start_faults(entries)
    if present < VERSION:
        return entries, faults
    head = _head(connection)
    last, digest = (entries[-1].number, entries[-1].hash) if entries else (0, "")
    if isinstance(head, str):
        faults.append(head)
    elif head[0] > max([last, *unreadable]):
        faults.append(f"entries after {last} are missing: the last one written was {head[0]}")
    elif head != (last, digest) and head[0] not in unreadable:
        faults.append(f"entry {last} is not the last one written")
    return entries, faults
