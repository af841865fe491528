"""Change a ledger behind its back, as somebody with access to the database can."""

import sqlite3
from contextlib import closing

import psycopg
from psycopg.conninfo import make_conninfo

from dpwerm.privacy.ledger.store import Store
from dpwerm.privacy.ledger.url import LedgerAddress

DISARM = {
    "sqlite": tuple(f"DROP TRIGGER dpwerm_entries_{on}" for on in ("update", "delete", "insert")),
    "postgresql": ("DROP TRIGGER dpwerm_entries_change ON dpwerm_entries",),
}


def meddle(address: LedgerAddress, *statements: str) -> None:
    """Run statements of SQL on the database of a ledger."""
    if address.path is not None:
        with closing(sqlite3.connect(address.path)) as file, file:
            for statement in statements:
                file.execute(statement)
        return
    with psycopg.connect(make_conninfo(**address.server)) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def disarmed(address: LedgerAddress, *statements: str) -> None:
    """Remove what protects the entries, then run statements."""
    meddle(address, *DISARM[address.kind], *statements)


def filled(address: LedgerAddress, charges: int = 4) -> Store:
    """Return a ledger with a first entry and ``charges`` more."""
    store = Store(address)
    for _ in range(charges):
        store.append(lambda entries: {"kind": "charged", "after": len(entries)})
    return store
