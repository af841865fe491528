"""The entries of a ledger for commands that look into it, all studies in it included."""

from pathlib import Path
from typing import TYPE_CHECKING

from dpwerm.cli.paying import ledger_of, url_of
from dpwerm.errors import LedgerTamperedError
from dpwerm.study.declaration import Study

if TYPE_CHECKING:
    from dpwerm.privacy.ledger.entry import Entry
    from dpwerm.privacy.ledger.store import Store


def store_of(study: Study, option: str | None) -> "Store":
    """Return where a study's entries are; another database than the study's is refused."""
    # SQLAlchemy takes a moment to load; commands without a ledger do without it.
    from dpwerm.privacy.ledger.places import DEFAULT
    from dpwerm.privacy.ledger.store import Store
    from dpwerm.privacy.ledger.url import LedgerAddress

    ledger_of(study, option)
    named = study.budget.ledger if study.budget else None
    return Store(LedgerAddress.of(url_of(option) or named or DEFAULT, study.folder))


def store_at(url: str) -> "Store":
    """Return the entries at an address; a relative file is beside the command."""
    from dpwerm.privacy.ledger.store import Store
    from dpwerm.privacy.ledger.url import LedgerAddress

    return Store(LedgerAddress.of(url, Path.cwd()))


def entries_in(store: "Store") -> "tuple[Entry, ...]":
    """Return all entries of a ledger, or raise with every fault."""
    faults = store.faults()
    if faults:
        raise LedgerTamperedError(f"{store.address.shown} does not verify: {'; '.join(faults)}")
    return store.read()
