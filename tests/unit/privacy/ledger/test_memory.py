import pytest
from tests.unit.privacy.ledger.books import chain, opening

from dpwerm.errors import LedgerTamperedError
from dpwerm.privacy.ledger.entry import Total, seal
from dpwerm.privacy.ledger.ledger import check_memory, holds

ENTRIES = chain([opening(Total.of(1)), opening(Total.of(1), study="other")])


def test_a_ledger_that_grows_is_the_same_ledger() -> None:
    check_memory((), None)
    check_memory(ENTRIES[:2], None)
    check_memory(ENTRIES, ENTRIES[1])


@pytest.mark.parametrize(
    "entries", [(), ENTRIES[:2], (*ENTRIES[:2], seal(3, ENTRIES[1].hash, {"kind": "other"}))]
)
def test_one_that_lost_or_replaced_what_was_seen_is_not(entries: tuple[object, ...]) -> None:
    with pytest.raises(LedgerTamperedError, match="no longer holds entry 3"):
        check_memory(entries, ENTRIES[2])  # type: ignore[arg-type]


def test_an_entry_is_held_by_number_and_hash() -> None:
    digest = ENTRIES[1].hash
    assert not holds((), 2, digest)
    assert holds(ENTRIES, 2, digest)
    assert not holds(ENTRIES, 3, digest)
    assert not holds(ENTRIES, 4, digest)
