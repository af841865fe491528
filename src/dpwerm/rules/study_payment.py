"""Which ledger pays for a release of a study: the one that is given, or the study's own."""

from typing import Any

from dpwerm.errors import BudgetError, ParameterError
from dpwerm.learn.charging import StudyLedger, payment_of
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.amounts import Total
from dpwerm.privacy.payment import NO_LEDGER, Charged, Payment, Unrecorded
from dpwerm.privacy.relation import Relation
from dpwerm.study.declaration import Study


def study_payment(
    ledger: Any,
    study: Study | None,
    budget: AnyBudget,
    random_state: int | None,
    what: str,
    *,
    relation: Relation,
    study_id: str = "",
) -> Payment:
    """Return how a release is paid for; the parameters are those of ``payment_of``.

    ledger: None for the study's own. With "none" the release is added up with no other, but alone
    it must still be within the total that the study declares.
    """
    if study is not None and budget.is_private and Unrecorded(random_state).secure:
        study_id = study.id
        if ledger is None:
            # SQLAlchemy takes a while to load; a fit that charges nothing does without it.
            from dpwerm.privacy.ledger.ledger import Ledger

            ledger = Ledger.of_study(study)
        elif isinstance(ledger, str) and ledger == NO_LEDGER:
            refuse_alone(study, budget)
    payment = payment_of(ledger, budget, random_state, what, relation=relation, study_id=study_id)
    if study is not None and isinstance(payment, Charged) and isinstance(ledger, StudyLedger):
        refuse_other_total(study, ledger.declared.total)
    return payment


def refuse_other_total(study: Study, total: Total) -> None:
    """Raise if a ledger was given another total than the study declares."""
    declared = _total(study)
    if declared is not None and declared != total:
        raise ParameterError(
            f"the ledger's total is {total}, the study declares {declared}: give "
            "Ledger.of_study(study)"
        )


def refuse_alone(study: Study, budget: AnyBudget) -> None:
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
    declared = study.budget
    if declared is None:
        return None
    return Total(declared.epsilon, declared.delta, declared.rho, declared.mu)
