"""A PostgreSQL server that is not there, goes away, or refuses: an error of ours, no password."""

import logging
import sys
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.ledger.meddle import filled, meddle, server_of
from tests.ledger.postgres import USER, Server

from dpwerm.errors import LedgerError
from dpwerm.privacy.ledger import postgresql
from dpwerm.privacy.ledger.entry import Entry
from dpwerm.privacy.ledger.postgresql import PostgresqlDatabase
from dpwerm.privacy.ledger.store import Store, database_of

SECRET = "gEhe1m"  # noqa: S105 - made up
OURS = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'dpwerm'"
GONE = "cannot be reached or the connection was lost"


@pytest.fixture
def store(server: Server) -> Store:
    return filled(database_of(server.new_schema(), None), charges=2)


def charge(store: Store) -> int:
    return store.append(lambda _: {"kind": "charged"}).number


def cut_off(server: Server, store: Store) -> None:
    """Charge over a connection that the server ends on the way."""

    def end(_: tuple[Entry, ...]) -> dict[str, object]:
        server.sql(OURS)
        return {"kind": "charged"}

    store.append(end)


def refused(url: str, match: str) -> None:
    """Expect an error with nothing in it but kind, host and database, from reading and writing."""
    store = Store(database_of(url, None))
    parts = urlsplit(url)
    for use in (store.read, store.faults, lambda: charge(store)):
        with pytest.raises(LedgerError, match=match) as caught:
            use()
        assert caught.value.__suppress_context__
        told = str(caught.value).removeprefix(f"the ledger {store.database.shown}: ")
        for secret in (SECRET, parts.password, parts.username, url):
            assert secret is None or secret not in told


def test_an_unreachable_server() -> None:
    refused(f"postgresql://{USER}:{SECRET}@127.0.0.1:1/trials", GONE)


def test_a_name_that_leads_nowhere() -> None:
    refused(f"postgresql://{USER}:{SECRET}@nowhere.invalid/trials", GONE)


def test_a_wrong_password(server: Server) -> None:
    refused(server.url(password=SECRET), "refused the user or the password")


def test_no_password(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", "/dev/null")
    refused(server.url().replace(f":{server.password}@", "@"), "PGPASSWORD")


def test_a_password_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGPASSWORD", server.password)
    url = server.new_schema().replace(f":{server.password}@", "@")
    assert charge(Store(database_of(url, None))) == 2


def test_a_database_that_does_not_exist(server: Server) -> None:
    refused(server.url("nothing"), "no such database")


@pytest.mark.parametrize("option", ["autocommit=1", f"{SECRET}=1", "row_factory=x"])
def test_an_option_that_nobody_knows(server: Server, option: str) -> None:
    refused(f"{server.url()}?{option}", "unknown option")


def test_no_password_is_logged(
    server: Server, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    charge(Store(store.database))
    refused(server.url(password=SECRET), "refused")
    refused(f"postgresql://{USER}:{SECRET}@127.0.0.1:1/trials", GONE)
    with pytest.raises(LedgerError):
        cut_off(server, Store(store.database))
    assert SECRET not in caplog.text
    assert server.password not in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_a_server_that_stops_between_two_charges(server: Server, store: Store) -> None:
    before = store.read()
    server.stop("immediate")
    try:
        with pytest.raises(LedgerError, match=GONE):
            charge(store)
        with pytest.raises(LedgerError, match=GONE):
            store.read()
    finally:
        server.start()
    assert store.read() == before
    assert charge(store) == len(before) + 1
    assert store.faults() == []


def test_a_server_that_stops_during_a_charge(server: Server, store: Store) -> None:
    before = store.read()

    def stop(_: tuple[Entry, ...]) -> dict[str, object]:
        server.stop("immediate")
        return {"kind": "charged"}

    try:
        with pytest.raises(LedgerError, match=GONE):
            store.append(stop)
    finally:
        server.start()
    assert store.read() == before
    assert charge(store) == len(before) + 1


def test_a_charge_survives_a_server_that_stops_at_once(server: Server, store: Store) -> None:
    number = charge(store)
    server.stop("immediate")
    server.start()
    assert store.read()[-1].number == number
    assert store.faults() == []


def test_a_connection_lost_during_a_charge(server: Server, store: Store) -> None:
    before = store.read()
    with pytest.raises(LedgerError, match=GONE):
        cut_off(server, store)
    assert store.read() == before


def test_a_connection_lost_in_the_commit_leaves_it_in_doubt(store: Store) -> None:
    before = store.read()
    meddle(
        store.database,
        "CREATE FUNCTION end_us() RETURNS trigger LANGUAGE plpgsql AS $$ "
        "BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$",
        "CREATE CONSTRAINT TRIGGER at_the_end AFTER INSERT ON dpwerm_entries "
        "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION end_us()",
    )
    with pytest.raises(LedgerError, match="whether the last entry was written is not known"):
        charge(store)
    meddle(store.database, "DROP TRIGGER at_the_end ON dpwerm_entries")
    assert store.read() == before
    assert charge(store) == len(before) + 1


def test_nobody_waits_for_ever(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "WAIT", 0.2)
    with store.database.writing(), pytest.raises(LedgerError, match="busy"):
        charge(Store(store.database))
    assert charge(store) == 4


def test_a_writer_who_stops_moving_is_ended(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgresql, "_IDLE", 0.1)

    def wait_for_another(_: tuple[Entry, ...]) -> dict[str, object]:
        assert charge(Store(store.database)) == 4
        return {"kind": "charged"}

    with pytest.raises(LedgerError, match=GONE):
        store.append(wait_for_another)
    assert len(store.read()) == 4


@pytest.mark.parametrize(
    ("setting", "kept"), [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")]
)
def test_commits_are_durable_whatever_the_user_set(store: Store, setting: str, kept: str) -> None:
    server = server_of(store.database)
    server["options"] += f" -csynchronous_commit={setting}"
    own = Store(PostgresqlDatabase(server))
    with own.database.writing() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == kept


def test_a_server_without_fsync_is_refused(server: Server, store: Store) -> None:
    server.sql("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
    try:
        with pytest.raises(LedgerError, match="fsync off"):
            _after_reload(store, "off")
    finally:
        server.sql("ALTER SYSTEM RESET fsync", "SELECT pg_reload_conf()")
    _after_reload(store, "on")
    assert store.faults() == []


def test_a_user_who_may_only_read(server: Server, store: Store) -> None:
    schema = server_of(store.database)["options"].removeprefix("-csearch_path=")
    server.sql(
        "DROP ROLE IF EXISTS reader",
        f"CREATE ROLE reader LOGIN PASSWORD '{SECRET}'",
        f"GRANT USAGE ON SCHEMA {schema} TO reader",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader",
    )
    login = {"user": "reader", "password": SECRET}
    own = Store(PostgresqlDatabase({**server_of(store.database), **login}))
    assert own.read() == store.read()
    assert own.faults() == []
    with pytest.raises(LedgerError, match="may not use its tables"):
        charge(own)


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    store = Store(database_of("postgresql://host/trials", None))
    with pytest.raises(LedgerError, match="with its extra postgresql"):
        store.read()


def _after_reload(store: Store, setting: str) -> None:
    """Charge once the server's processes have taken over a setting."""
    for _ in range(100):
        with psycopg.connect(make_conninfo(**server_of(store.database))) as connection:
            row = connection.execute("SHOW fsync").fetchone()
        if row == (setting,):
            break
    charge(store)


def test_users_with_schemas_of_their_own_share_one_ledger(server: Server) -> None:
    """PostgreSQL looks into the schema with the user's name first, unless it is told otherwise."""
    parts = urlsplit(server.new_database())
    database, place = parts.path[1:], f"{parts.hostname}:{parts.port}{parts.path}"
    server.sql(
        f"CREATE ROLE anna LOGIN SUPERUSER PASSWORD '{SECRET}'",
        "CREATE SCHEMA anna",
        "ALTER ROLE anna SET search_path = anna",
        database=database,
    )
    try:
        first = Store(database_of(f"postgresql://anna:{SECRET}@{place}", None))
        other = Store(database_of(f"postgresql://{USER}:{parts.password}@{place}", None))
        assert (charge(first), charge(other), charge(first)) == (2, 3, 4)
        assert first.read() == other.read()
    finally:
        server.sql(f"DROP DATABASE {database}", "DROP ROLE anna")


@pytest.mark.parametrize(
    "variable",
    ["PGOPTIONS=-csearch_path=pg_catalog", "PGHOSTADDR=127.0.0.9", "PGPORT=1"],
)
def test_no_variable_leads_to_another_ledger(
    server: Server, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    store = Store(database_of(server.new_database(), None))
    charge(store)
    monkeypatch.setenv(*variable.split("=", 1))
    assert charge(store) == 3


def test_a_url_without_a_port_means_the_usual_one(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def connect(told: str, **_: object) -> None:
        seen.append(told)
        raise psycopg.OperationalError

    monkeypatch.setattr(psycopg, "connect", connect)
    monkeypatch.setenv("PGPORT", "1")
    with pytest.raises(LedgerError):
        Store(database_of("postgresql://host/db", None)).read()
    assert "port=5432" in seen[0]


def test_a_database_without_the_schema_says_how_to_name_another(server: Server) -> None:
    url = server.new_database()
    server.sql("DROP SCHEMA public", database=urlsplit(url).path[1:])
    store = Store(database_of(url, None))
    assert not store.read()
    with pytest.raises(LedgerError, match="no schema public; another one"):
        charge(store)
