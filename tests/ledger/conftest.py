"""One PostgreSQL server for all tests of a worker, started when the first of them asks."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.ledger.postgres import Server, running_server

from dpwerm.privacy.ledger.database import Database
from dpwerm.privacy.ledger.store import database_of


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    with running_server() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    """Give the place of a ledger that has not begun, once on each database."""
    if request.param == "sqlite":
        return database_of("sqlite:///ledger.db", tmp_path)
    make: Callable[[], str] = request.getfixturevalue("server").new_schema
    return database_of(make(), None)
