"""The two databases that exported SQL is tried on."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import psycopg
import pytest
from tests.ledger.postgres import Server, running_server

Ask = Callable[[dict[str, str], Sequence[Sequence[Any]], str], list[tuple[Any, ...]]]
"""From column types, rows and a list of expressions to the answers of a database, row by row."""


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def statements(types: dict[str, str], expressions: str) -> tuple[str, str, str]:
    columns = ", ".join(f"{quoted(name)} {kind}" for name, kind in types.items())
    chosen = f"SELECT {expressions} FROM people AS t ORDER BY row_number"  # noqa: S608
    return f"CREATE TABLE people (row_number INTEGER, {columns})", "INSERT INTO people", chosen


@pytest.fixture
def sqlite() -> Iterator[Ask]:
    with closing(sqlite3.connect(":memory:")) as connection:

        def ask(
            types: dict[str, str], rows: Sequence[Sequence[Any]], expressions: str
        ) -> list[tuple[Any, ...]]:
            create, insert, select = statements(types, expressions)
            connection.execute("DROP TABLE IF EXISTS people")
            connection.execute(create)
            marks = ", ".join("?" * (len(types) + 1))
            connection.executemany(
                f"{insert} VALUES ({marks})", [(i, *row) for i, row in enumerate(rows)]
            )
            return list(connection.execute(select))

        yield ask


@pytest.fixture
def postgresql(server: Server) -> Iterator[Ask]:
    with psycopg.connect(server.url()) as connection:

        def ask(
            types: dict[str, str], rows: Sequence[Sequence[Any]], expressions: str
        ) -> list[tuple[Any, ...]]:
            create, insert, select = statements(types, expressions)
            connection.rollback()
            connection.execute(create.encode())
            marks = ", ".join(["%s"] * (len(types) + 1))
            with connection.cursor() as cursor:
                cursor.executemany(
                    f"{insert} VALUES ({marks})".encode(),
                    [(i, *row) for i, row in enumerate(rows)],
                )
            return connection.execute(select.encode()).fetchall()

        yield ask
        connection.rollback()


@pytest.fixture(params=["sqlite", "postgresql"])
def ask(request: pytest.FixtureRequest) -> Ask:
    found: Ask = request.getfixturevalue(request.param)
    return found
