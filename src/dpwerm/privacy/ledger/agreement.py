"""When a release is refused: the ledger and the study disagree, or the total is reached."""

from typing import NamedTuple

from dpwerm.errors import BudgetError
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.account import Account


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
