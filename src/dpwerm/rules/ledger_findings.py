"""What a rule file or a value file must say because of the charge that paid for it.

A file alone shows only that its numbers belong together. The ledger knows what was charged before
the noise was drawn, and which release came of it: a consistent forgery differs from one of the two.
"""

from collections.abc import Iterable

from dpwerm.learn.verify import Finding
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.entry import Entry
from dpwerm.privacy.receipt import Receipt
from dpwerm.rules.rule import Rule

ABSENT, EDITED = "(no such entry)", "(edited)"
PAID_FOR = ("ledger, what was charged", "ledger, cost")
"""The checks that must hold before a release is attached to a charge."""
NOT_ATTACHED = "(none; dpwerm ledger attach records it)"


def what_of(rule: Rule) -> str:
    """Return what a ledger calls a rule that was charged."""
    return "rule" if rule.tuning is None else "tuned rule"


def ledger_findings(
    digest: str,
    budget: AnyBudget,
    receipt: Receipt | None,
    entries: Iterable[Entry],
    *,
    study: str,
    what: str,
) -> list[Finding]:
    """Return the checks of a file against the entries of the ledger; each must hold.

    Parameters
    ----------
    digest, budget, receipt : of the file, its whole budget
    entries : of the ledger from the first one on, whose chain was verified
    study : id of the file's study, empty if it names none
    what : "rule", "tuned rule" (see ``what_of``) or "value"
    """
    if receipt is None:
        return [Finding("ledger, charge", "none", "the entry that paid for the release")]
    known = {entry.number: entry for entry in entries}
    started = known[1].body.get("ledger") if 1 in known else ABSENT
    charge = known.get(receipt.entry)
    findings = [
        Finding("ledger, id", receipt.ledger, started),
        Finding("ledger, hash of the charge", receipt.hash, _hash(charge)),
    ]
    if charge is None:
        return findings
    paid = charge.body
    compared: dict[str, tuple[object, object]] = {
        "kind of the entry": ("charged", paid.get("kind")),
        "what was charged": (what, paid.get("what")),
        "cost": (budget.plain(), paid.get("cost")),
        "digest of the release": (digest, _attached(receipt.entry, known.values())),
    }
    if study:
        compared["study"] = (study, paid.get("study"))
    return findings + [Finding(f"ledger, {name}", *pair) for name, pair in compared.items()]


def _hash(entry: Entry | None) -> str:
    if entry is None:
        return ABSENT
    return entry.hash if entry.is_sealed else EDITED


def _attached(number: int, entries: Iterable[Entry]) -> object:
    """Return the digest that was attached to a charge."""
    for entry in entries:
        if entry.body.get("kind") == "released" and entry.body.get("charge") == number:
            return entry.body.get("digest")
    return NOT_ATTACHED
