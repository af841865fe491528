"""The tables of a ledger and their versions.

    0 nothing  →  1 entries  →  2 entries that cannot be changed, and a head that names the last
               →  3 a row for the release of each charge, made with the charge, filled once

A new ledger takes every step, so that the steps an old one needs are always in use. The row of a
release is as long before it is filled as after, so that a file of SQLite does not show when that
was. PostgreSQL writes a filled row to another place; who fits is therefore given a view in the
order of the charges, and not the table.
"""

from collections.abc import Callable

import sqlalchemy as sql
from sqlalchemy import Column, Connection, Integer, insert, select, update

from dpwerm.errors import LedgerError, LedgerTamperedError
from dpwerm.privacy.ledger.onetime import SIGNATURE_LENGTH

VERSION = 3
BLANK = "-" * len("sha256:" + 64 * "0")
"""What stands for the digest of a release that is not known yet, and is as long."""

UNSIGNED = "-" * SIGNATURE_LENGTH

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
RELEASES = sql.Table(
    "dpwerm_releases",
    _METADATA,
    Column("charge", _NUMBER, primary_key=True, autoincrement=False),
    Column("digest", sql.Text, nullable=False),
    Column("signature", sql.Text, nullable=False),
)
_NEW_IN = {VERSIONS: 1, ENTRIES: 1, HEAD: 2, RELEASES: 3}

GRANTS = (
    "SELECT ON dpwerm_schema",
    "SELECT, INSERT ON dpwerm_entries",
    "SELECT, UPDATE ON dpwerm_head",
    "SELECT, INSERT, UPDATE ON dpwerm_releases",
)
"""All that a role of PostgreSQL needs to charge and release, once the tables are there."""

_TABLES_THERE = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'",
    "postgresql": (
        "SELECT relname FROM pg_class WHERE relkind IN ('r', 'v') AND pg_table_is_visible(oid) "
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
_FILLED_ONCE = {
    "sqlite": [
        f"CREATE TRIGGER dpwerm_releases_{event.lower()} BEFORE {event} ON dpwerm_releases {when} "
        "BEGIN SELECT RAISE(ABORT, 'a release in a ledger is never changed'); END"
        for event, when in [
            ("UPDATE", f"WHEN OLD.digest IS NOT '{BLANK}' OR NEW.charge IS NOT OLD.charge"),
            ("DELETE", ""),
            (
                "INSERT",
                "WHEN EXISTS (SELECT 1 FROM dpwerm_releases WHERE charge IS NEW.charge)",
            ),
        ]
    ],
    "postgresql": [
        """CREATE TABLE dpwerm_release_rows (
            charge BIGINT PRIMARY KEY, digest TEXT NOT NULL, signature TEXT NOT NULL)""",
        """CREATE VIEW dpwerm_releases WITH (security_barrier) AS
        SELECT charge, digest, signature FROM dpwerm_release_rows ORDER BY charge""",
        """CREATE FUNCTION dpwerm_releases_never_change() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'a release in a ledger is never changed'; END $$""",
        f"""CREATE TRIGGER dpwerm_releases_update BEFORE UPDATE ON dpwerm_release_rows
        FOR EACH ROW WHEN (OLD.digest <> '{BLANK}' OR NEW.charge <> OLD.charge)
        EXECUTE FUNCTION dpwerm_releases_never_change()""",
        """CREATE TRIGGER dpwerm_releases_delete BEFORE DELETE OR TRUNCATE
        ON dpwerm_release_rows FOR EACH STATEMENT
        EXECUTE FUNCTION dpwerm_releases_never_change()""",
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
    if any(table.name not in there and new <= found[0] for table, new in _NEW_IN.items()):
        raise LedgerTamperedError("one of its tables is missing")
    if any(table.name in there and new > found[0] for table, new in _NEW_IN.items()):
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


def make_releases(connection: Connection) -> None:
    """Step 2 → 3: rows for releases, each filled once; charges of before have none."""
    if connection.dialect.name == "sqlite":
        _METADATA.create_all(connection, tables=[RELEASES])
    for statement in _FILLED_ONCE[connection.dialect.name]:
        connection.exec_driver_sql(statement)
    connection.execute(update(VERSIONS).values(version=3))


STEPS: tuple[Callable[[Connection], None], ...] = (make_entries, make_head, make_releases)
