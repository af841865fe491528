"""Which shares of ε are tried, where they can be had, and how a tightness parts two answers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.choose.questions import NONE, TRIAL, question

from dpwerm.choose.grid import grid
from dpwerm.choose.question import ANY, LOOSE, TIGHT, Choice, Outcome, Question
from dpwerm.choose.search import search
from dpwerm.choose.settle import answer, answers, is_told
from dpwerm.choose.shares import FEATURES, LEAST, MOST, forms, forms_tried, varied
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.releases.tightness import AMONG

OPEN: dict[str, Any] = dict.fromkeys(NONE)


def open_question(**other: Any) -> Question:
    return question((0, 0), **({"n": 1000} | OPEN | other))


def shares(asked: Question, name: str) -> set[float | None]:
    return {getattr(one, name) for one in grid(asked, "objective-block")}


@pytest.mark.parametrize(
    ("n", "epsilon", "tightness", "ranges"),
    [
        (399, 1, None, None),
        (400, 1, MOST["tightness"], MOST["ranges"]),
        (1000, 1, 0.06, MOST["ranges"]),
        (2000, 1, 0.03, 0.05),
        (10**6, 1, LEAST, LEAST),
    ],
)
def test_tightness_and_a_range_of_the_benefit_take_what_they_need_and_no_more(
    n: int, epsilon: float, tightness: float | None, ranges: float | None
) -> None:
    asked = open_question(n=n, epsilon=epsilon)
    assert forms(asked) == ((ANY,) if tightness is None else (TIGHT, LOOSE))
    loose = replace(asked, form=LOOSE if tightness else ANY)
    assert shares(loose, "tightness") == {tightness}
    assert shares(loose, "ranges") == {ranges}


@pytest.mark.parametrize(
    ("n", "epsilon", "share"), [(100, 1, 0.4), (1000, 1, 0.2), (1000, 4, 0.05), (10**6, 1, LEAST)]
)
def test_a_guard_takes_what_it_needs_too_and_of_few_people_as_well(
    n: int, epsilon: float, share: float
) -> None:
    asked = replace(open_question(n=n, epsilon=epsilon), form=LOOSE)
    keys = [(one, 30.0) for one in grid(asked, "objective-block")]
    assert {one.guard for one, _ in varied(asked, keys, 2)} == {None, share}


def test_tight_trials_leave_all_else_to_the_rule() -> None:
    asked = replace(open_question(), form=TIGHT)
    keys = [(one, 30.0) for one in grid(asked, "objective-block")]
    assert {tuple(one.shares) for one, _ in keys} == {("tightness",)}
    assert varied(asked, varied(asked, keys, 1), 2) == keys


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": "inf"},
        {"budget": Budget.zcdp("5")},
        {"relation": Relation.ADD_REMOVE},
        {"outcome": replace(TRIAL, propensity=(0.1, 0.9), pi_min=0.1, fixed_design=False)},
        {"outcome": Outcome.of_labels()},
    ],
    ids=str,
)
def test_where_neither_can_be_had_none_is_taken(other: dict[str, Any]) -> None:
    asked = open_question(**other)
    assert (shares(asked, "ranges"), shares(asked, "tightness")) == ({None}, {None})
    assert (forms(asked), forms_tried(asked)) == ((ANY,), asked.estimators)


def test_a_benefit_of_two_values_has_no_range_but_its_features_have_a_tightness() -> None:
    two = replace(TRIAL, values=2)
    asked = replace(open_question(outcome=two), form=LOOSE)
    assert (shares(asked, "ranges"), shares(asked, "tightness")) == ({None}, {0.06})
    assert forms(question((1, 3), n=1000, outcome=two, **OPEN)) == (ANY,)
    assert forms_tried(replace(asked, form=TIGHT)) == asked.estimators
    assert "outcome-weighted" not in forms_tried(asked)


def test_with_a_tightness_every_candidate_is_a_regression_that_releases_it() -> None:
    asked = replace(open_question(), form=LOOSE)
    assert set(forms_tried(asked)) == {"contrast", "arm-wise"} < set(asked.estimators)
    assert shares(asked, "feature_ranges") == {None, FEATURES[0]}
    assert shares(asked, "guard") == {None}


def test_later_rounds_bring_larger_ranges_and_a_guard() -> None:
    asked = replace(open_question(), form=LOOSE)
    keys = [(one, 30.0) for one in grid(asked, "objective-block")]
    second = varied(asked, keys, 1)
    assert {one.feature_ranges for one, _ in second} == {None, *FEATURES}
    third = varied(asked, second, 2)
    assert {one.guard for one, _ in third} == {None, 0.2}
    assert len({*third}) == len(third) == 2 * len(second)
    assert varied(asked, keys, 0) == keys


def test_what_is_fixed_is_not_varied() -> None:
    fixed = {"tightness": 0.1, "ranges": 0.2, "feature_ranges": 0.0, "guard": 0.3}
    for form in (TIGHT, LOOSE):
        asked = replace(open_question(**fixed), form=form)
        keys = [(one, 30.0) for one in grid(asked, "objective-block")]
        for place in (1, 2):
            keys = varied(asked, keys, place)
        assert {tuple(getattr(one, name) for name in fixed) for one, _ in keys} == {
            tuple(fixed.values())
        }
    assert forms(open_question(tightness=0.0)) == (ANY,)
    assert not {one.ranges for one in grid(question((0,), n=1000), "m")} - {0.0}


def test_shares_that_would_leave_nothing_beside_those_that_are_fixed_are_not_tried() -> None:
    """Fixed shares of 0.92 in all leave room for a tightness, but for no range of the features."""
    for fixed in ({"ranges": 0.5, "guard": 0.42}, {"guard": 0.5, "ranges": 0.42}):
        asked = replace(open_question(**fixed), form=LOOSE)
        assert shares(asked, "tightness") == {0.06}
        assert shares(asked, "feature_ranges") == {None}
    full = open_question(ranges=0.5, guard=0.49, n=500)
    assert forms(full) == (ANY,)


def test_without_numbers_there_are_no_ranges_of_features() -> None:
    asked = replace(question((1, 3), n=1000, **OPEN), form=LOOSE)
    assert shares(asked, "feature_ranges") == {None}
    assert shares(asked, "tightness") == {0.06}


@pytest.mark.usefixtures("quick")
def test_a_search_with_a_tightness_has_an_answer_for_either_form(cold: Path) -> None:
    asked = open_question(n=500)
    choice = search(asked)
    assert choice.loose is not None
    assert (choice.among, choice.loose.among) == AMONG
    for one in choice.both:
        assert one.among in one.reason
        assert one.hyperparameters.tightness == 0.1
        rest = 1 - sum(one.hyperparameters.shares.values())
        assert asked.calibration(one.hyperparameters, one.gamma).budget == Budget.of(rest)
    assert answers(choice, asked)
    assert is_told(choice, asked)
    assert answer(asked) == choice == answer(asked)  # kept as a whole
    assert not is_told(replace(choice, loose=replace(choice.loose, score=2.0)), asked)
    other = replace(choice.loose, hyperparameters=replace(choice.hyperparameters, mechanism="none"))
    assert not answers(replace(choice, loose=other), asked)
    share = replace(choice.loose.hyperparameters, tightness=0.05)
    for wrong in (
        replace(choice, loose=replace(choice.loose, hyperparameters=share)),
        replace(choice, loose=replace(choice.loose, loose=choice.loose)),
        replace(choice, hyperparameters=replace(choice.hyperparameters, loose=share)),
    ):
        assert not answers(wrong, asked)
    del cold


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "asked",
    [question((0, 0), n=200, **OPEN), open_question(n=500, delta="1e-6")],
    ids=["few people", "with a delta"],
)
def test_a_search_without_a_tightness_or_with_a_delta_has_one_answer(asked: Question) -> None:
    choice = search(asked)
    assert choice.loose is None
    assert choice.both == (choice,)
    assert choice.among == ""


def test_bounds_of_the_benefit_alone_are_wide_where_a_tightness_can_see_it() -> None:
    """Of two values all trials with features that fill their bounds count as tight."""
    asked = replace(open_question(tightness=0.06), form=LOOSE)
    for values, wide in ((None, True), (2, False), (5, False)):
        one = replace(asked, outcome=replace(TRIAL, values=values))
        trials = one.trials(12, 2000, np.random.default_rng(1))
        far = np.abs(trials.X[:, :1000] - trials.X[:, 1000:]).clip(0, 0.5).mean(axis=(1, 2))
        assert (far > 0.33).any() == wide


def test_trials_are_told_apart_by_the_released_tightness() -> None:
    asked = open_question(tightness=0.06)
    trials = TRIAL.trials((0, 0), count=300, rows=1000, rng=np.random.default_rng(3))
    told = asked.tight(trials, np.random.default_rng(4))
    wrong = told != trials.tight.astype(bool)
    assert 0 < told.sum() < len(told)
    assert wrong.mean() < 0.06


def test_a_choice_is_of_known_trials() -> None:
    fine = search_free_choice()
    with pytest.raises(ValueError, match="no trials"):
        replace(fine, among="the best ones")


def search_free_choice() -> Choice:
    found = replace(next(grid(open_question(), "objective-block")), gamma=5.0, threshold=0.0)
    return Choice(found, 0.9, 0.5, 0.1, 0.5, {}, 10, 100)
