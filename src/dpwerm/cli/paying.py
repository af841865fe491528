"""Who keeps the account of a release, its entries, and the one question before spending."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from dpwerm.cli.console import CHARGED, NOT_CHARGED, agree, complain, say
from dpwerm.errors import BudgetError, LedgerWarning, ParameterError
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.filter import NO_LEDGER
from dpwerm.privacy.ledger.url import LedgerAddress
from dpwerm.study.study import Study
from dpwerm.text import one_line

if TYPE_CHECKING:
    from dpwerm.privacy.ledger.entry import Entry
    from dpwerm.privacy.ledger.ledger import Ledger
    from dpwerm.privacy.ledger.store import Store
    from dpwerm.releases.kinds import Finding, Released

VARIABLE = "DPWERM_LEDGER"
URL_HELP = (
    "sqlite:///file.db or postgresql://host/database; the study's own if left out. "
    f"A password belongs in {VARIABLE}, PGPASSWORD or ~/.pgpass, never on the command line."
)

LedgerUrl = Annotated[str | None, typer.Option("--ledger", help=URL_HELP)]
LedgerOrNone = Annotated[
    str | None, typer.Option("--ledger", help=f"{URL_HELP} none: the release is added to nothing.")
]
Slot = Annotated[
    str | None,
    typer.Option("--slot", help="The part of the people that the table is, if [budget] has slots."),
]

Paid: TypeAlias = "Ledger | str | None"


def url_of(option: str | None) -> str | None:
    """Return the ledger that the command line or the environment names.

    Only the command line can say that there is none: a forgotten variable must not. It cannot give
    a password: everybody on the machine can read it there.
    """
    if option is not None:
        if option != NO_LEDGER and LedgerAddress.of(option, Path.cwd()).has_password:
            raise ParameterError(
                "a password on the command line can be read by everybody on this machine: put it "
                f"into {VARIABLE}, PGPASSWORD or ~/.pgpass"
            )
        return option
    found = os.environ.get(VARIABLE) or None
    if found == NO_LEDGER:
        raise ParameterError(f"{VARIABLE} cannot be none: say --ledger none on the command line")
    return found


def ledger_of(study: Study, option: str | None) -> "Ledger":
    """Return the ledger of a study, for commands that look into it."""
    from dpwerm.privacy.ledger.ledger import Ledger

    return Ledger.of_study(study, url_of(option))


def payer(study: Study, option: str | None, slot: str | None, *, private: bool) -> Paid:
    """Return what is charged for a release: a ledger, "none", or nothing if it is not private."""
    if not private:
        if slot is not None or option not in (None, NO_LEDGER):
            raise ParameterError(
                "a result from a seed or without noise is not private and is never charged: "
                "leave out --ledger and --slot"
            )
        return None
    if option == NO_LEDGER:
        if slot is not None:
            raise ParameterError("--slot is charged in a ledger, and --ledger none has none")
        return NO_LEDGER
    if study.budget is None:
        raise ParameterError(
            "the study file has no [budget], so there is no total to charge. Declare one, such as "
            "[budget] with epsilon = 2; or add --ledger none if this release need not be added up "
            "with others"
        )
    ledger = ledger_of(study, option)
    return ledger if slot is None else ledger.slot(slot)


def spare(paid: Paid, *written: Path) -> None:
    """Raise if a file to be written is the ledger's own, which the first charge may yet make."""
    if paid is None or isinstance(paid, str):
        return
    for path in written:
        if paid.is_at(path):
            raise ParameterError(f"{path} is where the ledger is: give another name")


def ask(question: str, ledger: Paid, cost: AnyBudget, *, yes: bool) -> None:
    """Show what a release costs and leaves, refuse one that is too much, and ask once."""
    agree(question, yes=yes, before=_preview(ledger, cost))


def _preview(ledger: Paid, cost: AnyBudget) -> list[str]:
    if ledger is None:
        return []
    if isinstance(ledger, str):
        return ["No ledger: this release will not be added up with others.", ""]
    # SQLAlchemy takes a moment to load; a release without a ledger does without it.
    from dpwerm.documents.ledger import preview_lines

    ledger.refuse_over(cost)
    return preview_lines(ledger.account(), cost, ledger.charged_slot, ledger.shown)


def _note(error: Exception, ledger: "Ledger") -> None:
    """Note whether the ledger was charged; of a charge that broke off only its own error tells."""
    if ledger.charges_made:
        error.add_note(CHARGED)
    elif not ledger.charges_begun or isinstance(error, BudgetError):
        error.add_note(NOT_CHARGED)


@contextmanager
def told(ledger: Paid) -> Iterator[None]:
    """Say on standard error, in plain words, what a release warns of after it was paid for.

    An error gets a note on whether the ledger was charged before it.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LedgerWarning)
        try:
            yield
        except Exception as error:
            if not (ledger is None or isinstance(ledger, str)):
                _note(error, ledger)
            raise
    for one in caught:
        if issubclass(one.category, LedgerWarning):
            complain(str(one.message))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def store_of(study: Study, option: str | None) -> "Store":
    """Return where a study's entries are; another database than the study's is refused."""
    # SQLAlchemy takes a moment to load; commands without a ledger do without it.
    from dpwerm.privacy.ledger.store import DEFAULT, Store

    ledger_of(study, option)
    named = study.budget.ledger if study.budget else None
    return Store(LedgerAddress.of(url_of(option) or named or DEFAULT, study.folder))


def store_at(url: str) -> "Store":
    """Return the entries at an address; a relative file is beside the command."""
    from dpwerm.privacy.ledger.store import Store

    return Store(LedgerAddress.of(url, Path.cwd()))


def entries_in(store: "Store") -> "tuple[Entry, ...]":
    """Return all entries of a ledger, or raise with every fault."""
    return store.verified()


# -- what commands do with a release ---------------------------------------------------------


class WordsError(Exception):
    """A release is made and written, and only what is said of it failed."""


def hand_over(release: object, path: Path, words: Callable[[], str]) -> None:
    """Write a release, then say what it is; nothing that was paid for is lost to what follows it.

    A release that cannot be written is printed. Where its words fail, the file and the charge that
    paid for it are named all the same.
    """
    # Records take a moment to load; commands that release nothing do without them.
    from dpwerm.releases.kinds import kind_of

    kind = kind_of(release)
    try:
        kind.write(release, path)
    except OSError as error:
        complain(f"{path} could not be written ({error.strerror}).")
        complain(_paid(kind.released(release)))
        complain("Its whole content follows on standard output: keep it as a file.")
        say(kind.ascii(release))
        raise
    try:
        text = words()
    except Exception as error:
        complain(f"Wrote {path}, but could not say what is in it.")
        complain(_paid(kind.released(release)))
        complain(f"Nothing of it is lost; check it with: dpwerm verify {path}")
        raise WordsError().with_traceback(error.__traceback__) from error
    say(text)
    say(f"Wrote {path}. Anybody can check its numbers with: dpwerm verify {path}")


def _paid(found: "Released") -> str:
    """Return which charge paid for a release, in words."""
    if found.receipt is None:
        return "No ledger was charged for it."
    return f"The release is paid for: {found.budget}, by {found.receipt}."


def complain_of(wrong: "Iterable[Finding]") -> None:
    """Print each check that does not hold, in one line."""
    for finding in wrong:
        recorded, derived = shown(finding.recorded), shown(finding.derived)
        complain(one_line(f"  WRONG  {finding.what}: recorded {recorded}, derived {derived}"))


def shown(value: object) -> str:
    """Return a value for reading; of a budget, each part by its name."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {value[name]}" for name in sorted(value, reverse=True))
    return str(value)
