"""What a process knows of a ledger: the last entry it saw must still be there.

A ledger that was deleted, replaced or set back to an old copy has forgotten charges. Within the
life of one object that is noticed; afterwards only by a head that was written down.
"""

from collections.abc import Sequence
from typing import NamedTuple

from dpwerm.errors import BudgetError, LedgerTamperedError
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import Entry
from dpwerm.privacy.randomness import Receipt


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


# ------------------------------------------------------------------------------------------
# When a release is refused: the ledger and the study disagree, or the total is reached.


class Place(NamedTuple):
    """Where a total is declared, in words.

    where : what holds it; whole : the same at length; record : what records a change of it
    """

    where: str
    whole: str
    record: str


STUDY_FILE = Place("[budget]", "[budget] in the study file", "`dpwerm ledger total STUDY`")
CODE = Place("Ledger(...)", "the total in Ledger(...)", "`change_total(reason)` of that ledger")


def refuse(
    declared: Account, recorded: Account, cost: AnyBudget, slot: str | None, place: Place
) -> None:
    """Raise unless both have the same total and the cost fits into what is left of it."""
    refuse_relation(declared, recorded)
    if differs(declared, recorded):
        raise BudgetError(
            f"Refused by the budget: the ledger records a total of {_words(recorded)}, "
            f"the study declares {_words(declared)}.\n"
            f"A changed total holds once {place.record} has recorded it, with its reason."
        )
    if (refusal := recorded.refusal(cost, slot, place.where)) is not None:
        raise BudgetError(
            f"Refused by the budget: {refusal}.\n"
            f"Ask for less, or change {place.whole} with your ethics board; "
            f"{place.record} records the change."
        )


def refuse_relation(declared: Account, recorded: Account) -> None:
    """Raise if the study was opened for another relation: costs under both do not add up."""
    if recorded.relation != declared.relation:
        raise BudgetError(
            f"Refused by the budget: study {recorded.study} was opened for relation "
            f"{recorded.relation}, and costs under {declared.relation} do not add up with those.\n"
            "The relation of a study cannot change once it was charged."
        )


def differs(declared: Account, recorded: Account) -> bool:
    """Whether totals or slots differ; the order of slots means nothing."""
    return (declared.total, set(declared.slots)) != (recorded.total, set(recorded.slots))


def _words(account: Account) -> str:
    slots = f" with slots {', '.join(account.slots)}" if account.slots else ""
    return f"{account.total}{slots}"
