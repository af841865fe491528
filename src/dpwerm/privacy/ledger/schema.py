"""The tables of a ledger, by version, and the steps from one version to the next.

    0 nothing  →  1 entries  →  2 entries that cannot be changed, and a head that names the last

A new ledger takes every step, so that the steps an old one needs are always in use.
"""

from collections.abc import Callable

from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    Text,
    func,
    insert,
    select,
    text,
    update,
)

from dpwerm.errors import LedgerError, LedgerTamperedError

VERSION = 2

_NUMBER = BigInteger().with_variant(Integer(), "sqlite")
_METADATA = MetaData()
VERSIONS = Table("dpwerm_schema", _METADATA, Column("version", Integer, nullable=False))
ENTRIES = Table(
    "dpwerm_entries",
    _METADATA,
    Column("number", _NUMBER, primary_key=True, autoincrement=False),
    Column("content", Text, nullable=False),
    Column("hash", Text, nullable=False),
)
HEAD = Table(
    "dpwerm_head",
    _METADATA,
    Column("number", _NUMBER, nullable=False),
    Column("hash", Text, nullable=False),
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
    there = set(connection.scalars(text(_TABLES_THERE[connection.dialect.name])))
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
    last = select(func.max(ENTRIES.c.number)).scalar_subquery()
    row = connection.execute(
        select(ENTRIES.c.number, ENTRIES.c.hash).where(ENTRIES.c.number == last)
    ).one_or_none()
    number, digest = (0, "") if row is None else row
    connection.execute(insert(HEAD).values(number=number, hash=digest))
    for statement in _NEVER_CHANGED[connection.dialect.name]:
        connection.exec_driver_sql(statement)
    connection.execute(update(VERSIONS).values(version=2))


STEPS: tuple[Callable[[Connection], None], ...] = (make_entries, make_head)
