"""Entries of a ledger as a store would give them, written by hand."""

from collections.abc import Iterable, Mapping

from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger import account as bodies
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import Entry, Total, seal

STUDY = "trial"
STARTED = {"kind": "started", "ledger": "0" * 32, "format": 1}
DIGEST = "sha256:" + "ab" * 32
KEY = "sha256:" + "cd" * 32

Charged = tuple[str | None, AnyBudget]


def chain(written: Iterable[Mapping[str, object]]) -> tuple[Entry, ...]:
    """Return a ledger of these bodies, after the one that starts it."""
    entries = [seal(1, "", STARTED)]
    for body in written:
        entries.append(seal(len(entries) + 1, entries[-1].hash, body))
    return tuple(entries)


def opening(total: Total, partitions: tuple[str, ...] = (), study: str = STUDY) -> bodies.Body:
    """Return the body that opens a study."""
    return bodies.opened(Account(study, "replace_one", total, partitions))


def admitted(total: Total, costs: Iterable[Charged], partitions: tuple[str, ...] = ()) -> Account:
    """Return the account after charging one cost after another, those that are not refused."""
    written = [opening(total, partitions)]
    account = account_of(written)
    for partition, cost in costs:
        if account.refusal(cost, partition) is None:
            written.append(bodies.charged(STUDY, partition, cost, "rule", KEY))
            account = account_of(written)
    return account


def account_of(written: Iterable[Mapping[str, object]], study: str = STUDY) -> Account:
    """Return the account that these bodies give."""
    found = Account.of(chain(written), study)
    assert found is not None
    return found
