"""What a ledger gives for a charge: the entry that paid for a release, by number and hash."""

import re
from dataclasses import dataclass

from dpwerm.errors import ParameterError

KINDS = ("sqlite", "postgresql")
_ID = re.compile(r"[0-9a-f]{32}")
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Receipt:
    """A durable charge.

    Parameters
    ----------
    kind : "sqlite" or "postgresql"; where the ledger is, is not told
    ledger : the ledger's public id, 32 hexadecimal digits
    entry : int ≥ 1, the number of the charge
    hash : "sha256:…" of that entry
    """

    kind: str
    ledger: str
    entry: int
    hash: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS or not _ID.fullmatch(self.ledger):
            raise ParameterError("a receipt needs the kind and the id of a ledger")
        if self.entry < 1 or not _HASH.fullmatch(self.hash):
            raise ParameterError("a receipt needs the number and the hash of an entry")

    def __str__(self) -> str:
        return f"entry {self.entry} of ledger {self.ledger[:8]} ({self.kind})"
