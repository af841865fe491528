"""When a release is refused: the ledger and the study disagree, or the total is reached."""

from dpwerm.errors import BudgetError
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.account import Account

RECORD = "`dpwerm ledger total STUDY`"


def refuse(declared: Account, recorded: Account, cost: AnyBudget, slot: str | None) -> None:
    """Raise unless both have the same total and the cost fits into what is left of it."""
    refuse_relation(declared, recorded)
    if differs(declared, recorded):
        raise BudgetError(
            f"Refused by the budget: the ledger records a total of {_words(recorded)}, "
            f"the study declares {_words(declared)}.\n"
            f"A changed total holds once {RECORD} has recorded it, with its reason."
        )
    if (refusal := recorded.refusal(cost, slot)) is not None:
        raise BudgetError(
            f"Refused by the budget: {refusal}.\n"
            "Ask for less, or change [budget] in the study file with your ethics board; "
            f"{RECORD} records the change."
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
