"""Which shares of ε are tried, where they can be had, and how a narrow range parts two answers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.choose.questions import NONE, TRIAL, question

from dpwerm.choose.grid import grid
from dpwerm.choose.question import Choice, Outcome, Question
from dpwerm.choose.search import search
from dpwerm.choose.settle import answer, answers, is_told
from dpwerm.choose.shares import FEATURES, GUARDS, LEAST, MOST, forms_tried, varied
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.releases.ranges import AMONG

OPEN: dict[str, Any] = dict.fromkeys(NONE)


def open_question(**other: Any) -> Question:
    return question((0, 0), **({"n": 1000} | OPEN | other))


def shares(asked: Question, name: str) -> set[float | None]:
    return {getattr(one, name) for one in grid(asked, "objective-block")}


@pytest.mark.parametrize(
    ("n", "epsilon", "share"),
    [(399, 1, None), (400, 1, MOST), (1000, 1, MOST), (2000, 1, 0.05), (10**6, 1, LEAST)],
)
def test_a_range_of_the_benefit_takes_what_it_needs_and_no_more(
    n: int, epsilon: float, share: float | None
) -> None:
    assert shares(open_question(n=n, epsilon=epsilon), "ranges") == {share}


@pytest.mark.parametrize(
    "other",
    [
        {"epsilon": "inf"},
        {"budget": Budget.zcdp("5")},
        {"relation": Relation.ADD_REMOVE},
        {"outcome": replace(TRIAL, values=2)},
        {"outcome": replace(TRIAL, propensity=(0.1, 0.9), pi_min=0.1, fixed_design=False)},
        {"outcome": Outcome.of_labels()},
    ],
    ids=str,
)
def test_where_no_range_can_be_had_or_would_tell_nothing_none_is_taken(
    other: dict[str, Any],
) -> None:
    asked = open_question(**other)
    assert shares(asked, "ranges") == {None}
    assert forms_tried(asked) == asked.estimators


def test_with_a_range_every_candidate_is_a_regression_that_releases_it() -> None:
    asked = open_question()
    assert set(forms_tried(asked)) == {"contrast", "arm-wise"} < set(asked.estimators)
    assert shares(asked, "feature_ranges") == {None, FEATURES[0]}
    assert shares(asked, "guard") == {None}


def test_later_rounds_bring_larger_ranges_and_a_guard() -> None:
    asked = open_question()
    keys = [(one, 30.0) for one in grid(asked, "objective-block")]
    second = varied(asked, keys, 1)
    assert {one.feature_ranges for one, _ in second} == {None, *FEATURES}
    third = varied(asked, second, 2)
    assert {one.guard for one, _ in third} == {None, *GUARDS}
    assert len({*third}) == len(third) == 3 * len(second)
    assert varied(asked, keys, 0) == keys


def test_what_is_fixed_is_not_varied() -> None:
    asked = open_question(ranges=0.2, feature_ranges=0.0, guard=0.3)
    keys = [(one, 30.0) for one in grid(asked, "objective-block")]
    for place in (1, 2):
        keys = varied(asked, keys, place)
    assert {(one.ranges, one.feature_ranges, one.guard) for one, _ in keys} == {(0.2, 0.0, 0.3)}
    assert not {one.ranges for one in grid(question((0,), n=1000), "m")} - {0.0}


def test_without_numbers_there_are_no_ranges_of_features() -> None:
    assert shares(question((1, 3), n=1000, **OPEN), "feature_ranges") == {None}


@pytest.mark.usefixtures("quick")
def test_a_search_with_a_range_has_an_answer_for_either_group(cold: Path) -> None:
    asked = open_question(n=500)
    choice = search(asked)
    assert choice.narrow is not None
    assert (choice.among, choice.narrow.among) == AMONG
    for one in choice.both:
        assert one.among in one.reason
        assert one.hyperparameters.ranges == MOST
        rest = 1 - sum(one.hyperparameters.shares.values())
        assert asked.calibration(one.hyperparameters, one.gamma).budget == Budget.of(rest)
    assert answers(choice, asked)
    assert is_told(choice, asked)
    assert answer(asked) == choice == answer(asked)  # kept as a whole
    assert not is_told(replace(choice, narrow=replace(choice.narrow, score=2.0)), asked)
    other = replace(
        choice.narrow, hyperparameters=replace(choice.hyperparameters, mechanism="none")
    )
    assert not answers(replace(choice, narrow=other), asked)
    share = replace(choice.narrow.hyperparameters, ranges=0.05)
    for wrong in (
        replace(choice, narrow=replace(choice.narrow, hyperparameters=share)),
        replace(choice, narrow=replace(choice.narrow, narrow=choice.narrow)),
        replace(choice, hyperparameters=replace(choice.hyperparameters, narrow=share)),
    ):
        assert not answers(wrong, asked)
    del cold


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    "asked",
    [question((0, 0), n=200, **OPEN), open_question(n=500, delta="1e-6")],
    ids=["few people", "with a delta"],
)
def test_a_search_without_a_range_or_with_a_delta_has_one_answer(asked: Question) -> None:
    choice = search(asked)
    assert choice.narrow is None
    assert choice.both == (choice,)
    assert choice.among == ""


def test_groups_are_told_apart_by_the_released_range() -> None:
    asked = open_question()
    trials = TRIAL.trials((0, 0), count=60, rows=400, rng=np.random.default_rng(3))
    candidate = next(grid(asked, "objective-block"))
    inside = asked.inside(trials, candidate, np.random.default_rng(4))
    wide, narrow = inside.groups
    assert (wide ^ narrow).all()
    tight = trials.tight.astype(bool)
    assert tight[wide].mean() > 0.5 > tight[narrow].mean()
    everyone = trials.groups
    assert len(everyone) == 1
    assert everyone[0].all()


def test_a_choice_is_of_known_trials() -> None:
    fine = search_free_choice()
    with pytest.raises(ValueError, match="no trials"):
        replace(fine, among="the best ones")


def search_free_choice() -> Choice:
    found = replace(next(grid(open_question(), "objective-block")), gamma=5.0, threshold=0.0)
    return Choice(found, 0.9, 0.5, 0.1, 0.5, {}, 10, 100)
