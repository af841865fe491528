"""What a declaration says of arms and benefit, in the units of simulated problems."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.choose.settle import SPREAD, fixed_clip, outcome_of
from dpwerm.study.treatment import Declaration

ARMS = {"column": "t", "arms": {"a": "1/3", "b": "2/3"}}
COLUMN = {
    "column": "t",
    "arms": ["a", "b"],
    "propensity": "p",
    "propensity_floor": 0.1,
    "origin": "external",
}


def declaration(treatment: dict[str, Any] = ARMS, **benefit: Any) -> Declaration:
    return Declaration.of_keys(treatment, {"column": "b", "bounds": [0, 40], **benefit})


def test_the_arms_of_a_design() -> None:
    outcome = outcome_of(declaration())
    assert outcome.propensity == (2 / 3, 2 / 3)
    assert outcome.pi_min == declaration().treatment.pi_min == pytest.approx(1 / 3)
    assert not outcome.labels


def test_a_propensity_column_may_hold_all_its_floor_allows() -> None:
    outcome = outcome_of(declaration(COLUMN))
    assert outcome.propensity == pytest.approx((0.1, 0.9))
    assert outcome.pi_min == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("treatment", "benefit", "spread"),
    [
        (ARMS, {}, 0.0),
        (COLUMN, {}, SPREAD),
        (COLUMN, {"centre": 10}, 0.0),
        (COLUMN, {"centre": "midpoint"}, 0.0),
        (COLUMN, {"weights": "nonnegative"}, 0.0),
    ],
)
def test_where_benefits_lie_is_open_without_a_lot_and_without_a_declared_centre(
    treatment: dict[str, Any], benefit: dict[str, Any], spread: float
) -> None:
    assert outcome_of(declaration(treatment, **benefit)).spread == spread


@pytest.mark.parametrize(
    ("benefit", "centre"),
    [
        ({}, 0.0),
        ({"centre": "lower"}, -1.0),
        ({"centre": 40}, 1.0),
        ({"centre": 10}, -0.5),
        ({"weights": "nonnegative"}, -1.0),
        ({"direction": "smaller"}, 0.0),
        ({"direction": "smaller", "centre": -40}, -1.0),
        ({"transform": "log", "bounds": [1, 100]}, 0.0),
        ({"transform": "log", "bounds": [1, 100], "centre": "lower"}, -1.0),
    ],
)
def test_the_centre_is_a_place_in_the_range(benefit: dict[str, Any], centre: float) -> None:
    assert outcome_of(declaration(**benefit)).centre == pytest.approx(centre, abs=1e-12)


ends = st.floats(-1e6, 1e6)


@given(
    bounds=st.tuples(ends, ends).filter(lambda pair: pair[1] - pair[0] > 1e-3),
    place=st.floats(0, 0.99),
    weights=st.sampled_from(["signed", "nonnegative"]),
    direction=st.sampled_from(["larger", "smaller"]),
    share=st.floats(0.01, 1),
)
def test_the_clip_is_the_same_share_in_either_unit(
    bounds: tuple[float, float], place: float, weights: str, direction: str, share: float
) -> None:
    low, high = (-bounds[1], -bounds[0]) if direction == "smaller" else bounds
    centre = min(max(low + place * (high - low), low), high)
    declared = declaration(bounds=list(bounds), weights=weights, direction=direction, centre=centre)
    outcome, half = outcome_of(declared), (high - low) / 2
    assert outcome.signed == (weights == "signed")
    assert -1 <= outcome.centre <= 1
    assert outcome.largest_clip * half == pytest.approx(declared.benefit.largest_clip, rel=1e-6)
    clipped = declared.clipped_at(share)
    assert clipped.benefit.clip == pytest.approx(share * outcome.largest_clip * half, rel=1e-6)
    assert fixed_clip(clipped) == pytest.approx(share, rel=1e-12)


def test_a_clip_is_fixed_unless_it_is_auto() -> None:
    assert fixed_clip(declaration()) is None
    assert fixed_clip(declaration(clip="auto")) is None
    assert fixed_clip(declaration(clip="range")) == 1.0
    assert fixed_clip(declaration(clip=5)) == 0.25
