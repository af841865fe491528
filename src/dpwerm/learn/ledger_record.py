"""What a certificate says of the ledger: the charge that paid for the noise, or that there is none.

A charge is named by the ledger's public id and the entry's number and hash. Where the ledger is, is
not written.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag

from dpwerm.privacy.payment import NO_LEDGER
from dpwerm.privacy.receipt import Receipt
from dpwerm.study.blocks import Frozen as Record


class LedgerRecord(Record):
    """The receipt of a charge, as in :class:`~dpwerm.privacy.receipt.Receipt`."""

    kind: Literal["sqlite", "postgresql"]
    ledger: Annotated[str, Field(pattern="^[0-9a-f]{32}$", strict=True)]
    entry: Annotated[int, Field(ge=1, le=10**12, strict=True)]
    hash: Annotated[str, Field(pattern="^sha256:[0-9a-f]{64}$", strict=True)]

    @classmethod
    def of(cls, receipt: Receipt) -> Self:
        """Return the record of a receipt."""
        return cls.model_validate(vars(receipt))

    def receipt(self) -> Receipt:
        """Return the receipt that this records."""
        return Receipt(self.kind, self.ledger, self.entry, self.hash)


def _form(value: Any) -> str:
    return "charge" if isinstance(value, dict | LedgerRecord) else NO_LEDGER


LedgerKey = Annotated[
    Annotated[Literal["none"], Tag(NO_LEDGER)] | Annotated[LedgerRecord, Tag("charge")],
    Discriminator(_form),
]
"""The key ``ledger`` of a certificate."""


def ledger_key(receipt: Receipt | None) -> Literal["none"] | LedgerRecord:
    """Return what a certificate says of a receipt."""
    return "none" if receipt is None else LedgerRecord.of(receipt)


def receipt_in(key: Literal["none"] | LedgerRecord) -> Receipt | None:
    """Return the receipt that a certificate names, None if it names none."""
    return None if isinstance(key, str) else key.receipt()
