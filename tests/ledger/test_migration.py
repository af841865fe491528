"""An old ledger is brought up to date by its next charge; a newer one is left alone."""

import pytest
from sqlalchemy import insert
from tests.ledger.meddle import filled, head_of, meddle

from dpwerm.errors import LedgerError, LedgerTamperedError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger import account as bodies
from dpwerm.privacy.ledger.database import Database
from dpwerm.privacy.ledger.entry import Entry, seal
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.privacy.ledger.schema import ENTRIES, make_entries, make_head
from dpwerm.privacy.ledger.store import Store
from dpwerm.privacy.randomness import Receipt


def old_ledger(address: Database, charges: int = 3) -> tuple[Store, list[Entry]]:
    """Make a ledger of version 1: entries, no head, nothing that guards them."""
    store = Store(address)
    entries = [seal(1, "", {"kind": "started", "ledger": "0f" * 16, "format": 1})]
    for number in range(2, charges + 2):
        entries.append(seal(number, entries[-1].hash, {"kind": "charged"}))
    with store.database.writing() as connection:
        make_entries(connection)
        for entry in entries:
            row = {"number": entry.number, "content": entry.content, "hash": entry.hash}
            connection.execute(insert(ENTRIES).values(**row))
    return store, entries


def test_an_old_ledger_can_be_read_as_it_is(address: Database) -> None:
    store, entries = old_ledger(address)
    assert list(store.read()) == entries
    assert head_of(store) is None
    assert store.faults() == []


def test_the_next_charge_brings_it_up_to_date(address: Database) -> None:
    store, entries = old_ledger(address)
    new = store.append(lambda seen: {"kind": "charged", "after": len(seen)})
    assert new.previous == entries[-1].hash
    assert list(store.read()) == [*entries, new]
    assert head_of(store) == (new.number, new.hash)
    with pytest.raises(Exception, match="never changed"):
        meddle(address, "DELETE FROM dpwerm_entries")
    assert store.append(lambda _: {"kind": "charged"}).number == new.number + 1


def test_a_refusal_leaves_it_old(address: Database) -> None:
    store, entries = old_ledger(address)
    with pytest.raises(ZeroDivisionError):
        store.append(lambda _: {"kind": str(1 // 0)})
    assert head_of(store) is None
    assert list(store.read()) == entries


def test_an_old_ledger_that_does_not_verify_is_left_alone(address: Database) -> None:
    store, _ = old_ledger(address)
    meddle(address, "DELETE FROM dpwerm_entries WHERE number = 2")
    assert store.faults() == ["entry 2 is missing"]
    with pytest.raises(LedgerTamperedError, match="entry 2 is missing"):
        store.append(lambda _: {"kind": "charged"})
    assert head_of(store) is None


def test_an_old_ledger_without_entries_begins(address: Database) -> None:
    store = Store(address)
    with store.database.writing() as connection:
        make_entries(connection)
    assert store.append(lambda _: {"kind": "charged"}).number == 2


def test_a_ledger_that_named_releases_in_its_chain_goes_on(address: Database) -> None:
    """Version 2: charges had no key, and an entry after the fit named its release."""
    ledger = Ledger("sqlite:////nowhere.db", study="sleep", epsilon=1)
    store = ledger.store = Store(address)
    first = bodies.charged("sleep", None, Budget.of("0.1"), "rule", "")
    del first["key"]
    written = [
        {"kind": "started", "ledger": "0f" * 16, "format": 1},
        bodies.opened(ledger.declared),
        first,
        bodies.released("sleep", 3, "sha256:" + "a" * 64),
        first,
    ]
    with store.database.writing() as connection:
        make_entries(connection)
        before = ""
        for number, body in enumerate(written, start=1):
            entry = seal(number, before, body)
            row = {"number": number, "content": entry.content, "hash": entry.hash}
            connection.execute(insert(ENTRIES).values(**row))
            before = entry.hash
        make_head(connection)
    assert store.faults() == []
    assert store.book().digests == {3: "sha256:" + "a" * 64}
    late = Receipt("sqlite", "0f" * 16, 5, store.read()[4].hash)
    ledger.attach(late, "sha256:" + "b" * 64)
    paid = ledger.charge(Budget.of("0.2"), "value")
    ledger.attach(paid, "sha256:" + "c" * 64)
    assert [one.body["kind"] for one in store.read()[5:]] == ["released", "charged"]
    assert [charge.digest and charge.digest[-1] for charge in ledger.account().charges] == [*"abc"]
    assert list(store.book().releases) == [paid.entry]


def test_a_newer_ledger_is_refused(address: Database) -> None:
    store = filled(address)
    meddle(address, "UPDATE dpwerm_schema SET version = version + 1")
    for use in (
        store.read,
        store.faults,
        lambda: store.append(lambda _: {"kind": "charged"}),
    ):
        with pytest.raises(LedgerError, match="newer version") as caught:
            use()
        assert not isinstance(caught.value, LedgerTamperedError)
