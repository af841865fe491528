"""What a process knows of a ledger: the last entry it saw must still be there.

A ledger that was deleted, replaced or set back to an old copy has forgotten charges. Within the
life of one object that is noticed; afterwards only by a head that was written down.
"""

from collections.abc import Sequence

from dpwerm.errors import LedgerTamperedError
from dpwerm.privacy.ledger.entry import Entry
from dpwerm.privacy.receipt import Receipt


class Memory:
    """The id of a ledger, the hashes last read, the last entry seen, charges begun and made."""

    def __init__(self) -> None:
        self.ledger = ""
        self._hashes: tuple[str, ...] = ()
        self.last: tuple[int, str] | None = None
        self.begun = self.charges = 0

    def check(self, entries: Sequence[Entry], last: tuple[int, str] | None) -> None:
        """Raise unless the ledger holds what was ``last`` before it was read."""
        if last is not None:
            number, digest = last
            if len(entries) < number or entries[number - 1].hash != digest:
                raise LedgerTamperedError(
                    f"the ledger no longer holds entry {number}, which was written before: it was "
                    "deleted, replaced or set back to an old copy"
                )

    def remember(self, entries: Sequence[Entry]) -> None:
        """Remember the entries before one that is about to be written, under its lock."""
        self.ledger = str(entries[0].body["ledger"])
        self._hashes = tuple(entry.hash for entry in entries)

    def see(self, entry: Entry) -> None:
        """Remember an entry that was committed."""
        self.last = (entry.number, entry.hash)

    def holds(self, receipt: Receipt) -> bool:
        """Whether the ledger last read holds the entry of a receipt."""
        held = receipt.ledger == self.ledger and receipt.entry <= len(self._hashes)
        return held and self._hashes[receipt.entry - 1] == receipt.hash
