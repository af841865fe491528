r"""What one study has spent and may still spend: a function of the ledger's entries alone.

A partition is a part of the people. A charge is for everybody or for one partition, and for every
partition s

.. math:: \text{spent by everybody} + \text{spent in } s \le \text{total}

in each currency. Partitions do not add up, because nobody is in two of them. What an entry says is
written and read here: nothing of the table, of the machine or of its user, and of the time the day
alone, for a time of day would tell how long a fit took.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import reduce
from typing import Any

from dpwerm.errors import DpwermError, LedgerTamperedError, ParameterError
from dpwerm.privacy.budget import AnyBudget, only_budget
from dpwerm.privacy.ledger.entry import Amounts, Entry, Total, no_purse, would_fit
from dpwerm.study.study import MAX_PARTITIONS
from dpwerm.study.values import IDENTIFIER
from dpwerm.text import one_line
from dpwerm.version import __version__

Body = dict[str, object]
NOTHING = Amounts()


@dataclass(frozen=True)
class Charge:
    """A release that was paid for: by which entry, for whom (None for everybody), and what.

    ``cost`` is what it claims, ``amounts`` what was paid, in the currency that the total had for
    it, and ``digest`` that of the release, None if none was attached; ``by_hand`` whether somebody
    attached it although the fit could have signed it.
    """

    number: int
    partition: str | None
    cost: AnyBudget
    amounts: Amounts
    what: str
    library: str
    date: str
    digest: str | None = None
    by_hand: bool = False

    @property
    def paid_for(self) -> str:
        """The release that it paid for, by the beginning of its digest."""
        if self.digest is None:
            return "none attached"
        return f"{self.digest[: len('sha256:') + 12]}…{', by hand' if self.by_hand else ''}"


@dataclass(frozen=True)
class TotalChange:
    """Another total than the one a study was opened with, from an entry on, and why."""

    number: int
    date: str
    total: Total
    reason: str


@dataclass(frozen=True)
class Account:
    """The state of one study.

    Parameters
    ----------
    study : str, its id
    relation : "replace_one" or "add_remove"
    total : Total
    partitions : names of the parts of the people, () if there are none
    charges : in the order of the ledger
    opened : number of the entry that opened it, None if the ledger does not know it yet
    totals : every change of the total, in the order of the ledger; the last gave ``total``
    """

    study: str
    relation: str
    total: Total
    partitions: tuple[str, ...] = ()
    charges: tuple[Charge, ...] = ()
    opened: int | None = None
    totals: tuple[TotalChange, ...] = ()
    sums: Mapping[str | None, Amounts] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, entries: Iterable[Entry], study: str) -> "Account | None":
        """Return the account of a study, None if no entry opened it.

        Raises ``LedgerTamperedError`` for an entry that no charge could have written: one that is
        above its total, twice there, or that refers to nothing.
        """
        found: Account | None = None
        charges: dict[int, Charge] = {}
        sums: dict[str | None, Amounts] = {}
        for entry in entries:
            if entry.body.get("study") != study:
                continue
            try:
                found = _after(entry, found, charges, sums)
            except (DpwermError, KeyError, TypeError, ValueError):
                raise LedgerTamperedError(
                    f"entry {entry.number} of the ledger is none that a charge of "
                    f"study {study} could have left there"
                ) from None
        return found and replace(found, charges=tuple(charges.values()))

    def spent(self, partition: str | None = None) -> Amounts:
        """Return what a partition has spent; of everybody: the most in each currency."""
        everybody = self.sums.get(None, NOTHING)
        if partition is not None:
            return everybody + self.sums.get(partition, NOTHING)
        partitions = (amounts for name, amounts in self.sums.items() if name is not None)
        return everybody + reduce(Amounts.largest, partitions, NOTHING)

    def left(self, partition: str | None = None) -> Amounts:
        """Return what a charge for a partition, or for everybody, can still cost."""
        return self.total.limits - self.spent(partition)

    def balance(self) -> list[tuple[str, Decimal, Decimal, Decimal]]:
        """Return each currency with total, spent and left, for the fullest partition."""
        spent, left = self.spent().decimals(up=True), self.left().decimals(up=False)
        used = self.total.used
        return [(name, getattr(self.total, name), spent[name], left[name]) for name in used]

    def refusal(
        self, cost: AnyBudget, partition: str | None = None, where: str = "[budget]"
    ) -> str | None:
        """Return why a release does not fit, and what would; None if it fits.

        where : what holds the total, in words
        """
        if partition is not None and partition not in self.partitions:
            known = ", ".join(self.partitions) or "it has none"
            return f"{partition} is no partition of the study ({known})"
        purse = self.total.purse(cost)
        if not getattr(self.total, purse):
            return no_purse(cost, self.total, where)
        if self.total.amounts(cost).fits(self.left(partition)):
            return None
        whose = "" if partition is None else f" for partition {partition}"
        if partition is None and len(self.sums.keys() - {None}):
            whose = " beside the fullest partition"
        advice = would_fit(cost, self.left(partition), self.total)
        return f"{cost} is more than is left of {self.total}{whose}: {advice}"


def studies_in(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the ids of the studies that a ledger knows, in the order they were opened."""
    return tuple(str(entry.body["study"]) for entry in entries if entry.body["kind"] == "opened")


def _after(
    entry: Entry,
    account: Account | None,
    charges: dict[int, Charge],
    sums: dict[str | None, Amounts],
) -> Account:
    """Return the account after one more entry, whose charge goes into ``charges`` and ``sums``."""
    body: Mapping[str, Any] = entry.body
    kind, number = body["kind"], entry.number
    _demand((account is None) == (kind == "opened"))
    if account is None:
        study, relation = str(body["study"]), str(body["relation"])
        total = Total.from_plain(body["total"])
        return Account(study, relation, total, _partitions(body), opened=number, sums=sums)
    if kind == "total":
        total, reason = Total.from_plain(body["total"]), body["reason"]
        _demand(isinstance(reason, str))
        change = TotalChange(number, str(body["date"]), total, one_line(reason))
        totals = (*account.totals, change)
        new = replace(account, total=total, partitions=_partitions(body), totals=totals)
        _demand(unpayable(new) is None)
        return new
    if kind == "charged":
        cost = only_budget(**body["cost"])
        partition = None if body["slot"] is None else str(body["slot"])
        _demand(account.refusal(cost, partition) is None)
        what, library, date = (str(body[key]) for key in ("what", "library", "date"))
        paid = account.total.amounts(cost)
        charges[number] = Charge(number, partition, cost, paid, what, library, date)
        sums[partition] = sums.get(partition, NOTHING) + paid
        return account
    of = body["charge"]
    _demand(kind == "released" and isinstance(of, int) and charges[of].digest is None)
    charges[of] = replace(charges[of], digest=str(body["digest"]))
    return account


def _demand(possible: bool) -> None:
    if not possible:
        raise ParameterError("no charge could have left this")


def _partitions(body: Mapping[str, Any]) -> tuple[str, ...]:
    partitions = body["slots"]
    _demand(isinstance(partitions, Sequence) and not isinstance(partitions, str))
    return tuple(str(partition) for partition in partitions)


def unpayable(account: Account) -> str | None:
    """Return why what is spent does not fit an account's total and partitions, None if it does."""
    gone = sorted(str(name) for name in account.sums.keys() - {None, *account.partitions})
    if gone:
        return f"partition {gone[0]} was charged and cannot be left out"
    spent = account.spent()
    if spent.fits(account.total.limits):
        return None
    shown = spent.decimals(up=True)
    words = ", ".join(f"{name} = {value}" for name, value in shown.items() if value)
    return f"{words} is spent already, more than a total of {account.total}"


def differs(declared: Account, recorded: Account) -> bool:
    """Whether totals or partitions differ; the order of partitions means nothing."""
    return (declared.total, set(declared.partitions)) != (recorded.total, set(recorded.partitions))


def name_of(what: str, value: object) -> str:
    """Return a name, or say what a name is; what: "study" or "a partition"."""
    if not isinstance(value, str) or not IDENTIFIER.fullmatch(value):
        raise ParameterError(
            f"{what} must be 1 to 64 of a-z, 0-9, dot, dash, underscore, beginning with a letter "
            "or digit"
        )
    return value


def partition_names(partitions: Sequence[str]) -> tuple[str, ...]:
    """Return the names of partitions, each once."""
    if isinstance(partitions, str) or len(partitions) > MAX_PARTITIONS:
        raise ParameterError(f"partitions must be a list of at most {MAX_PARTITIONS:,} names")
    names = tuple(name_of("a partition", partition) for partition in partitions)
    if len(set(names)) < len(names):
        raise ParameterError("partitions names a partition twice")
    return names


def today() -> str:
    """Return the day in Greenwich, such as "2026-11-16"; nothing depends on it."""
    return datetime.now(UTC).date().isoformat()


def opened(account: Account) -> Body:
    """Return the entry that opens an account: its relation, its total and its partitions."""
    return _limits("opened", account) | {"relation": account.relation}


def new_total(account: Account, reason: str) -> Body:
    """Return the entry that gives an account another total and other partitions."""
    return _limits("total", account) | {"reason": reason}


def _limits(kind: str, account: Account) -> Body:
    total, partitions = account.total.plain(), list(account.partitions)
    return {
        "kind": kind,
        "study": account.study,
        "total": total,
        "slots": partitions,
        "date": today(),
    }


def charged(study: str, partition: str | None, cost: AnyBudget, what: str, key: str) -> Body:
    """Return the entry of a charge; ``key`` is the public one that will sign the release."""
    paid = {
        "slot": partition,
        "cost": cost.plain(),
        "what": what,
        "library": f"dpwerm {__version__}",
    }
    return {"kind": "charged", "study": study, "date": today(), **paid, "key": key}


def released(study: str, charge: int, digest: str) -> Body:
    """Return the entry of a release that somebody attached later, by hand."""
    return {"kind": "released", "study": study, "charge": charge, "digest": digest}
