"""Where the released range of the benefit is narrow, the other settled form of a fit is used."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.estimators.observational import columns
from tests.unit.test_problem import DESIGN, OPEN_GAMMA, Charged, Till, problem_of

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.errors import ParameterError
from dpwerm.fit import fit
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import Unrecorded
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Chosen
from dpwerm.releases.ranges import NARROW, Declared, Ranges, steps
from dpwerm.releases.release import Rule
from dpwerm.weighting.trial import Trial

N = 73
SHARES: dict[str, Any] = {"ranges": 0.25, "feature_ranges": 0.0, "guard": 0.0}


def chosen(reason: str) -> Chosen:
    return Chosen(settings=["gamma"], accuracy=0.9, reason=reason)


WIDE = Hyperparameters(
    "objective-block", None, 1.0, 1.0, 0.5, 0.0, chosen("wide"), "contrast", 0.5, mean=1.0, **SHARES
)
OTHER = replace(
    WIDE, estimator="arm-wise", width=0.25, main=1.0, mean=None, degree=1.0, guard=0.25,
    feature_ranges=0.125, saturation=2.0, chosen=chosen("narrow"),
)  # fmt: skip
BOTH = replace(WIDE, narrow=OTHER)


@pytest.fixture
def problem(monkeypatch: pytest.MonkeyPatch) -> Problem:
    monkeypatch.setattr("dpwerm.problem.settle", lambda *_, **__: BOTH)
    text = DESIGN.replace(*OPEN_GAMMA).replace("epsilon = 2", "epsilon = 5000")
    return problem_of(text, "4000")


def trial(outcome: np.ndarray) -> Trial:
    data = columns()
    arm = np.where(data["arm"] == "b", 1.0, -1.0)
    matrix = np.column_stack([data["x"], data["z"]])
    given = np.full(len(arm), 0.6)
    return Trial(arm, outcome, given, lambda one: one.encode_numbers(matrix))


def released(problem: Problem, outcome: np.ndarray) -> Rule:
    return fit(problem, trial(outcome), Unrecorded(1))


def test_benefits_that_fill_their_bounds_are_fitted_in_the_first_form(problem: Problem) -> None:
    rule = released(problem, np.linspace(0.0, 4.0, N))
    certificate = rule.release.certificate
    assert certificate.chosen is not None
    assert (certificate.chosen.reason, certificate.design.name) == ("wide", "contrast")
    assert certificate.loss.parameters["width"] == 0.5
    assert [one.of for one in rule.ranges] == ["benefit"]
    assert rule.guard is None
    assert certificate.budget == Budget.of("3000")


def test_benefits_in_a_small_part_of_them_in_the_second(problem: Problem) -> None:
    rule = released(problem, np.linspace(2.9, 3.1, N))
    certificate = rule.release.certificate
    assert certificate.chosen is not None
    assert (certificate.chosen.reason, certificate.design.name) == ("narrow", "arm-wise")
    assert certificate.loss.parameters["width"] == 0.25
    assert rule.release.encoding.saturation == 2.0
    assert [one.of for one in rule.ranges] == ["benefit", "features"]
    assert rule.guard is not None
    costs = [one.budget.epsilon for one in rule.ranges] + [rule.guard.budget.epsilon]
    assert isinstance(certificate.budget, Budget)
    assert sum(costs, certificate.budget.epsilon) == 4000
    assert rule.declaration.benefit.bounds == (0.0, 4.0)  # as declared


def test_the_charge_knows_nothing_of_which_it_will_be(problem: Problem) -> None:
    """Two tables that differ in everything but their size pay the same."""
    paid = []
    for outcome in (np.linspace(0.0, 4.0, N), np.full(N, 3.0)):
        till = Till()
        with pytest.raises(Charged):
            fit(problem, trial(outcome), till)
        paid.append(till.cost)
    assert paid == [Budget.of("4000")] * 2


def test_forms_that_cost_other_amounts_are_refused(problem: Problem) -> None:
    settled = problem.own(N).settled(N)
    assert settled.narrow is not None
    for budget in (Budget.of("3999"), Budget.of("1500", "1e-6")):
        dearer = replace(settled.narrow, spec=settled.narrow.spec.changed(budget=budget))
        with pytest.raises(ParameterError, match="cost the same"):
            _ = replace(settled, narrow=dearer).cost


@pytest.mark.parametrize("ranges", [0.0, 0.0625, 0.3])
def test_forms_that_pay_other_amounts_for_the_range_are_refused_before_the_charge(
    ranges: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both total the same ε: the first one's range would be drawn, and the second's rest spent."""
    unequal = replace(WIDE, narrow=replace(OTHER, ranges=ranges))
    monkeypatch.setattr("dpwerm.problem.settle", lambda *_, **__: unequal)
    text = DESIGN.replace(*OPEN_GAMMA).replace("epsilon = 2", "epsilon = 5000")
    till = Till()
    with pytest.raises(ParameterError, match="paid alike"):
        fit(problem_of(text, "4000"), trial(np.full(N, 3.0)), till)
    assert till.cost is None


def test_both_forms_must_make_a_claim_before_anything_is_charged(problem: Problem) -> None:
    settled = problem.own(N).settled(N)
    assert settled.narrow is not None
    small = settled.narrow.spec.changed(gamma=1e-12, budget=Budget.of("0.001"))
    broken = replace(settled, narrow=replace(settled.narrow, spec=small))
    settled.calibration(N)
    with pytest.raises(ParameterError):
        broken.calibration(N)


@pytest.mark.parametrize(("share", "narrow"), [(0.97, True), (1.03, False)])
def test_narrow_is_a_range_below_a_share_of_its_bounds(share: float, narrow: bool) -> None:
    n, budget = 10**6, Budget.of(1000)
    _, second = steps(1, budget)
    half = share * float(NARROW)
    deviation = round(half / 3 * n / 2.0**second.exponent)
    found = Ranges("benefit", (Declared("benefit", 0.0, 1.0),), n, budget, (0,), (deviation,))
    assert found.narrow is narrow
