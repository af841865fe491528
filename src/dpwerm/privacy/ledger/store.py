"""Durable storage of a ledger: read it, verify it, append to it in one exclusive transaction.

    lock → read all → verify → decide → seal → write → commit, durable

A missing file or an empty database is a ledger that has not begun. The store cannot tell it from
one that was deleted; who holds a receipt can.

A study is charged in one place, for a total holds only if all releases are added up. Once the
ledger beside a study file knows the study, no other place can be named for it.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select, update

from dpwerm.errors import LedgerError, LedgerTamperedError, ParameterError
from dpwerm.privacy.ledger.account import studies_in
from dpwerm.privacy.ledger.book import FORMAT, Book, Signed, keys_of, release_faults, start_faults
from dpwerm.privacy.ledger.database import Database, SqliteDatabase
from dpwerm.privacy.ledger.entry import START, Entry, chain_faults, seal, unsealed
from dpwerm.privacy.ledger.postgresql import FORMS, PostgresqlDatabase
from dpwerm.privacy.ledger.schema import (
    BLANK,
    ENTRIES,
    HEAD,
    RELEASES,
    UNSIGNED,
    VERSION,
    migrate,
    version,
)
from dpwerm.privacy.randomness import OperatingSystemBits
from dpwerm.study.study import Study

DEFAULT = "sqlite:///ledger.db"
"""Where a study is charged that names no ledger: beside its file."""

_MOST_FAULTS = 3  # in one message


def database_of(url: str, folder: Path | None) -> Database:
    """Return the place that a URL names; a relative file is one in ``folder`` and nowhere else."""
    if url.startswith("sqlite:///"):
        return SqliteDatabase.of(url.removeprefix("sqlite:///"), folder)
    if url.startswith("postgresql://"):
        return PostgresqlDatabase.of(url)
    raise ParameterError(FORMS)


Rows = tuple[tuple[Any, ...], ...]
Entries = tuple[Entry, ...]
_HEAD_SINCE, _RELEASES_SINCE = 2, 3  # versions


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

    def book(self) -> Book:
        """Return all entries and releases as they stood together, or raise as ``verified`` does."""
        book, faults = self._looked_at_all()
        if faults:
            raise LedgerTamperedError(f"{self.database.shown} does not verify: {'; '.join(faults)}")
        return book

    def faults(self) -> list[str]:
        """Say what does not verify: edited, dropped, moved or unreadable entries or releases."""
        return self._looked_at_all()[1]

    def append(self, decide: Callable[[Entries], Mapping[str, object]]) -> Entry:
        """Write one more entry, whose body ``decide`` makes of the verified ones before it.

        If ``decide`` raises, nothing is written. If this function raises, the entry may stand or
        not; once it returns, the entry survives a crash.
        """
        with self.database.writing() as connection:
            entries = self._opened(connection)
            return self._sealed(connection, entries, decide(entries))

    def begin(self) -> None:
        """Make the tables, or bring them up to date, and give the ledger its name."""
        with self.database.writing() as connection:
            self._opened(connection)

    def attach(
        self,
        charge: int,
        decide: Callable[[Entries, str | None], Mapping[str, object] | None],
        sign: Callable[[], Signed] | None,
    ) -> Entry | None:
        """Record which release a charge paid for: beside the chain if one can sign, else in it.

        ``decide`` is given the entries and the digest that is signed already. It returns the body
        of an entry, or None if there is nothing to do, or raises.
        """
        with self.database.writing() as connection:
            entries = self._opened(connection)
            known = _filled(_release_rows(connection, charge)).get(charge)
            body = decide(entries, known.digest if known else None)
            if body is None:
                return None
            if sign is None:
                return self._sealed(connection, entries, body)
            signed = sign()
            blank = (RELEASES.c.charge == charge) & (RELEASES.c.digest == BLANK)
            connection.execute(update(RELEASES).where(blank).values(**signed._asdict()))
            if _release_rows(connection, charge) != ((charge, *signed),):
                self._refuse_faults(["what is written does not stay, somebody changed its tables"])
            return None

    def _sealed(
        self, connection: Connection, entries: Entries, body: Mapping[str, object]
    ) -> Entry:
        """Write one more entry, with room for the release if it is a charge for one."""
        entry = seal(len(entries) + 1, entries[-1].hash, body)
        self._write(connection, entry)
        if keys_of([entry]):
            row = {"charge": entry.number, "digest": BLANK, "signature": UNSIGNED}
            connection.execute(insert(RELEASES).values(**row))
        return entry

    def _looked_at_all(self) -> tuple[Book, list[str]]:
        """Return what can be read, and everything that does not verify, releases included."""
        try:
            with self._view() as (connection, present):
                if not (connection and present):
                    return Book(), []
                entries, faults = self._verified(connection, present)
                if faults or present < _RELEASES_SINCE:
                    return Book(entries), faults
                rows = _release_rows(connection)
        except LedgerTamperedError as error:
            return Book(), [str(error)]
        releases = _filled(rows)
        faults = release_faults(entries, releases)
        if gone := sorted(keys_of(entries).keys() - {row[0] for row in rows}):
            faults.append(f"the row for the release of entry {gone[0]} is missing")
        return Book(entries, releases), faults

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
        if present >= _HEAD_SINCE:
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


def _release_rows(connection: Connection, charge: int | None = None) -> Rows:
    """Return the table of releases, in the order of their charges, or that of one charge."""
    asked = select(RELEASES.c.charge, RELEASES.c.digest, RELEASES.c.signature)
    if charge is not None:
        asked = asked.where(RELEASES.c.charge == charge)
    return tuple(map(tuple, connection.execute(asked.order_by(RELEASES.c.charge))))


def _filled(rows: Rows) -> dict[int, Signed]:
    """Return by charge the releases that are known; whether they are signed is not looked at."""
    return {row[0]: Signed(row[1], row[2]) for row in rows if row[1] != BLANK}


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
