import pytest
from tests.unit.privacy.ledger.books import chain, opening

from dpwerm.errors import LedgerTamperedError
from dpwerm.privacy.ledger.entry import Total, seal
from dpwerm.privacy.ledger.ledger import Memory
from dpwerm.privacy.randomness import Receipt

ENTRIES = chain([opening(Total.of(1)), opening(Total.of(1), study="other")])


def test_a_ledger_that_grows_is_the_same_ledger() -> None:
    memory = Memory()
    memory.check((), memory.last)
    memory.check(ENTRIES[:2], memory.last)
    memory.see(ENTRIES[1])
    memory.check(ENTRIES, memory.last)
    memory.remember(ENTRIES)
    assert memory.ledger == "0" * 32


@pytest.mark.parametrize(
    "entries", [(), ENTRIES[:2], (*ENTRIES[:2], seal(3, ENTRIES[1].hash, {"kind": "other"}))]
)
def test_one_that_lost_or_replaced_what_was_seen_is_not(entries: tuple[object, ...]) -> None:
    memory = Memory()
    memory.see(ENTRIES[2])
    with pytest.raises(LedgerTamperedError, match="no longer holds entry 3"):
        memory.check(entries, memory.last)  # type: ignore[arg-type]


def test_a_receipt_is_held_by_id_number_and_hash() -> None:
    memory = Memory()
    receipt = Receipt("sqlite", "0" * 32, 2, ENTRIES[1].hash)
    assert not memory.holds(receipt)
    memory.remember(ENTRIES)
    assert memory.holds(receipt)
    assert not memory.holds(Receipt("sqlite", "1" * 32, 2, ENTRIES[1].hash))
    assert not memory.holds(Receipt("sqlite", "0" * 32, 3, ENTRIES[1].hash))
    assert not memory.holds(Receipt("sqlite", "0" * 32, 4, ENTRIES[1].hash))
