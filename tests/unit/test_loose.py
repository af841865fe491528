"""Where the released tightness says that bounds are too wide, the other settled form is used."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.estimators.observational import columns
from tests.unit.test_problem import DESIGN, OPEN_GAMMA, Charged, Till, problem_of

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.errors import ParameterError
from dpwerm.fit import fit
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import Unrecorded
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Chosen
from dpwerm.releases.guard import Guard
from dpwerm.releases.parts import RANGES, SHARES
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import declared_findings, read_rule, write_rule
from dpwerm.releases.tightness import AMONG, TOGETHER, Filled
from dpwerm.weighting.trial import Trial

N = 73
PAID: dict[str, Any] = {
    "tightness": 0.25, "ranges": 0.0, "feature_ranges": 0.0, "guard": 0.0
}  # fmt: skip


def chosen(reason: str) -> Chosen:
    return Chosen(settings=["gamma"], accuracy=0.9, reason=reason)


FIRST = Hyperparameters(
    "objective-block", None, 1.0, 1.0, 0.5, 0.0, chosen(f"trials{AMONG[0]}"), "contrast", 0.5,
    mean=1.0, **PAID,
)  # fmt: skip
OTHER = replace(
    FIRST, estimator="arm-wise", width=0.25, main=1.0, mean=None, degree=1.0, guard=0.125,
    ranges=0.125, feature_ranges=0.125, saturation=2.0, chosen=chosen(f"trials{AMONG[1]}"),
)  # fmt: skip
BOTH = replace(FIRST, loose=OTHER)


@pytest.fixture
def problem(monkeypatch: pytest.MonkeyPatch) -> Problem:
    monkeypatch.setattr("dpwerm.problem.settle", lambda *_, **__: BOTH)
    text = DESIGN.replace(*OPEN_GAMMA).replace("epsilon = 2", "epsilon = 5000")
    return problem_of(text, "4000")


def trial(outcome: np.ndarray, spread: float = 1.0) -> Trial:
    data = columns()
    arm = np.where(data["arm"] == "b", 1.0, -1.0)
    matrix = np.column_stack([data["x"], data["z"]]) * spread
    given = np.full(len(arm), 0.6)
    return Trial(arm, outcome, given, lambda one: one.encode_numbers(matrix))


def released(problem: Problem, outcome: np.ndarray, spread: float = 1.0) -> Rule:
    return fit(problem, trial(outcome, spread), Unrecorded(1))


def test_rows_that_fill_their_bounds_are_fitted_in_the_first_form(problem: Problem) -> None:
    rule = released(problem, np.linspace(0.0, 4.0, N))
    certificate = rule.release.certificate
    assert certificate.chosen is not None
    assert AMONG[0] in certificate.chosen.reason
    assert certificate.design.name == "contrast"
    assert certificate.loss.parameters["width"] == 0.5
    assert rule.tightness is not None
    assert rule.tightness.tight
    assert (rule.ranges, rule.guard) == ((), None)
    assert certificate.budget == Budget.of("3000")
    assert rule.budget == Budget.of("4000")


@pytest.mark.parametrize(
    ("benefit", "features"), [(0.1, 0.1), (0.1, 1.0), (2.0, 0.1)], ids=["both", "benefit", "rows"]
)
def test_where_either_is_in_a_small_part_of_them_in_the_second(
    benefit: float, features: float, problem: Problem
) -> None:
    rule = released(problem, np.linspace(2 - benefit, 2 + benefit, N), spread=features)
    certificate = rule.release.certificate
    assert certificate.chosen is not None
    assert AMONG[1] in certificate.chosen.reason
    assert certificate.design.name == "arm-wise"
    assert certificate.loss.parameters["width"] == 0.25
    assert rule.release.encoding.saturation == 2.0
    assert rule.tightness is not None
    assert not rule.tightness.tight
    assert [one.of for one in rule.ranges] == ["benefit", "features"]
    assert rule.guard is not None
    costs = [one.budget.epsilon for one in rule.ranges]
    costs += [rule.tightness.budget.epsilon, rule.guard.budget.epsilon]
    assert isinstance(certificate.budget, Budget)
    assert sum(costs, certificate.budget.epsilon) == 4000
    assert rule.declaration.benefit.bounds == (0.0, 4.0)  # as declared


def test_the_charge_knows_nothing_of_which_it_will_be(problem: Problem) -> None:
    """Two tables that differ in everything but their size pay the same."""
    paid = []
    for outcome, spread in ((np.linspace(0.0, 4.0, N), 1.0), (np.full(N, 3.0), 0.0)):
        till = Till()
        with pytest.raises(Charged):
            fit(problem, trial(outcome, spread), till)
        paid.append(till.cost)
    assert paid == [Budget.of("4000")] * 2


def test_forms_that_cost_other_amounts_are_refused(problem: Problem) -> None:
    settled = problem.own(N).settled(N)
    assert settled.loose is not None
    for budget in (Budget.of("3999"), Budget.of("1500", "1e-6")):
        dearer = replace(settled.loose, spec=settled.loose.spec.changed(budget=budget))
        with pytest.raises(ParameterError, match="cost the same"):
            _ = replace(settled, loose=dearer).cost


@pytest.mark.parametrize("share", [0.0, 0.0625, 0.3])
def test_forms_that_pay_other_amounts_for_the_tightness_are_refused_before_the_charge(
    share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both total the same ε: the first one's would be drawn, and the second's rest spent."""
    unequal = replace(FIRST, loose=replace(OTHER, tightness=share))
    monkeypatch.setattr("dpwerm.problem.settle", lambda *_, **__: unequal)
    text = DESIGN.replace(*OPEN_GAMMA).replace("epsilon = 2", "epsilon = 5000")
    till = Till()
    with pytest.raises(ParameterError, match="paid alike"):
        fit(problem_of(text, "4000"), trial(np.full(N, 3.0)), till)
    assert till.cost is None


def test_both_forms_must_make_a_claim_before_anything_is_charged(problem: Problem) -> None:
    settled = problem.own(N).settled(N)
    assert settled.loose is not None
    small = settled.loose.spec.changed(gamma=1e-12, budget=Budget.of("0.001"))
    broken = replace(settled, loose=replace(settled.loose, spec=small))
    settled.calibration(N)
    with pytest.raises(ParameterError):
        broken.calibration(N)


@pytest.mark.parametrize("spread", [1.0, 0.1])
def test_a_file_keeps_the_tightness_and_what_it_decided(
    problem: Problem, spread: float, tmp_path: Path
) -> None:
    rule = released(problem, np.linspace(2 - 2 * spread, 2 + 2 * spread, N), spread)
    write_rule(rule, tmp_path / "rule.json")
    again = read_rule(tmp_path / "rule.json")
    assert again.tightness == rule.tightness
    assert again.budget == rule.budget
    assert all(one.holds for one in declared_findings(again))
    assert again.tightness is not None
    benefit, features = again.tightness.filled
    k = 10**9 * (1 if spread < 1 else -1)
    wrong = [
        replace(again, tightness=replace(again.tightness, filled=filled))
        for filled in (
            (replace(benefit, integer=k), replace(features, integer=k)),
            (replace(benefit, columns=("x",)), features),
            (benefit, replace(features, columns=("benefit",))),
            (benefit,),
        )
    ]
    wrong.append(replace(again, tightness=replace(again.tightness, n=N + 1)))
    for one in wrong:
        assert not all(finding.holds for finding in declared_findings(one))


def test_a_file_of_an_earlier_version_has_one_mean_that_decided(
    problem: Problem, tmp_path: Path
) -> None:
    rule = released(problem, np.linspace(0.0, 4.0, N))
    assert rule.tightness is not None
    columns = tuple(name for one in rule.tightness.filled for name in one.columns)
    old = replace(rule.tightness, filled=(Filled(TOGETHER, columns, 1 << 30),))
    write_rule(replace(rule, tightness=old), tmp_path / "rule.json")
    again = read_rule(tmp_path / "rule.json")
    assert again.tightness == old
    assert all(one.holds for one in declared_findings(again))
    for wrong in (Filled(TOGETHER, columns, -(1 << 30)), Filled(TOGETHER, columns[1:], 1 << 30)):
        other = replace(again, tightness=replace(old, filled=(wrong,)))
        assert not all(one.holds for one in declared_findings(other))


def without(rule: Rule, name: str) -> Rule:
    """Return a rule that lacks what one share paid for."""
    if name == "tightness":
        return replace(rule, tightness=None)
    if name == "guard":
        return replace(rule, guard=None)
    kept = tuple(one for one in rule.ranges if RANGES[one.of] != name)
    return replace(rule, ranges=kept)


@pytest.mark.parametrize("name", SHARES)
def test_what_was_chosen_cannot_be_left_out_of_a_file(
    name: str, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Chosen(settings=[*SHARES], accuracy=0.9, reason=f"trials{AMONG[1]}")
    monkeypatch.setattr(
        "dpwerm.problem.settle",
        lambda *_, **__: replace(FIRST, loose=replace(OTHER, chosen=settings)),
    )
    rule = released(problem, np.linspace(2.9, 3.1, N), spread=0.1)
    assert all(one.holds for one in declared_findings(rule))
    wrong = [one.what for one in declared_findings(without(rule, name)) if not one.holds]
    assert f"{name}, chosen" in wrong


def test_a_rule_has_nothing_beside_it_that_a_fit_would_refuse(problem: Problem) -> None:
    rule = released(problem, np.linspace(2.9, 3.1, N), spread=0.1)
    encoding = rule.release.encoding.changed(intercept=0.0)
    bare = replace(rule, release=replace(rule.release, encoding=encoding))
    (found,) = [one for one in declared_findings(bare) if "tightness and" in one.what]
    assert "needs an intercept" in str(found.recorded)
    with pytest.raises(ParameterError, match="finite"):
        Guard(Budget.of("inf"), Relation.REPLACE_ONE, 0)


def test_the_declaration_has_the_clip_of_the_form_that_was_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Outcome weights in both forms, which clip benefits elsewhere: W follows from the file."""
    plain: dict[str, Any] = {
        "width": None,
        "mean": None,
        "main": None,
        "degree": None,
        "saturation": 1.0,
    }
    none: dict[str, Any] = {"ranges": 0.0, "feature_ranges": 0.0, "guard": 0.0}
    first = replace(FIRST, estimator="outcome-weighted", clip=0.5, **plain)
    other = replace(OTHER, estimator="outcome-weighted", clip=0.25, **plain, **none)
    monkeypatch.setattr("dpwerm.problem.settle", lambda *_, **__: replace(first, loose=other))
    text = DESIGN.replace(*OPEN_GAMMA).replace("epsilon = 2", "epsilon = 5000")
    for spread, clip in ((1.0, 0.5), (0.1, 0.25)):
        outcome = np.linspace(2 - 2 * spread, 2 + 2 * spread, N)
        rule = released(problem_of(text, "4000"), outcome, spread)
        benefit = rule.declaration.benefit
        assert benefit.clip == clip * benefit.largest_clip
        write_rule(rule, tmp_path / f"{clip}.json")
        again = read_rule(tmp_path / f"{clip}.json")
        assert again.declaration.benefit.clip == benefit.clip
        assert all(one.holds for one in declared_findings(again))
