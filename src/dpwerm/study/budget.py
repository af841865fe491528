"""The total of a study, [budget]: how much may be released in all, and where that is recorded.

Everything released is an (ε, δ)-private part, a ρ-zCDP part and a μ-GDP part, one after another.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Annotated, Self
from urllib.parse import parse_qsl, urlsplit

from pydantic import PlainValidator, model_validator

from dpwerm.study.blocks import Frozen
from dpwerm.study.faults import shown, wrong
from dpwerm.study.values import decimal, delta_of, epsilon_of, identifier

MAX_SLOTS = 1_000
SECRETS = ("password", "sslpassword")
"""What the query of an address may not hold in a study file."""

_WHERE = 'such as "sqlite:///ledger.db" or "postgresql://host/database"'


def _purse(smallest: str, largest: str) -> Callable[[object], Decimal]:
    """Return a check of a decimal within a range."""

    def checked(value: object) -> Decimal:
        found = decimal(value)
        if not Decimal(smallest) <= found <= Decimal(largest):
            raise wrong(f"must be between {smallest} and {largest}, not {shown(found)}")
        return found

    return checked


def slot_names(value: object) -> tuple[str, ...]:
    """Return the names of slots: 1 to 1,000 distinct ones, written like the id of a study."""
    if not isinstance(value, (list, tuple)) or not 1 <= len(value) <= MAX_SLOTS:
        raise wrong(f"must be a list of 1 to {MAX_SLOTS:,} names")
    names = tuple(identifier(name) for name in value)
    if len(set(names)) < len(names):
        raise wrong("names a slot twice")
    return names


def ledger_url(value: object) -> str:
    """Return the address of a ledger, which holds no password; no error quotes it."""
    if not isinstance(value, str) or not value.startswith(("sqlite:///", "postgresql://")):
        raise wrong("is no address of a ledger", _WHERE)
    try:
        parts = urlsplit(value)
        secret = parts.password is not None or any(
            key.lower() in SECRETS for key, _ in parse_qsl(parts.query, keep_blank_values=True)
        )
    except ValueError:
        raise wrong("is no address of a ledger", _WHERE) from None
    if secret:
        raise wrong("holds a password", "use PGPASSWORD, ~/.pgpass or DPWERM_LEDGER")
    return value


class DeclaredBudget(Frozen):
    """The study's total privacy budget, as exact decimals; a currency left out is 0."""

    epsilon: Annotated[Decimal, PlainValidator(epsilon_of)] = Decimal(0)
    delta: Annotated[Decimal, PlainValidator(delta_of)] = Decimal(0)
    rho: Annotated[Decimal, PlainValidator(_purse("1e-16", "1e12"))] = Decimal(0)
    mu: Annotated[Decimal, PlainValidator(_purse("1e-8", "1e6"))] = Decimal(0)
    slots: Annotated[tuple[str, ...], PlainValidator(slot_names)] = ()
    ledger: Annotated[str, PlainValidator(ledger_url)] | None = None

    @model_validator(mode="after")
    def _is_a_total(self) -> Self:
        if not (self.epsilon or self.rho or self.mu):
            raise wrong("declares no total", "such as epsilon = 2; or rho or mu")
        if self.delta and not self.epsilon:
            raise wrong("has a delta but no epsilon", "delta belongs to epsilon")
        return self
