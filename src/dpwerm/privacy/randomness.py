"""The one place that creates randomness: strings of independent, fair bits, and what paid for them.

A source splits into substreams, one for each uniform, so that the bits of one uniform do not
depend on how many bits another one needed. The n-th substream is the same at any precision.

Noise is paid for before it is drawn: the only way to bits leads past the charge.

    cost → charge, durable → receipt → bits

A fit is handed a privacy filter, not bits. What it draws carries the receipt into the certificate.
"""

import hashlib
import re
import secrets
from dataclasses import dataclass
from numbers import Integral
from typing import Protocol

from dpwerm.errors import CHARGED, NOT_CHARGED, UNCERTAIN, BudgetError, ParameterError
from dpwerm.privacy.budget import AnyBudget

NO_LEDGER = "none"  # what a caller says to make a private release that no ledger knows of
KINDS = ("sqlite", "postgresql")
_ID = re.compile(r"[0-9a-f]{32}")
_BLOCK_BITS = 512
_HASH = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True)
class Receipt:
    """A durable charge: the number of an entry and its hash "sha256:…", in a ledger.

    The ledger is told by its kind and its public id of 32 hexadecimal digits, not by where it is.
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


class BitSource(Protocol):
    """A string of fair bits, read from the front."""

    @property
    def secure(self) -> bool:
        """Whether nobody can predict the bits; only then is a release private."""

    @property
    def receipt(self) -> Receipt | None:
        """The charge that paid for the bits, if a ledger knows of them."""

    def bits(self, count: int) -> int:
        """Return the next ``count`` bits as an integer in [0, 2^count), first bit highest."""

    def substream(self) -> "BitSource":
        """Return a new string of bits, independent of this one and of other substreams."""


class OperatingSystemBits:
    """Bits from the operating system, never kept: safe after a fork, never repeated."""

    secure: bool = True

    def __init__(self, receipt: Receipt | None = None) -> None:
        self.receipt = receipt

    def bits(self, count: int) -> int:
        """Return ``count`` new bits."""
        return secrets.randbits(count) if count else 0

    def substream(self) -> "OperatingSystemBits":
        """Return this source: all its bits are independent."""
        return self


class SeededBits:
    """Bits that follow from a seed, for simulations: the same on every machine, not private.

    Block j of a stream is BLAKE2b of j under the stream's key; a substream's key is BLAKE2b of
    its number under the same key.
    """

    secure: bool = False
    receipt: Receipt | None = None

    def __init__(self, seed: int) -> None:
        self._start(hashlib.blake2b(b"dpwerm seed %d" % _seed(seed)).digest())

    def _start(self, key: bytes) -> None:
        self._key = key
        self._blocks = self._streams = self._left = self._pool = 0

    def _digest(self, purpose: bytes, number: int) -> bytes:
        return hashlib.blake2b(number.to_bytes(8, "big"), key=self._key, person=purpose).digest()

    def bits(self, count: int) -> int:
        """Return the next ``count`` bits of this stream."""
        while self._left < count:
            block = int.from_bytes(self._digest(b"block", self._blocks), "big")
            self._pool = self._pool << _BLOCK_BITS | block
            self._left += _BLOCK_BITS
            self._blocks += 1
        self._left -= count
        value = self._pool >> self._left
        self._pool &= (1 << self._left) - 1
        return value

    def substream(self) -> "SeededBits":
        """Return the next substream; it has a key of its own."""
        child = object.__new__(SeededBits)
        child._start(self._digest(b"stream", self._streams))
        self._streams += 1
        return child


def bit_source(random_state: int | None) -> BitSource:
    """Return bits of the operating system for None, of a seed for a whole number."""
    return OperatingSystemBits() if random_state is None else SeededBits(random_state)


def _seed(value: object) -> int:
    """Return a seed as an int ≥ 0."""
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise ParameterError(
            f"random_state must be None or a whole number, not {type(value).__name__}"
        )
    if not 0 <= (seed := int(value)) < 2**128:
        raise ParameterError("random_state must be at least 0 and below 2^128")
    return seed


class Chargeable(Protocol):
    """What can be charged: a ledger, for one study."""

    def charge(self, cost: AnyBudget, what: str) -> Receipt:
        """Record the cost durably, or raise; only then may noise be drawn."""

    def attach(self, receipt: Receipt, digest: str) -> None:
        """Record which release a charge paid for."""


class PrivacyFilter(Protocol):
    """The right to draw noise once its cost is known."""

    @property
    def secure(self) -> bool:
        """Whether the bits will be secret; only then is a release private."""

    def authorise(self, cost: AnyBudget) -> BitSource:
        """Return bits for noise of that cost, after it was paid."""

    def attach(self, receipt: Receipt | None, digest: str) -> None:
        """Say which release was paid for."""

    def begin(self) -> "PrivacyFilter":
        """Return the privacy filter of one fit, of which nothing is charged yet."""

    def note(self, error: BaseException) -> str | None:
        """Return what an error that ends the fit must say of its charge; None for nothing."""


class Unrecorded:
    """Bits that no ledger knows of: a seed, no privacy at all, or a caller who said so.

    Unless the caller ``said`` "none", no private noise is drawn unpaid.
    """

    def __init__(self, random_state: int | None, *, said: bool = False) -> None:
        self.secure = bit_source(random_state).secure
        self._random_state, self._said = random_state, said

    def authorise(self, cost: AnyBudget) -> BitSource:
        """Return the bits, unless they would make a private release that nobody asked for."""
        if self.secure and cost.is_private and not self._said:
            raise ParameterError("a private release is to be drawn that no ledger was charged for")
        return bit_source(self._random_state)

    def attach(self, receipt: Receipt | None, digest: str) -> None:
        """Do nothing: there is no charge."""

    def begin(self) -> "Unrecorded":
        """Return this one: there will be no charge."""
        return self

    def note(self, error: BaseException) -> str | None:
        """Say nothing: there is no charge."""


class Charged:
    """Bits of the operating system for which a ledger is charged first, for a "rule" or so."""

    secure: bool = True

    def __init__(self, ledger: Chargeable, what: str) -> None:
        self._ledger = ledger
        self._what = what
        self._said = NOT_CHARGED

    def begin(self) -> "Charged":
        """Return the privacy filter of one fit, of which nothing is charged yet."""
        return Charged(self._ledger, self._what)

    def authorise(self, cost: AnyBudget) -> BitSource:
        """Charge the ledger, then return bits that carry the receipt."""
        self._said = UNCERTAIN
        receipt = self._ledger.charge(cost, self._what)
        self._said = CHARGED
        return OperatingSystemBits(receipt)

    def attach(self, receipt: Receipt | None, digest: str) -> None:
        """Record the digest of the release beside its charge."""
        if receipt is not None:
            self._ledger.attach(receipt, digest)

    def note(self, error: BaseException) -> str | None:
        """Return how far the charge came; one that the budget refused was not made."""
        refused = isinstance(error, BudgetError) and self._said == UNCERTAIN
        return NOT_CHARGED if refused else self._said


def privacy_filter_for(
    ledger: Chargeable | str | None, budget: AnyBudget, random_state: int | None, what: str
) -> PrivacyFilter:
    """Return how a release is paid for: by a ledger, but for a seed, ε = ∞ or the word "none"."""
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
