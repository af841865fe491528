"""How a fit pays for its noise: with a ledger that suits it, and afterwards with a digest.

    ledger, relation, cost → privacy filter → bits → release → kept → digest beside the charge

A study pays with the ledger that is given, or with its own. What was paid for is kept before
anything else can fail, and an error that ends a fit says what became of the charge.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

from dpwerm.errors import CHARGE_NOTES, BudgetError, DpwermError, LedgerWarning, ParameterError
from dpwerm.privacy.budget import AnyBudget, Relation
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import Total
from dpwerm.privacy.randomness import (
    NO_LEDGER,
    Chargeable,
    Charged,
    PrivacyFilter,
    Receipt,
    Unrecorded,
    privacy_filter_for,
)
from dpwerm.releases.files import digest_of
from dpwerm.study.study import Study


@runtime_checkable
class StudyLedger(Chargeable, Protocol):
    """What a fit asks of a ledger; its total is for one study and one neighbouring relation."""

    @property
    def declared(self) -> Account:
        """The study, its total and its relation, with nothing spent."""

    def refuse_over(self, cost: AnyBudget) -> None:
        """Raise if less than the cost is left; nothing is recorded."""


def privacy_filter_of(
    ledger: Any,
    budget: AnyBudget,
    random_state: int | None,
    what: str,
    *,
    relation: Relation,
    study: Study | None = None,
    study_id: str = "",
) -> PrivacyFilter:
    """Return how a release is paid for; what cannot be charged is refused before a row is read.

    ledger : a Ledger; "none", with which the release is added up with no other, but alone must
        still be within the total that the study declares; or None for the study's own, or for
        nothing where a seed or ε = ∞ allows that
    budget : what is asked; the cost is at most this
    what : "rule", "tuned rule", "value" or "classifier"
    relation : of the release; amounts under another one cannot be added
    study_id : of the study that the release names, empty if it names none
    """
    if study is not None and budget.is_private and Unrecorded(random_state).secure:
        study_id = study.id
        if ledger is None:
            # SQLAlchemy takes a while to load; a fit that charges nothing does without it.
            from dpwerm.privacy.ledger.ledger import Ledger

            ledger = Ledger.of_study(study)
        elif isinstance(ledger, str) and ledger == NO_LEDGER:
            _refuse_alone(study, budget)
    if not (ledger is None or isinstance(ledger, str | StudyLedger)):
        raise ParameterError(
            f'ledger must be a Ledger or the word "{NO_LEDGER}", not {type(ledger).__name__}'
        )
    privacy_filter = privacy_filter_for(ledger, budget, random_state, what)
    if isinstance(privacy_filter, Charged) and isinstance(ledger, StudyLedger):
        _refuse_other(ledger.declared, relation, study_id)
        ledger.refuse_over(budget)
        total = None if study is None else _total(study)
        if total not in (None, ledger.declared.total):
            raise ParameterError(
                f"the ledger's total is {ledger.declared.total}, the study declares {total}: give "
                "Ledger.of_study(study)"
            )
    return privacy_filter


def _refuse_other(declared: Account, relation: Relation, study_id: str) -> None:
    """Raise if a ledger is for another relation or another study than a release."""
    if declared.relation != relation:
        raise ParameterError(
            f"the ledger's total is for relation {declared.relation}, this release is for "
            f"{relation}: the two do not add up. Give a ledger for relation {relation}"
        )
    if study_id not in ("", declared.study):
        raise ParameterError(
            f"the ledger charges study {declared.study}, the release is of study {study_id}: "
            "give the ledger of that study"
        )


@contextmanager
def accounted(privacy_filter: PrivacyFilter) -> Iterator[PrivacyFilter]:
    """Give the filter of one fit; an error that ends it, an interrupt too, tells of the charge."""
    own = privacy_filter.begin()
    try:
        yield own
    except BaseException as error:
        others = [note for note in getattr(error, "__notes__", ()) if note not in CHARGE_NOTES]
        if (note := own.note(error)) is not None:
            error.__notes__ = [*others, note]
        raise


def forget(release: Any) -> None:
    """Keep a release nowhere but with the caller."""
    del release


def attach(
    privacy_filter: PrivacyFilter, receipt: Receipt | None, content: Callable[[], dict[str, Any]]
) -> None:
    """Record beside the charge which release it paid for, by the digest of its content.

    The release is made and paid for, so it must not be lost if this fails or is interrupted: a
    warning says so, and is shown even where warnings are errors.
    """
    if receipt is None:
        return
    try:
        privacy_filter.attach(receipt, digest_of(content()))
    except BaseException as error:  # noqa: BLE001 - whatever it is, the release stands
        reason = f" ({error})" if isinstance(error, DpwermError) else ""
        text = (
            f"The release stands and is paid for by {receipt}, but the ledger could not be told "
            f"which release that is{reason}. With its file, run: dpwerm ledger attach STUDY FILE"
        )
        with warnings.catch_warnings():
            warnings.simplefilter("always", LedgerWarning)
            warnings.warn(LedgerWarning(text), stacklevel=3)


def _refuse_alone(study: Study, budget: AnyBudget) -> None:
    """Raise if a release, whatever was spent before, is above the study's declared total."""
    total = _total(study)
    if total is None:
        return
    refusal = Account(study.id, study.relation, total).refusal(budget)
    if refusal is not None:
        raise BudgetError(
            f"Refused by the budget: {refusal}.\n"
            "Ask for less, or change [budget] in the study file with your ethics board."
        )


def _total(study: Study) -> Total | None:
    """Return the total that a study declares, None if it declares no [budget]."""
    asked = study.budget
    return None if asked is None else Total(asked.epsilon, asked.delta, asked.rho, asked.mu)
