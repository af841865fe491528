"""What the entries of a study say; nothing of the table, of the machine or of its user."""

from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.dates import today
from dpwerm.version import __version__

Body = dict[str, object]


def opened(account: Account) -> Body:
    """Return the entry that opens an account: its relation, its total and its slots."""
    return {
        "kind": "opened",
        "study": account.study,
        "relation": account.relation,
        "total": account.total.plain(),
        "slots": list(account.slots),
        "date": today(),
    }


def new_total(account: Account, reason: str) -> Body:
    """Return the entry that gives an account another total and other slots."""
    return {
        "kind": "total",
        "study": account.study,
        "total": account.total.plain(),
        "slots": list(account.slots),
        "reason": reason,
        "date": today(),
    }


def charged(study: str, slot: str | None, cost: AnyBudget, what: str) -> Body:
    """Return the entry of a charge."""
    return {
        "kind": "charged",
        "study": study,
        "slot": slot,
        "cost": cost.plain(),
        "what": what,
        "library": f"dpwerm {__version__}",
        "date": today(),
    }


def released(study: str, charge: int, digest: str) -> Body:
    """Return the entry of a release; without a day, for it comes when the fit is done."""
    return {"kind": "released", "study": study, "charge": charge, "digest": digest}
