"""A study's account in a ledger: charged before noise is drawn, refused when the total is reached.

    ledger.charge(cost) → the charge is on disk → receipt → noise

The total is declared by whoever opens the ledger and recorded by ``open`` or by the first charge.
From then on both must agree; ``change_total`` records a new one with its reason, and history stays.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from dpwerm.errors import BudgetError, LedgerError, LedgerTamperedError, ParameterError
from dpwerm.parameters import one_of
from dpwerm.privacy.budget import AnyBudget, Relation, Written
from dpwerm.privacy.ledger import account as bodies
from dpwerm.privacy.ledger.account import Account, differs, name_of, partition_names, unpayable
from dpwerm.privacy.ledger.book import Signed
from dpwerm.privacy.ledger.database import Guarded, SqliteDatabase
from dpwerm.privacy.ledger.entry import CURRENCIES, WHAT, Entry, Total
from dpwerm.privacy.ledger.onetime import DIGEST, OneTimeKey
from dpwerm.privacy.ledger.store import DEFAULT, Store, database_of, refuse_elsewhere
from dpwerm.privacy.randomness import Receipt
from dpwerm.study.study import Study


class _OpenAlreadyError(Exception):
    """The study has an account."""


class Place(NamedTuple):
    """Where a total is declared: what holds it, the same at length, what records a change."""

    where: str
    whole: str
    record: str


STUDY_FILE = Place("[budget]", "[budget] in the study file", "`dpwerm ledger total STUDY`")
CODE = Place("Ledger(...)", "the total in Ledger(...)", "`change_total(reason)` of that ledger")


def refuse_relation(declared: Account, recorded: Account) -> None:
    """Raise if the study was opened for another relation: costs under both do not add up."""
    if recorded.relation != declared.relation:
        raise BudgetError(
            f"Refused by the budget: study {recorded.study} was opened for relation "
            f"{recorded.relation}, and costs under {declared.relation} do not add up with those.\n"
            "The relation of a study cannot change once it was charged."
        )


def _words(account: Account) -> str:
    partitions = f" with partitions {', '.join(account.partitions)}" if account.partitions else ""
    return f"{account.total}{partitions}"


@dataclass
class Memory:
    """What a process knows of a ledger, for an account and its partitions.

    ``last`` is the last entry that it wrote or read, ``account`` the account after the entry of a
    hash, ``keys`` by charge those that will sign a release, which nobody else has.
    """

    last: Entry | None = None
    account: tuple[str, Account | None] = ("", None)
    keys: dict[int, OneTimeKey] = field(default_factory=dict, repr=False)


def check_memory(entries: Sequence[Entry], last: Entry | None) -> None:
    """Raise unless the ledger still holds the entry that was ``last`` before it was read.

    A ledger that was deleted, replaced or set back to an old copy has forgotten charges. Within the
    life of one object that is noticed; afterwards only by a head that was written down.
    """
    if last is not None and not holds(entries, last.number, last.hash):
        raise LedgerTamperedError(
            f"the ledger no longer holds entry {last.number}, which it held before: it was "
            "deleted, replaced or set back to an old copy"
        )


def holds(entries: Sequence[Entry], number: int, digest: str) -> bool:
    """Whether entries from the first on hold one of this number and hash."""
    return number <= len(entries) and entries[number - 1].hash == digest


class Ledger(Guarded):
    """The account of one study in a ledger.

    Parameters
    ----------
    url : "sqlite:///ledger.db" or "postgresql://user@host/database"
    study : id of the study, 1 to 64 of a-z, 0-9, dot, dash, underscore
    epsilon, delta, rho, mu : the total in each currency, see ``Total``; at least one above 0
    relation : "replace_one" or "add_remove"
    partitions : names of parts of the people, nobody in two, fixed before the data is read
    folder : Path, against which a relative SQLite path is resolved

    Attributes
    ----------
    kind : "sqlite" or "postgresql"
    shown : the ledger for reading, without user and password
    study_id : the id of the study
    declared : Account as declared, with nothing spent
    charged_partition : the part of the people that is charged, None for everybody
    memory : what this object and its partitions know of the ledger

    Examples
    --------
    >>> ledger = Ledger("sqlite:////data/ledger.db", study="sleep-trial", epsilon=2)
    >>> ledger
    Ledger(sqlite ledger.db, study sleep-trial, epsilon = 2)
    """

    def __init__(
        self,
        url: str,
        *,
        study: str,
        epsilon: Written = 0,
        delta: Written = 0,
        rho: Written = 0,
        mu: Written = 0,
        relation: str = "replace_one",
        partitions: Sequence[str] = (),
        folder: Path | None = None,
    ) -> None:
        self.store = Store(database_of(url, folder))
        self.kind, self.shown = self.store.database.kind, self.store.database.shown
        self.memory = Memory()
        self.charged_partition: str | None = None
        self._place = CODE
        self.study_id = name_of("study", study)
        total = Total.of(epsilon, delta, rho, mu)
        relation = str(Relation.of(relation))
        self.declared = Account(self.study_id, relation, total, partition_names(partitions))

    @classmethod
    def of_study(cls, study: Study, url: str | None = None) -> "Ledger":
        """Return the account of a study in the ledger it names, by default one beside its file.

        ``url`` may add a user and a password to the study's own address, or stand in for one that
        is not declared; it cannot name another database, see ``refuse_elsewhere``.
        """
        budget = study.budget
        if budget is None:
            raise ParameterError(
                f"study {study.id} declares no [budget], so nothing can be charged to it: declare "
                'one, or say ledger="none" for a release that is not added up with others'
            )
        ledger = cls(
            url or budget.ledger or DEFAULT,
            study=study.id,
            **{name: getattr(budget, name) for name in CURRENCIES},
            relation=study.relation,
            partitions=budget.partitions,
            folder=study.folder,
        )
        ledger._place = STUDY_FILE
        refuse_elsewhere(study, ledger.store.database)
        return ledger

    def __repr__(self) -> str:
        partition = f", partition {self.charged_partition}" if self.charged_partition else ""
        return f"Ledger({self.shown}, study {self.study_id}, {self.declared.total}{partition})"

    def is_at(self, path: Path) -> bool:
        """Whether the ledger is, or will be, this file or one that SQLite keeps beside it."""
        names = {path.name.removesuffix(ending) for ending in ("", "-journal", "-wal", "-shm")}
        places = {SqliteDatabase(path.with_name(name)).place for name in names if name}
        return self.store.database.place in places

    def partition(self, name: str) -> "Ledger":
        """Return the same ledger, which charges one partition and not everybody."""
        if name not in self.declared.partitions:
            known = ", ".join(self.declared.partitions) or "the study declares none"
            raise ParameterError(f"partition must be one of the study's partitions: {known}")
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.charged_partition = name
        return other

    def account(self) -> Account:
        """Return the state of the study now; before the first charge nothing is spent."""
        last = self.memory.last  # another thread may charge while this one reads
        book = self.store.book()
        self._remember(book.entries, last)
        return book.account(self.study_id) or self.declared

    def history(self) -> tuple[Entry, ...]:
        """Return the entries of this study."""
        return tuple(entry for entry in self._entries() if entry.body.get("study") == self.study_id)

    def refuse_over(self, cost: AnyBudget) -> None:
        """Raise ``BudgetError`` if a release does not fit now; reads only, and charges nothing."""
        if cost.is_private:
            self._refuse(self._account_in(self._entries()), cost)

    def open(self) -> bool:
        """Make the tables and the study's account; whether it was not open before.

        Charges no longer need the right to make tables then. Nothing is spent.
        """
        self.store.begin()
        recorded = self.account()
        self._refuse_changed(recorded)
        if recorded.opened is not None:
            return False

        def opened(account: Account, _: Sequence[Entry]) -> bodies.Body:
            if account.opened is not None:
                raise _OpenAlreadyError
            return bodies.opened(account)

        try:
            self._append(opened)
        except _OpenAlreadyError:  # by somebody else, just now
            return False
        return True

    def charge(self, cost: AnyBudget, what: str) -> Receipt:
        """Record a cost durably and return the receipt, or raise: then nothing may be drawn.

        Parameters
        ----------
        cost : Budget or GaussianBudget, private
        what : "rule", "tuned rule", "value" or "classifier"
        """
        one_of("what", what, WHAT)
        if not cost.is_private:
            raise ParameterError("epsilon = inf promises nothing: there is nothing to charge")
        ledger, key = "", OneTimeKey()

        def paid(account: Account, entries: Sequence[Entry]) -> bodies.Body:
            nonlocal ledger
            ledger = _ledger_id(entries)
            self._refuse(account, cost)
            if account.opened is None:
                return bodies.opened(account)
            return bodies.charged(self.study_id, self.charged_partition, cost, what, key.public)

        entry = self._append(paid)
        if entry.body["kind"] == "opened":
            entry = self._append(paid)
        if entry.body["kind"] == "opened":
            raise LedgerError(f"{self.shown} lost the opening of study {self.study_id}")
        self.memory.keys[entry.number] = key
        return Receipt(self.kind, ledger, entry.number, entry.hash)

    def attach(self, receipt: Receipt, digest: str) -> None:
        """Record which release a charge paid for, once; the same digest again changes nothing.

        Who made the charge signs the digest, and the chain stays as it is. Anybody else, later, has
        no key: then the digest is an entry of its own, whose place shows when it was attached.
        """
        if not DIGEST.fullmatch(digest):
            raise ParameterError('digest must be "sha256:" and 64 hexadecimal digits')
        key = self.memory.keys.get(receipt.entry)

        def released(entries: Sequence[Entry], signed: str | None) -> bodies.Body | None:
            check_memory(entries, self.memory.last)
            charges = self._account_in(entries).charges
            charge = next((one for one in charges if one.number == receipt.entry), None)
            here = receipt.ledger == _ledger_id(entries)
            if charge is None or not (here and holds(entries, receipt.entry, receipt.hash)):
                raise ParameterError(f"{receipt} is no charge of study {self.study_id} here")
            known = signed or charge.digest
            if known not in (None, digest):
                raise ParameterError(f"{receipt} already paid for another release")
            return bodies.released(self.study_id, receipt.entry, digest) if known is None else None

        sign = None if key is None else (lambda: Signed(digest, key.sign(digest)))
        entry = self.store.attach(receipt.entry, released, sign)
        self.memory.last = entry or self.memory.last
        self.memory.keys.pop(receipt.entry, None)

    def change_total(self, reason: str) -> None:
        """Record the declared total and partitions as the study's new ones.

        Refused below what is spent, without a partition that was charged, and for another relation.
        """
        reason = str(reason).strip()
        if not reason or len(reason) > 1_000 or not reason.isprintable():
            raise ParameterError("reason must be a line of 1 to 1,000 characters: why it changes")

        def changed(account: Account, _: Sequence[Entry]) -> bodies.Body:
            if account.opened is None:
                raise ParameterError(
                    f"study {self.study_id} has no charge yet: its first one, or `dpwerm ledger "
                    "open STUDY`, records the total"
                )
            refuse_relation(self.declared, account)
            if not differs(self.declared, account):
                raise ParameterError(f"the ledger already records this total: {account.total}")
            new = replace(account, total=self.declared.total, partitions=self.declared.partitions)
            if (problem := unpayable(new)) is not None:
                raise BudgetError(f"Refused by the budget: {problem}.")
            return bodies.new_total(new, reason)

        self._append(changed)

    def _refuse(self, recorded: Account, cost: AnyBudget) -> None:
        """Raise unless the ledger has the declared total and the cost fits into what is left."""
        self._refuse_changed(recorded)
        place = self._place
        if (refusal := recorded.refusal(cost, self.charged_partition, place.where)) is not None:
            raise BudgetError(
                f"Refused by the budget: {refusal}.\n"
                f"Ask for less, or change {place.whole} with your ethics board; "
                f"{place.record} records the change."
            )

    def _refuse_changed(self, recorded: Account) -> None:
        """Raise unless the ledger has the declared relation and total."""
        declared, place = self.declared, self._place
        refuse_relation(declared, recorded)
        if differs(declared, recorded):
            raise BudgetError(
                f"Refused by the budget: the ledger records a total of {_words(recorded)}, "
                f"the study declares {_words(declared)}.\n"
                f"A changed total holds once {place.record} has recorded it, with its reason."
            )

    def _append(self, body_of: Callable[[Account, Sequence[Entry]], bodies.Body]) -> Entry:
        """Append what the account and the entries at that moment ask for."""

        def decide(entries: tuple[Entry, ...]) -> bodies.Body:
            check_memory(entries, self.memory.last)
            return body_of(self._account_in(entries), entries)

        entry = self.memory.last = self.store.append(decide)
        return entry

    def _entries(self) -> tuple[Entry, ...]:
        """Return the ledger's entries once they verify."""
        last = self.memory.last  # another thread may charge while this one reads
        entries = self.store.verified()
        self._remember(entries, last)
        return entries

    def _remember(self, entries: Sequence[Entry], last: Entry | None) -> None:
        """Take note of entries that were read after ``last`` was the last one known."""
        check_memory(entries, last)
        if entries and self.memory.last is last:
            self.memory.last = entries[-1]

    def _account_in(self, entries: Sequence[Entry]) -> Account:
        """Return the account in verified entries, of which the last hash tells everything."""
        head = entries[-1].hash if entries else ""
        known, account = self.memory.account
        if known != head:
            account = Account.of(entries, self.study_id)
            self.memory.account = head, account
        return account or self.declared


def _ledger_id(entries: Sequence[Entry]) -> str:
    """Return the name that the first entry gives a ledger."""
    return str(entries[0].body["ledger"])
