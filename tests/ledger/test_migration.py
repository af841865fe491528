"""An old ledger is brought up to date by its next charge; a newer one is left alone."""

import pytest
from sqlalchemy import insert
from tests.ledger.meddle import filled, head_of, meddle

from dpwerm.errors import LedgerError, LedgerTamperedError
from dpwerm.privacy.ledger.database import Database
from dpwerm.privacy.ledger.entry import Entry, seal
from dpwerm.privacy.ledger.store import ENTRIES, Store, make_entries


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
