"""The public side of a fit follows from parameters and study, and a ledger is asked last."""

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.estimators.observational import STUDY, arrays, by_study, columns
from tests.unit.estimators.till import Till

from dpwerm.errors import BudgetError, ParameterError
from dpwerm.estimators import treatment_rule
from dpwerm.estimators.parameters import (
    choices_of,
    declaration_of,
    privacy_filter_in,
    problem_of,
)
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.ledger.entry import Total


def test_parameters_are_checked_before_a_ledger_is_asked() -> None:
    refusing = Till(refuses="early")
    with pytest.raises(BudgetError):
        by_study(ledger=refusing).check_parameters()
    with pytest.raises(ParameterError, match="gamma"):
        by_study(ledger=refusing, gamma=-1).check_parameters()
    with pytest.raises(ParameterError, match="gamma"):
        by_study(ledger=refusing, gamma=1e-9, mechanism="objective-l2").check_parameters()
    by_study(ledger=Till(total=Total.of(2))).check_parameters()


def test_a_payment_is_for_the_relation_of_the_fit() -> None:
    removed = {"relation": "add_remove", "planned_n": 60}
    assert privacy_filter_in(arrays(ledger=Till(relation="add_remove"), **removed), "rule").secure
    for estimator in (
        arrays(ledger=Till(relation="add_remove")),
        arrays(ledger=Till(), **removed),
        by_study(ledger=Till(relation="add_remove")),
    ):
        with pytest.raises(ParameterError, match="do not add up"):
            privacy_filter_in(estimator, "rule")


def test_the_problem_is_what_the_study_and_the_parameters_say() -> None:
    estimator = by_study("0.5")
    assert estimator.study is not None
    declaration, encoding = declaration_of(estimator), estimator.study.encoding()
    problem = problem_of(estimator, declaration, encoding)
    assert (problem.spec.budget, problem.spec.relation) == (Budget.of("0.5"), Relation.REPLACE_ONE)
    assert (problem.hyperparameters.gamma, problem.planned_n) == (50.0, None)
    assert (problem.declaration, problem.encoding) == (declaration, encoding)
    assert problem.own(60).spec.budget == Budget.of("0.25")


def test_what_was_found_right_is_the_problem_of_the_fit() -> None:
    estimator = by_study("0.5")
    assert estimator.study is not None
    known = estimator.check_parameters()
    declaration = declaration_of(estimator)
    assert known.declaration == declaration
    assert known.problem == problem_of(estimator, declaration, estimator.study.encoding())
    assert known.privacy_filter.secure
    assert arrays().check_parameters().problem is None  # its columns come with the rows


def test_the_planned_number_is_the_study_s_if_there_is_one() -> None:
    text = STUDY.replace('id = "small"', 'id = "small"\nplanned_n = 45')
    for estimator, planned in (
        (arrays(), None),
        (arrays(planned_n=60), 60),
        (by_study(text=text), 45),
    ):
        assert choices_of(estimator, declaration_of(estimator))[2] == planned
    for wrong in (0, 2.5, "60"):
        with pytest.raises(ParameterError, match="planned_n"):
            arrays(planned_n=wrong).check_parameters()


def test_what_was_checked_is_not_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    till = Till(total=Total.of(2))
    study, plain = by_study(ledger=till), arrays(ledger=till)
    known = [study.check_parameters(), plain.check_parameters()]
    assert till.events == []

    def twice(*_: object) -> None:
        raise AssertionError("checked twice")

    monkeypatch.setattr(treatment_rule, "checked_problem", twice)
    data = columns()
    study.fit(pa.table(data), checked=known[0])
    X = np.column_stack([data["x"], data["z"]])
    plain.fit(X, data["arm"], data["outcome"], checked=known[1])
    assert till.charges == [(Budget.of(1), "rule")] * 2
    with pytest.raises(AssertionError, match="checked twice"):
        study.fit(pa.table(data))
