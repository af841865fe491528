"""Noise is paid for before it is drawn: the only way to bits leads past the charge.

    cost → charge, durable → receipt → bits

A fit is handed a payment, not bits. What it draws carries the receipt into the certificate.
"""

from typing import Protocol

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.randomness import BitSource, OperatingSystemBits, Receipt, bit_source

NO_LEDGER = "none"
"""What a caller says to make a private release that no ledger knows of."""


class Chargeable(Protocol):
    """What can be charged: a ledger, for one study."""

    def charge(self, cost: AnyBudget, what: str) -> Receipt:
        """Record the cost durably, or raise; only then may noise be drawn."""

    def attach(self, receipt: Receipt, digest: str) -> None:
        """Record which release a charge paid for."""


class Payment(Protocol):
    """The right to draw noise once its cost is known."""

    @property
    def secure(self) -> bool:
        """Whether the bits will be secret; only then is a release private."""

    def bits(self, cost: AnyBudget) -> BitSource:
        """Return bits for noise of that cost, after it was paid."""

    def attach(self, receipt: Receipt | None, digest: str) -> None:
        """Say which release was paid for."""


class PaidBits(OperatingSystemBits):
    """Bits of the operating system that a ledger knows of.

    Parameters
    ----------
    receipt : Receipt, of the charge that paid for them
    """

    def __init__(self, receipt: Receipt) -> None:
        self.receipt = receipt


class Unrecorded:
    """Bits that no ledger knows of: a seed, no privacy at all, or a caller who said so.

    Parameters
    ----------
    random_state : None for the operating system, or a seed
    said : whether the caller said "none", without which no private noise is drawn unpaid
    """

    def __init__(self, random_state: int | None, *, said: bool = False) -> None:
        self._bits = bit_source(random_state)
        self._said = said

    @property
    def secure(self) -> bool:
        """Whether the bits are the operating system's."""
        return self._bits.secure

    def bits(self, cost: AnyBudget) -> BitSource:
        """Return the bits, unless they would make a private release that nobody asked for."""
        if self.secure and cost.is_private and not self._said:
            raise ParameterError("a private release is to be drawn that no ledger was charged for")
        return self._bits

    def attach(self, receipt: Receipt | None, digest: str) -> None:
        """Do nothing: there is no charge."""


class Charged:
    """Bits of the operating system for which a ledger is charged first.

    Parameters
    ----------
    ledger : Chargeable
    what : str, what is released, such as "rule"
    """

    secure: bool = True

    def __init__(self, ledger: Chargeable, what: str) -> None:
        self._ledger = ledger
        self._what = what

    def bits(self, cost: AnyBudget) -> BitSource:
        """Charge the ledger, then return bits that carry the receipt."""
        return PaidBits(self._ledger.charge(cost, self._what))

    def attach(self, receipt: Receipt | None, digest: str) -> None:
        """Record the digest of the release beside its charge."""
        if receipt is not None:
            self._ledger.attach(receipt, digest)


def payment_for(
    ledger: Chargeable | str | None, budget: AnyBudget, random_state: int | None, what: str
) -> Payment:
    """Return how a release is paid for.

    A seed or ε = ∞ never touches a ledger. Everything else needs one, unless the caller says
    ``"none"``.
    """
    if isinstance(ledger, str) and ledger != NO_LEDGER:
        raise ParameterError('ledger must be a Ledger or the word "none"')
    free = Unrecorded(random_state, said=isinstance(ledger, str))
    if not (free.secure and budget.is_private) or isinstance(ledger, str):
        return free
    if ledger is None:
        raise ParameterError(
            "ledger is missing: a private release is charged to a budget. Give "
            'ledger=Ledger(...), or ledger="none" if this release need not be added up with others'
        )
    return Charged(ledger, what)
