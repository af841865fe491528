"""What a process knows of a ledger: the last entry it saw must still be there.

A ledger that was deleted, replaced or set back to an old copy has forgotten charges. Within the
life of one object that is noticed; afterwards only by a head that was written down.
"""

from collections.abc import Sequence

from dpwerm.errors import LedgerTamperedError
from dpwerm.privacy.ledger.entry import Entry
from dpwerm.privacy.receipt import Receipt


class Memory:
    """The id of a ledger, the hashes last read, and the last entry seen."""

    def __init__(self) -> None:
        self.ledger = ""
        self._hashes: tuple[str, ...] = ()
        self._last: tuple[int, str] | None = None

    def check(self, entries: Sequence[Entry]) -> None:
        """Raise unless the ledger continues the one that was seen; then remember it."""
        hashes = tuple(entry.hash for entry in entries)
        if self._last is not None:
            number, digest = self._last
            if len(hashes) < number or hashes[number - 1] != digest:
                raise LedgerTamperedError(
                    f"the ledger no longer holds entry {number}, which was written before: it was "
                    "deleted, replaced or set back to an old copy"
                )
        if entries:
            self.ledger = str(entries[0].body["ledger"])
            self._hashes = hashes

    def see(self, entry: Entry) -> None:
        """Remember an entry that was committed."""
        self._last = (entry.number, entry.hash)

    def holds(self, receipt: Receipt) -> bool:
        """Whether the ledger last read holds the entry of a receipt."""
        held = receipt.ledger == self.ledger and receipt.entry <= len(self._hashes)
        return held and self._hashes[receipt.entry - 1] == receipt.hash
