"""The errors a user can meet; none of them ever carries a value from the data."""

from collections.abc import Iterable
from dataclasses import dataclass

NOT_CHARGED = "Nothing was charged and nothing was released."
CHARGED = "The ledger was charged before this, and that stays; nothing was released."
UNCERTAIN = "Nothing was released. Whether it was charged shows: dpwerm ledger show STUDY"
CHARGE_NOTES = (NOT_CHARGED, CHARGED, UNCERTAIN)
"""What an error that ends a fit notes of its charge; notes of others may quote the data."""


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong: where, what, and what would be right."""

    where: str
    problem: str
    remedy: str = ""

    def __str__(self) -> str:
        text = f"{self.where}: {self.problem}"
        return f"{text}; {self.remedy}" if self.remedy else text


class DpwermError(Exception):
    """Base of all errors that a user can mend; the text is safe to show."""


class ParameterError(DpwermError, ValueError):
    """A parameter is missing or outside its range."""


class BudgetError(DpwermError, ValueError):
    """A release would cost more than the study's declared total."""


class LedgerError(DpwermError):
    """A ledger cannot be opened, read or written; nothing was released."""


class LedgerTamperedError(LedgerError):
    """A ledger does not verify: an entry was edited, dropped or moved."""


class LedgerWarning(UserWarning):
    """A release was paid for, but its ledger could not be told which release it was."""


class FaultsError(DpwermError, ValueError):
    """Several faults, reported together."""

    def __init__(self, subject: str, faults: Iterable[Fault]) -> None:
        self.subject = subject
        self.faults = tuple(faults)
        lines = "\n".join(f"  {fault}" for fault in self.faults)
        count = len(self.faults)
        super().__init__(f"{subject}: {count} fault{'s' if count != 1 else ''}\n{lines}")

    def __reduce__(self) -> tuple[type, tuple[str, tuple[Fault, ...]]]:
        return type(self), (self.subject, self.faults)


class StudyError(FaultsError):
    """A study file does not say what it must."""


class TableError(FaultsError):
    """A table cannot be read or lacks what the study declares."""


class RuleFileError(FaultsError):
    """A rule file cannot be read or is not a rule file."""
