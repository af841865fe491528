"""The grid: what is fixed stays, and every γ is one that the mechanisms accept."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.unit.choose.questions import TRIAL, question

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Outcome, Question
from dpwerm.choose.search import (
    ABOVE_FLOOR,
    GAMMAS,
    floor_of,
    gammas,
    grid,
    mechanisms,
    thresholds,
)
from dpwerm.mechanisms import MECHANISMS
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.parameters import LARGEST, SMALLEST
from dpwerm.privacy.budget import Budget

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
    assert list(grid(asked, "m")) == [Hyperparameters("m", 0.3, 0.7, 4.0)]
    assert thresholds(asked) == (0.6,)
    assert {one.clip for one in grid(question(clip=0.3), "m")} == {0.3}
    assert {one.intercept for one in grid(question(intercept=0.0), "m")} == {0.0}
    assert {one.saturation for one in grid(question(saturation=9.0), "m")} == {9.0}


def test_what_is_open_is_tried_each_with_each() -> None:
    found = list(grid(question(), "m"))
    assert len(set(found)) == len(found)
    parts = [{getattr(one, name) for one in found} for name in ("clip", "intercept", "saturation")]
    assert len(found) == len(parts[0]) * len(parts[1]) * len(parts[2])
    assert all(len(part) > 1 for part in parts)
    assert all(0 < one <= 1 for one in parts[0])
    assert all(one >= 1 for one in parts[2])
    assert all((one.mechanism, one.gamma, one.threshold) == ("m", None, None) for one in found)
    assert all(0 <= one < 1 for one in thresholds(question()))


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


@hypothesis_settings(max_examples=60, deadline=None)
@given(questions)
def test_gammas_fall_within_the_range_and_objective_perturbation_accepts_each(
    asked: Question,
) -> None:
    encoding = asked.encoding
    floor, found = floor_of(asked, encoding), gammas(asked, encoding)
    assert found
    assert found == sorted(set(found), reverse=True)
    assert all(SMALLEST <= gamma <= LARGEST for gamma in found)
    if floor:
        for gamma in found:
            for name in ("objective-l2", "objective-block"):
                MECHANISMS[name].calibrate(asked.facts(encoding, gamma), asked.spec.budget)


def test_there_is_no_floor_without_objective_perturbation() -> None:
    assert floor_of(question(epsilon="inf"), question().encoding) == 0.0
    assert floor_of(question(epsilon="1e-6"), question().encoding) == 0.0
    gaussian = question(budget=Budget.zcdp("0.1"), outcome=TRIAL)
    assert floor_of(gaussian, gaussian.encoding) == 0.0


def test_where_the_floor_is_above_every_share_some_gamma_is_above_it() -> None:
    asked = question(n=1, epsilon="0.001")
    floor, found = floor_of(asked, asked.encoding), gammas(asked, asked.encoding)
    assert floor > 100
    assert min(found) > floor
    assert min(ABOVE_FLOOR) > 1


def test_no_gamma_below_the_smallest_share_is_tried_where_a_share_will_do() -> None:
    asked = question(n=1000, epsilon=20)
    found = gammas(asked, asked.encoding)
    assert min(found) == GAMMAS[0] * 1000
    assert 0 < floor_of(asked, asked.encoding) < min(found)


def test_where_every_share_is_below_the_floor_its_multiples_are_tried() -> None:
    asked = question(n=1, epsilon="0.01")
    floor = floor_of(asked, asked.encoding)
    assert floor > GAMMAS[-1]
    assert gammas(asked, asked.encoding) == pytest.approx(
        [times * floor for times in reversed(ABOVE_FLOOR)], rel=0.01
    )
