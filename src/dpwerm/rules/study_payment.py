"""Which ledger pays for a release of a study: the one that is given, or the study's own."""

from typing import Any

from dpwerm.errors import BudgetError
from dpwerm.learn.charging import payment_of
from dpwerm.privacy.budget import AnyBudget
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.amounts import Total
from dpwerm.privacy.payment import NO_LEDGER, Payment, Unrecorded
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
    return payment_of(ledger, budget, random_state, what, relation=relation, study_id=study_id)


def refuse_alone(study: Study, budget: AnyBudget) -> None:
    """Raise if a release, whatever was spent before, is above the study's declared total."""
    declared = study.budget
    if declared is None:
        return
    total = Total(declared.epsilon, declared.delta, declared.rho, declared.mu)
    refusal = Account(study.id, study.relation, total).refusal(budget)
    if refusal is not None:
        raise BudgetError(
            f"Refused by the budget: {refusal}.\n"
            "Ask for less, or change [budget] in the study file with your ethics board."
        )
