r"""The currencies of a study's total, and the lines of a ledger, each tied to all before it.

Each currency adds up for itself, exactly:

.. math:: \sum \varepsilon_i \le \varepsilon, \quad \sum \delta_i \le \delta, \quad
          \sum \rho_i \le \rho, \quad \sum \mu_i^2 \le \mu^2

Everything released is then an (ε, δ)-private part, a ρ-zCDP part and a μ-GDP part, one after
another, even if each cost is chosen after seeing earlier releases. Proof: docs/proofs/ledger.md.

The lines are a chain,

    h_0 = "",    h_k = SHA-256(k, h_{k−1}, body_k)

Whoever edits, drops or moves an entry must change every hash after it, and the last one stands in
the head of the ledger and in the receipts that went out.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import add, le, sub
from typing import NoReturn, cast

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import (
    DIGITS,
    EPSILON_LARGEST,
    EPSILON_SMALLEST,
    RANGES,
    AnyBudget,
    Budget,
    Written,
    shortest,
    written_decimal,
)

CURRENCIES = ("epsilon", "delta", "rho", "mu")
_ROOT_DIGITS = 6
_RANGES = {
    "epsilon": (EPSILON_SMALLEST, EPSILON_LARGEST),
    "delta": (Decimal(0), Decimal(1)),
    "rho": RANGES["zcdp"],
    "mu": RANGES["gdp"],
}


@dataclass(frozen=True)
class Amounts:
    """Exact amounts in each currency; of μ the square, for the squares add up."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)
    mu_squared: Fraction = Fraction(0)

    @property
    def parts(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """The amounts in the order of ``CURRENCIES``."""
        return self.epsilon, self.delta, self.rho, self.mu_squared

    def __add__(self, other: "Amounts") -> "Amounts":
        return Amounts(*map(add, self.parts, other.parts))

    def __sub__(self, other: "Amounts") -> "Amounts":
        return Amounts(*map(sub, self.parts, other.parts))

    def fits(self, other: "Amounts") -> bool:
        """Whether no currency is above that of the other amounts."""
        return all(map(le, self.parts, other.parts))

    def largest(self, other: "Amounts") -> "Amounts":
        """Return the larger amount in each currency."""
        return Amounts(*map(max, self.parts, other.parts))

    def decimals(self, *, up: bool) -> dict[str, Decimal]:
        """Return each currency as a decimal, μ as a root; what is not exact is rounded."""
        *plain, square = self.parts
        shown = [*(_decimal(value, up=up) for value in plain), _root(square, up=up)]
        return dict(zip(CURRENCIES, shown, strict=True))


@dataclass(frozen=True)
class Total:
    """What a study may release in all; 0 in a currency is nothing of it.

    epsilon : Decimal, 0 or in [1e-6, 1e9]
    delta : Decimal in [0, 1); needs an epsilon
    rho : Decimal, 0 or in [1e-16, 1e12], the purse of releases in ρ-zCDP
    mu : Decimal, 0 or in [1e-8, 1e6], the purse of releases in μ-GDP
    """

    epsilon: Decimal = Decimal(0)
    delta: Decimal = Decimal(0)
    rho: Decimal = Decimal(0)
    mu: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        for name in CURRENCIES:
            object.__setattr__(self, name, _part(name, getattr(self, name)))
        if not (self.epsilon or self.rho or self.mu):
            raise ParameterError("a total needs epsilon, rho or mu above 0")
        if self.delta and not self.epsilon:
            raise ParameterError("a total with delta needs an epsilon: delta belongs to it")

    def __str__(self) -> str:
        return ", ".join(f"{name} = {text}" for name, text in self.plain().items() if text != "0")

    @classmethod
    def of(
        cls, epsilon: Written = 0, delta: Written = 0, rho: Written = 0, mu: Written = 0
    ) -> "Total":
        """Return the total a person wrote, as numbers or as text."""
        return cls(*map(written_decimal, CURRENCIES, (epsilon, delta, rho, mu)))

    @property
    def limits(self) -> Amounts:
        """The most that each currency can add up to."""
        epsilon, delta, rho, mu = (Fraction(getattr(self, name)) for name in CURRENCIES)
        return Amounts(epsilon, delta, rho, mu**2)

    @property
    def used(self) -> list[str]:
        """The currencies that the total has."""
        return [name for name in CURRENCIES if getattr(self, name)]

    def plain(self) -> dict[str, str]:
        """Return every currency as exact text under its name."""
        return {name: f"{getattr(self, name):f}" for name in CURRENCIES}

    @classmethod
    def from_plain(cls, plain: object) -> "Total":
        """Undo ``plain``; anything else is refused."""
        if not isinstance(plain, Mapping) or set(plain) != set(CURRENCIES):
            raise ParameterError(f"a total has {', '.join(CURRENCIES)}")
        return cls.of(**plain)

    def purse(self, cost: AnyBudget) -> str:
        r"""Return the currency that pays: μ is paid as ρ if the total has no μ.

        .. math:: \mu\text{-GDP} \implies \tfrac{1}{2}\mu^2\text{-zCDP}

        The converse does not hold: ρ is never paid as μ.
        """
        if isinstance(cost, Budget):
            return "epsilon"
        return "rho" if cost.notion == "zcdp" or not self.mu else "mu"

    def amounts(self, cost: AnyBudget) -> Amounts:
        """Return what a release costs, in the currency that pays for it."""
        if isinstance(cost, Budget):
            return Amounts(epsilon=cost.exact_epsilon, delta=cost.exact_delta)
        if self.purse(cost) == "mu":
            return Amounts(mu_squared=1 / cost.exact_square)
        return Amounts(rho=1 / (2 * cost.exact_square))


def would_fit(cost: AnyBudget, left: Amounts, total: Total) -> str:
    """Return what is left for a release of this notion, rounded down; μ from ρ is √(2ρ)."""
    symbol = "epsilon" if isinstance(cost, Budget) else cost.symbol
    if symbol == "mu" and total.purse(cost) == "rho":
        left = Amounts(mu_squared=2 * left.rho)
    decimals = left.decimals(up=False)
    fits = decimals[symbol] >= _RANGES[symbol][0]
    text = f"{symbol} = {decimals[symbol]} would fit" if fits else f"no {symbol} is left"
    if isinstance(cost, Budget) and (cost.delta or total.delta):
        text += f"; delta = {decimals['delta']} is left"
    return text


def no_purse(cost: AnyBudget, total: Total, where: str) -> str:
    """Say that the total has nothing in the currency of a release, and how to declare it."""
    text = f"{cost} has no total to be charged to: declare"
    if isinstance(cost, Budget):
        return f"{text} epsilon in {where}"
    also = " (or rho)" if cost.notion == "gdp" else ""
    text += f" {cost.symbol}{also} in {where}, such as {cost.symbol} = {cost.parameter}"
    return text + (", or ask in epsilon and delta" if total.delta else "")


def _part(name: str, value: object) -> Decimal:
    """Return one currency of a total in its shortest form."""
    number = written_decimal(name, value)
    smallest, largest = _RANGES[name]
    inside = not number.is_nan() and (number == 0 or smallest <= number <= largest)
    if not inside or (name == "delta" and number == 1):
        below = "below" if name == "delta" else "at most"
        raise ParameterError(
            f"the total's {name} must be 0, or at least {smallest} and {below} {largest}"
        )
    return shortest(name, number)


def _decimal(value: Fraction, *, up: bool, digits: int = DIGITS) -> Decimal:
    """Return a fraction as a decimal of at most so many digits."""
    context = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    found = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    return Decimal(f"{found.normalize(context):f}") if found else Decimal(0)


def _root(value: Fraction, *, up: bool) -> Decimal:
    """Return the root: exactly if that is a decimal, else to six digits; that of −x is −√x."""
    if value < 0:
        return -_root(-value, up=not up)
    near = Context(prec=3 * DIGITS).sqrt(_decimal(value, up=False, digits=6 * DIGITS))
    if Fraction(near) ** 2 == value:
        return _decimal(Fraction(near), up=up)
    shown = _decimal(Fraction(near), up=up, digits=_ROOT_DIGITS)
    if up and Fraction(shown) ** 2 < value:
        return shown.next_plus(Context(prec=_ROOT_DIGITS))
    if not up and Fraction(shown) ** 2 > value:
        return shown.next_minus(Context(prec=_ROOT_DIGITS))
    return shown


# -- the chain --------------------------------------------------------------------------------


def _refuse_float(_: str) -> NoReturn:
    raise ValueError


_EXACT = json.JSONDecoder(parse_float=_refuse_float, parse_constant=_refuse_float)
_CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=True, separators=(",", ":"))

WHAT = ["rule", "tuned rule", "value", "classifier"]
"""What a ledger can be charged for; a new kind of release adds its own name."""


@dataclass(frozen=True)
class Entry:
    """One entry of a ledger: its number from 1 on, the hash before it, what happened, its own hash.

    A body holds text, whole numbers, lists, mappings and None only.
    """

    number: int
    previous: str
    body: Mapping[str, object]
    hash: str

    @cached_property
    def content(self) -> str:
        """What is hashed and stored: canonical JSON of number, previous hash and body."""
        fields = {"number": self.number, "previous": self.previous, "body": self.body}
        return _CANONICAL.encode(fields)

    @property
    def is_sealed(self) -> bool:
        """Whether the hash fits the rest."""
        return self.hash == _digest(self.content)


def seal(number: int, previous: str, body: Mapping[str, object]) -> Entry:
    """Return the entry with its hash; a body that is not plain is refused."""
    entry = Entry(number, previous, cast("Mapping[str, object]", _plain(body)), "")
    return replace(entry, hash=_digest(entry.content))


def unsealed(number: object, content: object, digest: object) -> Entry | None:
    """Return a stored entry as it reads, its hash unchecked; None if it does not read as one."""
    if not (isinstance(number, int) and isinstance(content, str) and isinstance(digest, str)):
        return None
    try:
        fields = _EXACT.decode(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or set(fields) != {"number", "previous", "body"}:
        return None
    own, previous, body = fields["number"], fields["previous"], fields["body"]
    if type(own) is not int or not (isinstance(previous, str) and isinstance(body, dict)):
        return None
    entry = Entry(number, previous, body, digest)
    if own == number:
        vars(entry)["content"] = content  # it is hashed as it stands, so one entry has one text
    return entry


START = Entry(0, "", {}, "")
"""What stands before the first entry."""


def chain_faults(
    entries: Iterable[Entry], unreadable: Collection[int] = (), after: Entry = START
) -> list[str]:
    """Say which entries were edited, dropped or moved, in words and by number.

    Entries whose numbers are ``unreadable`` are there, but not among ``entries``. ``after`` is the
    last of those before them, which were checked already.
    """
    entries = list(entries)
    edited = [entry.number for entry in entries if not entry.is_sealed]
    faults = [f"entry {number} was edited or moved: its hash does not fit" for number in edited]
    for before, entry in pairwise([after, *entries]):
        if entry.number == before.number:
            faults.append(f"entry {entry.number} occurs twice")
        elif entry.number < before.number:
            faults.append(f"entry {entry.number} stands after entry {before.number}")
        elif entry.number > before.number + 1:
            first, last = before.number + 1, entry.number - 1
            if any(k not in unreadable for k in range(first, entry.number)):
                several = f"entries {first} to {last} are missing"
                faults.append(f"entry {first} is missing" if first == last else several)
        elif entry.previous != before.hash and before is START:
            faults.append("entry 1 names an entry before it: it was edited")
        elif entry.previous != before.hash:
            faults.append(
                f"entry {entry.number} does not follow from entry {before.number}: "
                "one of them was edited or replaced"
            )
    return faults


def _digest(content: str) -> str:
    return "sha256:" + hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _plain(value: object) -> object:
    """Return a copy that is JSON without floats and truth values."""
    if value is None or (isinstance(value, str | int) and not isinstance(value, bool)):
        return value
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ParameterError(f"an entry cannot have a {type(key).__name__} as a key")
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    raise ParameterError(f"an entry cannot hold a {type(value).__name__}")
