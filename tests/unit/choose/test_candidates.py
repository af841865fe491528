"""The grid: what is fixed stays, and every γ is one that the mechanisms accept."""

import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.unit.choose.questions import NONE, TRIAL, question

from dpwerm.choose.grid import (
    ABOVE_FLOOR,
    GAMMAS,
    SECOND_ROUND,
    floor_of,
    gammas,
    grid,
    mechanisms,
    others,
    thresholds,
)
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Outcome, Question
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import MECHANISMS
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.parameters import LARGEST, SMALLEST
from dpwerm.privacy.budget import Budget
from dpwerm.weighting.contract import WEIGHTINGS

PURE = ("objective-block", "objective-l2", "spherical-laplace")
WITH_DELTA = (*PURE, "objective-gaussian", "gaussian")


def test_mechanisms_suit_the_budget() -> None:
    assert mechanisms(question()) == PURE
    assert mechanisms(question(delta="1e-6")) == WITH_DELTA
    assert mechanisms(question(epsilon="inf")) == ("none",)
    for other in (Budget.zcdp("0.1"), Budget.gdp("0.5")):
        assert mechanisms(question(budget=other)) == ("gaussian",)
    assert mechanisms(question(mechanism="product-laplace")) == ("product-laplace",)
    assert all(MECHANISMS[name].needs_delta is False for name in PURE)
    assert set(WITH_DELTA) > set(PURE)


def test_what_is_fixed_stays() -> None:
    asked = question(clip=0.3, intercept=0.7, saturation=4.0, threshold=0.6)
    (found,) = grid(asked, "m")
    assert found == Hyperparameters("m", 0.3, 0.7, 4.0, estimator="outcome-weighted", **NONE)
    assert thresholds(asked) == (0.6,)
    assert {one.clip for one in grid(question(clip=0.3), "m")} == {0.3}
    assert {one.intercept for one in grid(question(intercept=0.0), "m")} == {0.0}
    assert {one.saturation for one in grid(question(saturation=9.0), "m")} == {9.0}
    fixed: Any
    for fixed in ({"width": 0.7}, {"main": 3.0}, {"mean": 0.0}, {"degree": 2.0}):
        (name, value), *_ = fixed.items()
        assert {getattr(one, name) for one in grid(question(**fixed), "m")} == {value}


@pytest.mark.parametrize("estimator", WEIGHTINGS)
def test_what_is_open_is_tried_each_with_each(estimator: str) -> None:
    found = list(grid(question(estimator=estimator), "m"))
    assert len(set(found)) == len(found)
    own: Any = WEIGHTINGS[estimator]
    names = (*(one for one in own.options if one != "bend"), "intercept", "saturation")
    parts = {name: {getattr(one, name) for one in found} for name in names}
    assert len(found) == math.prod(map(len, parts.values()))
    later = SECOND_ROUND if own.form == "residual" else ()
    for name, part in parts.items():
        assert (len(part) > 1) == (name not in (*later, "degree"))
    more = [one for one, _ in others(question(estimator=estimator), [(found[0], 1.0)])]
    assert more[0] == found[0]
    changed = {
        name for one in more for name in names if getattr(one, name) != getattr(more[0], name)
    }
    assert changed == {*names} & {*later}
    assert all(0 < one <= 1 for one in parts.get("clip", ()))
    assert all(one > 0 for name in ("width", "main", "mean") for one in parts.get(name, ()))
    assert parts.get("degree", {1.0}) == {1.0}  # a curve is declared, never chosen
    assert all(one >= 1 for one in parts["saturation"])
    assert all((one.mechanism, one.gamma, one.threshold) == ("m", None, None) for one in found)
    assert all(0 <= one < 1 for one in thresholds(question()))
    absent = {"clip", "width", "main", "mean", "degree", "bend"} - {*names}
    assert all(getattr(one, name) is None for one in found for name in absent)


def test_curves_that_are_declared_are_penalised_more() -> None:
    found = list(grid(question(degree=3.0), "m"))
    assert {(one.degree, one.bend) for one in found} == {(3.0, 4.0)}
    assert {one.bend for one in grid(question(degree=2.0, bend=7.0), "m")} == {7.0}


def test_every_estimator_of_the_question_has_its_part_of_the_grid() -> None:
    whole = list(grid(question(), "m"))
    parts = [list(grid(question(estimator=name), "m")) for name in question().estimators]
    assert {one.estimator for one in whole} == {"outcome-weighted", "contrast", "arm-wise"}
    assert whole == [one for part in parts for one in part]


# -- which estimators are tried ---------------------------------------------------------------

ALL = ("outcome-weighted", "contrast", "arm-wise")
BY_PROBABILITIES = ("outcome-weighted", "contrast")
ANY_RATIO = replace(TRIAL, propensity=(0.1, 0.9), pi_min=0.1, fixed_design=False)


@pytest.mark.parametrize(
    ("asked", "tried"),
    [
        (question(), ALL),
        (question(outcome=ANY_RATIO), BY_PROBABILITIES),
        (question(open_method=False), ("outcome-weighted",)),
        (question(outcome=Outcome.of_labels()), ("outcome-weighted",)),
        (question(estimator="contrast"), ("contrast",)),
        (question(estimator="arm-wise", outcome=ANY_RATIO), ("arm-wise",)),
        (question(clip=0.3), ("outcome-weighted",)),
        (question(width=0.3), ("contrast", "arm-wise")),
        (question(width=0.3, outcome=ANY_RATIO), ("contrast",)),
        (question(mean=0.0), ("contrast",)),
        (question(main=2.0), ("arm-wise",)),
        (question(degree=3.0), ("arm-wise",)),
    ],
    ids=str,
)
def test_estimators_are_tried_that_have_all_that_is_fixed(
    asked: Question, tried: tuple[str, ...]
) -> None:
    assert set(asked.estimators) == set(tried)
    assert {one.estimator for one in grid(asked, "m")} == set(tried)
    assert asked.plain()["estimators"] == list(asked.estimators)


@pytest.mark.parametrize(
    "fixed", [{"clip": 0.3, "width": 0.3}, {"mean": 1.0, "main": 1.0}, {"degree": 2.0}], ids=str
)
def test_where_no_estimator_has_all_that_is_fixed_the_question_is_refused(
    fixed: dict[str, Any],
) -> None:
    with pytest.raises(ParameterError, match="name one, or fix less"):
        question(outcome=ANY_RATIO, **fixed)


def test_saturation_is_tried_only_where_there_are_numbers_to_saturate() -> None:
    for asked in (question((1, 3)), question((0, 0), kind="paper")):
        assert {one.saturation for one in grid(asked, "m")} == {1.0}


def test_weights_of_labels_are_not_clipped() -> None:
    asked = question(outcome=Outcome.of_labels())
    assert {one.clip for one in grid(asked, "m")} == {1.0}


@pytest.mark.parametrize("kind", ["centred", "paper"])
def test_a_setting_changes_the_encoding_and_nothing_else_of_it(kind: str) -> None:
    asked = question((0, 3), kind=kind)
    for one in grid(asked, "m"):
        encoding = one.encoding(asked.encoding)
        assert (encoding.intercept, encoding.saturation) == (one.intercept, one.saturation)
        assert (encoding.kind, encoding.blocks) == (kind, asked.encoding.blocks)


def asked_of(n: int, epsilon: str, widths: list[int], kind: str, loss: Loss) -> Question:
    return question(widths, kind=kind, epsilon=epsilon, n=n, loss=loss)


questions = st.builds(
    asked_of,
    n=st.one_of(st.integers(1, 50), st.integers(1, 10**12)),
    epsilon=st.one_of(
        st.sampled_from(["1e-4", "1e-6", "100", "1e9", "inf"]),
        st.floats(1e-3, 50).map(lambda epsilon: f"{epsilon:.6g}"),
    ),
    widths=st.lists(st.sampled_from([0, 1, 3]), min_size=1, max_size=6),
    kind=st.sampled_from(["centred", "paper"]),
    loss=st.sampled_from([HuberisedHinge(0.1), Logistic()]),
)


PLAIN = {name: Hyperparameters(estimator=name, width=0.1) for name in ALL}
"""A candidate of each estimator."""

OWL = PLAIN["outcome-weighted"]


@hypothesis_settings(max_examples=60, deadline=None)
@given(questions, st.sampled_from(ALL))
def test_gammas_fall_within_the_range_and_objective_perturbation_accepts_each(
    asked: Question, estimator: str
) -> None:
    candidate = PLAIN[estimator]
    floor, found = floor_of(asked, candidate), gammas(asked, candidate)
    assert found
    assert found == sorted(set(found), reverse=True)
    assert all(SMALLEST <= gamma <= LARGEST for gamma in found)
    if floor:
        for gamma in found:
            for name in ("objective-l2", "objective-block"):
                MECHANISMS[name].calibrate(asked.facts(candidate, gamma), asked.spec.budget)


def test_there_is_no_floor_without_objective_perturbation() -> None:
    gaussian = question(budget=Budget.zcdp("0.1"), outcome=TRIAL)
    for asked in (question(epsilon="inf"), question(epsilon="1e-6"), gaussian):
        assert [floor_of(asked, candidate) for candidate in PLAIN.values()] == [0.0] * 3


def test_where_the_floor_is_above_every_share_some_gamma_is_above_it() -> None:
    asked = question(n=1, epsilon="0.001")
    floor, found = floor_of(asked, OWL), gammas(asked, OWL)
    assert floor > 100
    assert min(found) > floor
    assert min(ABOVE_FLOOR) > 1


def test_no_gamma_below_the_smallest_share_is_tried_where_a_share_will_do() -> None:
    asked = question(n=1000, epsilon=20)
    found = gammas(asked, OWL)
    assert min(found) == GAMMAS[0] * 1000
    assert 0 < floor_of(asked, OWL) < min(found)


def test_where_every_share_is_below_the_floor_its_multiples_are_tried() -> None:
    asked = question(n=1, epsilon="0.01")
    floor = floor_of(asked, OWL)
    assert floor > GAMMAS[-1]
    assert gammas(asked, OWL) == pytest.approx(
        [times * floor for times in reversed(ABOVE_FLOOR)], rel=0.01
    )
