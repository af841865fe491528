from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, NullPool, create_engine, insert, inspect, select

from dpwerm.errors import LedgerError, LedgerTamperedError
from dpwerm.privacy.ledger.schema import (
    ENTRIES,
    HEAD,
    RELEASES,
    STEPS,
    VERSION,
    VERSIONS,
    make_entries,
    make_head,
    migrate,
    version,
)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return create_engine(f"sqlite:///{tmp_path}/tables.db", poolclass=NullPool)


def put(connection: Connection, number: int) -> None:
    connection.execute(insert(ENTRIES).values(number=number, content="{}", hash=f"h{number}"))


def test_a_database_of_others_has_no_ledger(engine: Engine) -> None:
    with engine.begin() as connection:
        assert version(connection) == 0
        connection.exec_driver_sql("CREATE TABLE others (x INTEGER)")
        assert version(connection) == 0


def test_there_is_one_step_to_each_version(engine: Engine) -> None:
    with engine.begin() as connection:
        for number, step in enumerate(STEPS, start=1):
            step(connection)
            assert version(connection) == number
    assert len(STEPS) == VERSION


def test_a_new_ledger_takes_all_steps(engine: Engine) -> None:
    with engine.begin() as connection:
        migrate(connection, 0)
        assert version(connection) == VERSION
        assert connection.execute(select(HEAD)).all() == [(0, "")]
        assert set(inspect(connection).get_table_names()) == {
            table.name for table in (VERSIONS, ENTRIES, HEAD, RELEASES)
        }
        migrate(connection, VERSION)  # nothing is left to do


def test_the_head_of_an_old_ledger_is_its_last_entry(engine: Engine) -> None:
    with engine.begin() as connection:
        make_entries(connection)
        put(connection, 1)
        put(connection, 2)
        make_head(connection)
        assert connection.execute(select(HEAD)).all() == [(2, "h2")]


def test_a_newer_ledger_is_refused(engine: Engine) -> None:
    with engine.begin() as connection:
        migrate(connection, 0)
        connection.execute(VERSIONS.update().values(version=VERSION + 1))
        with pytest.raises(LedgerError, match="newer version"):
            version(connection)


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE dpwerm_schema",
        "DROP TABLE dpwerm_head",
        "DROP TABLE dpwerm_entries",
        "DROP TABLE dpwerm_releases",
        "UPDATE dpwerm_schema SET version = 2",
        "DELETE FROM dpwerm_schema",
        "INSERT INTO dpwerm_schema VALUES (1)",
        "UPDATE dpwerm_schema SET version = 'two'",
        "UPDATE dpwerm_schema SET version = 0",
    ],
)
def test_half_a_ledger_is_not_a_new_one(engine: Engine, damage: str) -> None:
    with engine.begin() as connection:
        migrate(connection, 0)
        connection.exec_driver_sql(damage)
        with pytest.raises(LedgerTamperedError):
            version(connection)
