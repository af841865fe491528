"""Change a ledger behind its back, as somebody with access to the database can."""

import sqlite3
from contextlib import closing

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy import select

from dpwerm.privacy.ledger.database import Database, SqliteDatabase
from dpwerm.privacy.ledger.postgresql import PostgresqlDatabase
from dpwerm.privacy.ledger.schema import HEAD, version
from dpwerm.privacy.ledger.store import Store

DISARM = {
    "sqlite": tuple(
        f"DROP TRIGGER dpwerm_{table}_{on}"
        for table in ("entries", "releases")
        for on in ("update", "delete", "insert")
    ),
    "postgresql": (
        "DROP TRIGGER dpwerm_entries_change ON dpwerm_entries",
        "DROP TRIGGER dpwerm_releases_update ON dpwerm_release_rows",
        "DROP TRIGGER dpwerm_releases_delete ON dpwerm_release_rows",
    ),
}


def meddle(address: Database, *statements: str) -> None:
    """Run statements of SQL on the database of a ledger."""
    if isinstance(address, SqliteDatabase):
        with closing(sqlite3.connect(address.path)) as file, file:
            for statement in statements:
                file.execute(statement)
        return
    with psycopg.connect(make_conninfo(**server_of(address))) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def server_of(address: Database) -> dict[str, str]:
    """Return the keyword arguments of a connection to a server."""
    assert isinstance(address, PostgresqlDatabase)
    return dict(address.server)


def head_of(store: Store) -> tuple[int, str] | None:
    """Return number and hash of the entry written last, as the head names it, if there is one."""
    if not store.database.is_there():
        return None
    with store.database.reading() as connection:
        if version(connection) < 2:
            return None
        number, digest = connection.execute(select(HEAD.c.number, HEAD.c.hash)).one()
        return number, digest


def disarmed(address: Database, *statements: str) -> None:
    """Remove what protects entries and releases, then run statements."""
    meddle(address, *DISARM[address.kind], *statements)


def filled(address: Database, charges: int = 4) -> Store:
    """Return a ledger with a first entry and ``charges`` more."""
    store = Store(address)
    for _ in range(charges):
        store.append(lambda entries: {"kind": "charged", "after": len(entries)})
    return store
