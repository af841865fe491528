"""The ledger is no clock: an attack that read the running time of a fit off the order of entries.

Private tuning repeats a fit a secret number of times. Others charge the same ledger meanwhile, one
after the other. Who reads the ledger afterwards counts their charges between a charge and whatever
was written when its fit had ended. Time is played, not measured: one charge of the others is one
tick, and a fit of r repeats lasts r ticks.
"""

from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from tests.ledger.meddle import server_of
from tests.ledger.postgres import Server

from dpwerm.documents.ledger import ledger_content
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger import account as bodies
from dpwerm.privacy.ledger.database import Database, SqliteDatabase
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.ledger.schema import GRANTS
from dpwerm.privacy.ledger.store import Store, database_of
from dpwerm.privacy.randomness import Charged, OperatingSystemBits, Receipt
from dpwerm.releases.charging import attach

TICKS = 9
COST = Budget.of("0.01")
STARTS = (0, 1, 3)
"""When the fits of study "ours" begin: while others of the same study are still under way."""

SECRETS = ((1, 7, 3), (5, 2, 4))
"""Repeats of each fit, two ways."""


@pytest.fixture(autouse=True)
def one_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "today", lambda: "2026-01-01")


def ledger_at(address: Database, study: str) -> Ledger:
    ledger = Ledger("sqlite:////nowhere.db", study=study, epsilon=10)
    ledger.store = Store(address)
    return ledger


def play(
    address: Database,
    repeats: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
    *,
    by_hand: bool = False,
) -> None:
    """Let study "ours" fit, each fit as long as its repeats, while study "others" charges.

    The random bits are the same for all repeats, so that all else is equal.
    """
    drawn = count(1)
    with monkeypatch.context() as patched:
        patched.setattr(OperatingSystemBits, "bits", lambda _, size: next(drawn) % 2**size)
        ours, others = ledger_at(address, "ours"), ledger_at(address, "others")
        running: dict[int, tuple[Charged, Receipt | None]] = {}
        for tick in range(TICKS):
            for fit, (start, ticks) in enumerate(zip(STARTS, repeats, strict=True)):
                if tick == start:
                    privacy_filter = Charged(ours, "tuned rule")
                    running[fit] = privacy_filter, privacy_filter.authorise(COST).receipt
                if tick == start + ticks:
                    privacy_filter, receipt = running.pop(fit)
                    if by_hand:  # as earlier versions did, by an entry of its own
                        privacy_filter = Charged(ledger_at(address, "ours"), "tuned rule")
                    content = {"release": fit}
                    attach(privacy_filter, receipt, lambda content=content: content)  # type: ignore[misc]
            others.charge(COST, "rule")
        assert not running


def seen(address: Database) -> dict[str, object]:
    """Return what somebody sees who reads the ledger when all is done."""
    store = Store(address)
    assert store.faults() == []
    book = store.book()
    found: dict[str, object] = {
        "our export": ledger_content(book, "ours"),
        "their export": ledger_content(book, "others"),
    }
    with address.reading() as connection:
        for table in ("entries", "head", "releases", "schema"):
            rows = connection.exec_driver_sql(f"SELECT * FROM dpwerm_{table}")  # noqa: S608
            found[table] = [tuple(row) for row in rows]
    if isinstance(address, SqliteDatabase):
        found["file"] = address.path.read_bytes()
    return found


def guessed(address: Database) -> list[int]:
    """Return the repeats by the attack: charges of others up to what names a release."""
    entries = [entry.body for entry in Store(address).read()]
    found = []
    for body in entries:
        if body["kind"] == "released":
            ticks = entries[int(str(body["charge"])) : entries.index(body)]
            found.append(sum((one["kind"], one["study"]) == ("charged", "others") for one in ticks))
    return found


def test_entries_after_the_fit_told_how_long_it_took(
    address: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack has teeth: it reads every secret off entries as earlier versions wrote them."""
    play(address, SECRETS[0], monkeypatch, by_hand=True)
    assert sorted(guessed(address)) == sorted(SECRETS[0])


@pytest.fixture
def addresses(request: pytest.FixtureRequest, address: Database, tmp_path: Path) -> list[Database]:
    """Give two places of the same kind, one for each secret."""
    if isinstance(address, SqliteDatabase):
        (tmp_path / "second").mkdir()
        return [address, SqliteDatabase(tmp_path / "second" / "ledger.db")]
    return [address, database_of(request.getfixturevalue("server").new_schema(), None)]


def test_two_secrets_leave_the_same_ledger_to_the_letter(
    addresses: list[Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    for address, repeats in zip(addresses, SECRETS, strict=True):
        play(address, repeats, monkeypatch)
        assert guessed(address) == []
    one, other = map(seen, addresses)
    assert one.keys() == other.keys()
    for name, found in one.items():
        assert found == other[name], name
    assert len(ledger_content(Store(addresses[0]).book(), "ours")["releases"]) == len(SECRETS[0])


def test_who_may_fit_on_a_server_cannot_see_in_which_order_rows_were_filled(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL puts a filled row to the end of its table; the view that is granted hides it."""
    address = database_of(server.new_schema(), None)
    play(address, SECRETS[0], monkeypatch)
    login = server_of(address)
    schema = login["options"].removeprefix("-csearch_path=")
    role = f"fitter_{schema}"
    asked = "SELECT charge FROM {}"
    with psycopg.connect(make_conninfo(**login), autocommit=True) as connection:
        stored = connection.execute(asked.format("dpwerm_release_rows").encode()).fetchall()
        assert stored != sorted(stored)
        for statement in (
            f"CREATE ROLE {role} LOGIN PASSWORD '{login['password']}'",
            f"GRANT USAGE ON SCHEMA {schema} TO {role}",
            *(f"GRANT {grant} TO {role}" for grant in GRANTS),
        ):
            connection.execute(statement.encode())
    login["user"] = role
    with psycopg.connect(make_conninfo(**login), autocommit=True) as connection:
        assert connection.execute(asked.format("dpwerm_releases").encode()).fetchall() == sorted(
            stored
        )
        for hidden in (b"SELECT ctid FROM dpwerm_releases", b"SELECT xmin FROM dpwerm_releases"):
            with pytest.raises(psycopg.errors.UndefinedColumn):
                connection.execute(hidden)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(asked.format("dpwerm_release_rows").encode())
