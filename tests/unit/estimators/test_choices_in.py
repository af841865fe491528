import pytest
from tests.unit.estimators.observational import arrays, by_study
from tests.unit.estimators.till import Till

from dpwerm.errors import BudgetError, ParameterError
from dpwerm.estimators.parameters import check_choices, declaration_of, payment_in, wanted_in
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.relation import Relation


def test_parameters_are_checked_before_a_ledger_is_asked() -> None:
    refusing = Till(refuses="early")
    check_choices(by_study(ledger=refusing))
    with pytest.raises(BudgetError):
        by_study(ledger=refusing).check_parameters()
    with pytest.raises(ParameterError, match="gamma"):
        by_study(ledger=refusing, gamma=-1).check_parameters()


def test_a_payment_is_for_the_relation_of_the_fit() -> None:
    removed = {"relation": "add_remove", "planned_n": 60}
    assert payment_in(arrays(ledger=Till(relation="add_remove"), **removed), "rule").secure
    for estimator in (
        arrays(ledger=Till(relation="add_remove")),
        arrays(ledger=Till(), **removed),
        by_study(ledger=Till(relation="add_remove")),
    ):
        with pytest.raises(ParameterError, match="do not add up"):
            payment_in(estimator, "rule")


def test_what_is_wanted_is_what_the_study_and_the_parameters_say() -> None:
    estimator = by_study("0.5")
    assert estimator.study is not None
    wanted = wanted_in(estimator, declaration_of(estimator), estimator.study.encoding())
    assert (wanted.spec.budget, wanted.spec.relation) == (Budget.of("0.5"), Relation.REPLACE_ONE)
    assert (wanted.asked.gamma, wanted.asked.planned_n) == (50.0, None)
    assert wanted.rule_spec(60).budget == Budget.of("0.25")
