"""Durable storage of a ledger: read it, verify it, append to it in one exclusive transaction.

    lock → read all → verify → decide → seal → write → commit, durable

A missing file or an empty database is a ledger that has not begun. The store cannot tell it from
one that was deleted; who holds a receipt can. The tables have versions,

    0 nothing  →  1 entries  →  2 entries that cannot be changed, and a head that names the last

and a new ledger takes every step, so that the steps an old one needs are always in use.

A study is charged in one place, for a total holds only if all releases are added up. Once the
ledger beside a study file knows the study, no other place can be named for it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sql
from sqlalchemy import Column, Connection, Integer, insert, select, update

from dpwerm.errors import LedgerError, LedgerTamperedError, ParameterError
from dpwerm.privacy.ledger.account import studies_in
from dpwerm.privacy.ledger.database import Database, SqliteDatabase
from dpwerm.privacy.ledger.entry import START, Entry, chain_faults, seal, unsealed
from dpwerm.privacy.ledger.postgresql import FORMS, PostgresqlDatabase
from dpwerm.privacy.randomness import OperatingSystemBits
from dpwerm.study.study import Study

VERSION = 2

FORMAT = 1
"""The form of the entries' bodies, written into the first entry."""

DEFAULT = "sqlite:///ledger.db"
"""Where a study is charged that names no ledger: beside its file."""

_IDENTITY = re.compile("[0-9a-f]{32}")
_MOST_FAULTS = 3  # in one message
_NUMBER = sql.BigInteger().with_variant(Integer(), "sqlite")
_METADATA = sql.MetaData()
VERSIONS = sql.Table("dpwerm_schema", _METADATA, Column("version", Integer, nullable=False))
ENTRIES = sql.Table(
    "dpwerm_entries",
    _METADATA,
    Column("number", _NUMBER, primary_key=True, autoincrement=False),
    Column("content", sql.Text, nullable=False),
    Column("hash", sql.Text, nullable=False),
)
HEAD = sql.Table(
    "dpwerm_head",
    _METADATA,
    Column("number", _NUMBER, nullable=False),
    Column("hash", sql.Text, nullable=False),
)

_TABLES_THERE = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'",
    "postgresql": (
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid) "
        "AND relname LIKE 'dpwerm%'"
    ),
}
# SQLite: INSERT OR REPLACE deletes without a DELETE, so an insert may only add the next number.
_NEVER_CHANGED = {
    "sqlite": [
        f"CREATE TRIGGER dpwerm_entries_{event.lower()} BEFORE {event} ON dpwerm_entries {when} "
        "BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never changed'); END"
        for event, when in [
            ("UPDATE", ""),
            ("DELETE", ""),
            (
                "INSERT",
                "WHEN NEW.number IS NOT (SELECT COALESCE(MAX(number), 0) + 1 FROM dpwerm_entries)",
            ),
        ]
    ],
    "postgresql": [
        """CREATE FUNCTION dpwerm_entries_never_change() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'entries of a ledger are never changed'; END $$""",
        """CREATE TRIGGER dpwerm_entries_change BEFORE UPDATE OR DELETE OR TRUNCATE
        ON dpwerm_entries FOR EACH STATEMENT EXECUTE FUNCTION dpwerm_entries_never_change()""",
    ],
}


def version(connection: Connection) -> int:
    """Return the version of the ledger in this database, 0 if there is none."""
    there = set(connection.scalars(sql.text(_TABLES_THERE[connection.dialect.name])))
    if not there & set(_METADATA.tables):
        return 0
    if VERSIONS.name not in there:
        raise LedgerTamperedError("its table of versions is missing")
    found = connection.scalars(select(VERSIONS.c.version)).all()
    if len(found) != 1 or not isinstance(found[0], int) or found[0] < 1:
        raise LedgerTamperedError("its version cannot be read")
    if found[0] > VERSION:
        raise LedgerError("it was written by a newer version of dpwerm; upgrade dpwerm to use it")
    if ENTRIES.name not in there or (found[0] >= VERSION and HEAD.name not in there):
        raise LedgerTamperedError("one of its tables is missing")
    if found[0] < VERSION and HEAD.name in there:
        raise LedgerTamperedError("it says that it is older than its tables")
    return found[0]


def migrate(connection: Connection, present: int) -> None:
    """Take every step from version ``present`` to :data:`VERSION`."""
    for number in range(present, VERSION):
        STEPS[number](connection)


def make_entries(connection: Connection) -> None:
    """Step 0 → 1: a table of entries."""
    _METADATA.create_all(connection, tables=[VERSIONS, ENTRIES])
    connection.execute(insert(VERSIONS).values(version=1))


def make_head(connection: Connection) -> None:
    """Step 1 → 2: the last entry is named in the head, and no entry can be changed."""
    _METADATA.create_all(connection, tables=[HEAD])
    last = select(ENTRIES.c.number, ENTRIES.c.hash).order_by(ENTRIES.c.number.desc()).limit(1)
    number, digest = connection.execute(last).one_or_none() or (0, "")
    connection.execute(insert(HEAD).values(number=number, hash=digest))
    for statement in _NEVER_CHANGED[connection.dialect.name]:
        connection.exec_driver_sql(statement)
    connection.execute(update(VERSIONS).values(version=2))


STEPS: tuple[Callable[[Connection], None], ...] = (make_entries, make_head)


def database_of(url: str, folder: Path | None) -> Database:
    """Return the place that a URL names; a relative file is one in ``folder`` and nowhere else."""
    if url.startswith("sqlite:///"):
        return SqliteDatabase.of(url.removeprefix("sqlite:///"), folder)
    if url.startswith("postgresql://"):
        return PostgresqlDatabase.of(url)
    raise ParameterError(FORMS)


Rows = tuple[tuple[Any, ...], ...]
Entries = tuple[Entry, ...]


class Store:
    """The entries of one ledger; no connection is kept between calls or across a fork.

    The chain is walked once in the life of a store. Whoever looks again, above all a charge under
    its lock, reads the whole table again and compares it, to the letter, with what was found whole;
    only rows after that are new and checked. Without that second look a charge would be decided on
    what the ledger said before others wrote to it: two fits at once could overspend together, and
    an edit made while a fit chooses hyperparameters would be charged upon.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        # Rows whose chain was found whole, as they stood in the table, and the entries they are.
        self._checked: tuple[Rows, Entries] = (), ()

    def read(self) -> Entries:
        """Return all entries in order, unverified, none if the ledger has not begun."""
        with self._view() as (connection, present):
            rows = _rows(connection) if connection and present else ()
        entries, unreadable = _entries(rows)
        self._refuse_faults(list(unreadable.values()))
        return entries

    def verified(self) -> Entries:
        """Return all entries in order, or raise with everything that does not verify."""
        entries, faults = self._looked()
        if faults:
            raise LedgerTamperedError(f"{self.database.shown} does not verify: {'; '.join(faults)}")
        return entries

    def faults(self) -> list[str]:
        """Say what does not verify: edited, dropped, moved or unreadable entries."""
        return self._looked()[1]

    def append(self, decide: Callable[[Entries], Mapping[str, object]]) -> Entry:
        """Write one more entry, whose body ``decide`` makes of the verified ones before it.

        If ``decide`` raises, nothing is written. If this function raises, the entry may stand or
        not; once it returns, the entry survives a crash.
        """
        with self.database.writing() as connection:
            entries = self._opened(connection)
            entry = seal(len(entries) + 1, entries[-1].hash, decide(entries))
            self._write(connection, entry)
        return entry

    def _looked(self) -> tuple[Entries, list[str]]:
        """Return the entries that can be read, and everything that does not verify."""
        try:
            with self._view() as (connection, present):
                return self._verified(connection, present) if connection and present else ((), [])
        except LedgerTamperedError as error:
            return (), [str(error)]

    def _verified(self, connection: Connection, present: int) -> tuple[Entries, list[str]]:
        """Return the entries of a ledger of version ``present``, and everything wrong with them."""
        rows = _rows(connection)
        known, before = self._checked
        if rows[: len(known)] != known:
            known, before = (), ()
        new, unreadable = _entries(rows[len(known) :])
        entries = before + new
        faults = list(unreadable.values())
        if len(rows) > len(known):
            faults += chain_faults(new, unreadable, before[-1] if before else START)
        faults += start_faults(entries)
        if not faults:
            self._checked = rows, entries
        if present == VERSION:
            faults += _head_faults(connection, entries, unreadable)
        return entries, faults

    def _opened(self, connection: Connection) -> Entries:
        """Return the verified entries of a ledger that was begun or brought up to date first."""
        present = self._version(connection)
        if 0 < present < VERSION:
            self._refuse_faults(self._verified(connection, present)[1])
        migrate(connection, present)
        entries, faults = self._verified(connection, VERSION)
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
            raise LedgerError(f"{self.database.name}: somebody else moved its head")
        asked = select(ENTRIES.c.content, ENTRIES.c.hash).where(ENTRIES.c.number == entry.number)
        stored = list(connection.execute(asked))
        head = entry.number, entry.hash
        if stored != [(entry.content, entry.hash)] or _head(connection) != head:
            self._refuse_faults(["what is written does not stay, somebody changed its tables"])

    @contextmanager
    def _view(self) -> Iterator[tuple[Connection | None, int]]:
        """Give a connection and the version there, or (None, 0)."""
        if not self.database.is_there():
            yield None, 0
            return
        with self.database.reading() as connection:
            yield connection, self._version(connection)

    def _version(self, connection: Connection) -> int:
        try:
            return version(connection)
        except LedgerError as error:
            raise type(error)(f"{self.database.name}: {error}") from None

    def _refuse_faults(self, faults: list[str]) -> None:
        if faults:
            more = len(faults) - _MOST_FAULTS
            told = "; ".join(faults[:_MOST_FAULTS]) + (f"; and {more} more" if more > 0 else "")
            raise LedgerTamperedError(f"{self.database.name} does not verify: {told}")


def _rows(connection: Connection) -> Rows:
    """Return the table of entries as it stands."""
    asked = select(ENTRIES.c.number, ENTRIES.c.content, ENTRIES.c.hash).order_by(ENTRIES.c.number)
    return tuple(map(tuple, connection.execute(asked)))


def _entries(rows: Rows) -> tuple[Entries, dict[int, str]]:
    """Return the entries that read as such, and by number what is wrong with those that do not."""
    read = [(row[0], unsealed(*row)) for row in rows]
    missing = [number for number, entry in read if entry is None]
    unreadable = {number: f"entry {number} cannot be read: it was edited" for number in missing}
    return tuple(entry for _, entry in read if entry is not None), unreadable


def _head(connection: Connection) -> tuple[int, str] | str:
    """Return what the head says, or what is wrong with it."""
    rows = connection.execute(select(HEAD.c.number, HEAD.c.hash)).all()
    if len(rows) != 1:
        return f"its head has {len(rows)} rows, not one"
    number, digest = rows[0]
    if isinstance(number, int) and isinstance(digest, str):
        return number, digest
    return "its head cannot be read"


def start_faults(entries: Entries) -> list[str]:
    """Say so if the first entry does not give its ledger a name."""
    if not entries:
        return []
    body = entries[0].body
    named = _IDENTITY.fullmatch(str(body.get("ledger")))
    if named and body.get("kind") == "started" and body.get("format") == FORMAT:
        return []
    return ["entry 1 does not start a ledger"]


def _head_faults(connection: Connection, entries: Entries, unreadable: dict[int, str]) -> list[str]:
    """Say so if the head does not name the last entry."""
    head = _head(connection)
    last, digest = (entries[-1].number, entries[-1].hash) if entries else (0, "")
    if isinstance(head, str):
        return [head]
    if head[0] > max([last, *unreadable]):
        return [f"entries after {last} are missing: the last one written was {head[0]}"]
    if head != (last, digest) and head[0] not in unreadable:
        return [f"entry {last} is not the last one written"]
    return []


def refuse_elsewhere(study: Study, database: Database) -> None:
    """Raise if a study declares another ledger, or was charged in the one beside its file."""
    named = study.budget.ledger if study.budget else None
    if named:
        declared = database_of(named, study.folder)
        if database.place != declared.place:
            raise ParameterError(
                f"{database.shown} is not the ledger that the study declares ({declared.shown}): "
                "a total holds only if all releases are charged in one place"
            )
    if study.folder is None:
        return
    beside = database_of(DEFAULT, study.folder)
    if database.place != beside.place and study.id in studies_in(Store(beside).read()):
        raise ParameterError(
            f"study {study.id} was charged in {beside.shown} beside its file, of which "
            f"{database.shown} does not know. Charge it there; or take what was spent off the "
            "total in [budget], then move that file away"
        )
