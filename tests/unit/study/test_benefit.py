import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from dpwerm.faults import faults_of
from dpwerm.study.variables import Benefit


def benefit(**raw: object) -> Benefit:
    return Benefit.model_validate({"column": "b", "bounds": [0, 10], **raw})


def test_signed_by_default() -> None:
    found = benefit()
    assert (found.range, found.centre, found.clip) == ((0, 10), 5, 5)
    v = found.centred(np.array([0.0, 5.0, 10.0, 99.0, -99.0, math.nan, math.inf]))
    np.testing.assert_array_equal(v, [-5, 0, 5, 5, -5, np.nan, np.nan])


def test_the_paper_subtracts_the_lower_bound() -> None:
    found = benefit(weights="nonnegative", direction="smaller")
    assert (found.range, found.centre, found.clip) == ((-10, 0), -10, 10)
    np.testing.assert_array_equal(found.centred(np.array([0.0, 4.0, 10.0])), [10, 6, 0])


def test_order_of_the_steps() -> None:
    found = benefit(bounds=[1, 100], transform="log", direction="smaller", clip=1)
    middle = -math.log(100) / 2
    assert found.centre == pytest.approx(middle)
    v = found.centred(np.array([0.5, 10.0, 12.0, 100.0]))
    np.testing.assert_allclose(v, [1, 0, -math.log(12) - middle, -1], atol=1e-12)


def test_a_given_centre_and_nonnegative_weights_cut_below() -> None:
    found = benefit(weights="nonnegative", centre=4)
    assert found.clip == 6
    np.testing.assert_array_equal(found.centred(np.array([0.0, 4.0, 9.0])), [0, 0, 5])


@pytest.mark.parametrize("weights", ["signed", "nonnegative"])
@pytest.mark.parametrize("transform", ["identity", "log"])
@pytest.mark.parametrize("direction", ["larger", "smaller"])
@given(value=st.floats(), lower=st.floats(1e-6, 1e6), width=st.floats(1e-3, 1e6))
def test_the_bound_holds_exactly(
    weights: str, transform: str, direction: str, value: float, lower: float, width: float
) -> None:
    found = benefit(
        bounds=[lower, lower + width], weights=weights, transform=transform, direction=direction
    )
    v = found.centred(np.array([value, lower, lower + width]))
    assert math.isnan(v[0]) == (not math.isfinite(value))
    assert np.nanmax(np.abs(v)) <= found.clip
    assert np.nanmin(v) >= (0 if weights == "nonnegative" else -found.clip)


@pytest.mark.parametrize(
    ("raw", "where", "said"),
    [
        ({"bounds": [10, 0]}, "bounds", "not below"),
        ({"bounds": [0, 1], "transform": "log"}, "transform", "above 0"),
        ({"bounds": [1e11, 1e11 + 0.01], "transform": "log"}, "transform", "hardly differ"),
        ({"transform": "sqrt"}, "transform", "'identity' or 'log'"),
        ({"direction": "up"}, "direction", "'larger' or 'smaller'"),
        ({"centre": 11}, "centre", "outside"),
        ({"centre": 5, "direction": "smaller"}, "centre", "outside"),
        ({"centre": "mean"}, "centre", "midpoint"),
        ({"centre": 10, "weights": "nonnegative"}, "centre", "no benefit"),
        ({"clip": 6}, "clip", "only add noise"),
        ({"clip": 0}, "clip", "between"),
        ({"clip": "wide"}, "clip", '"auto", "range"'),
    ],
)
def test_bad_benefits_say_why(raw: dict[str, object], where: str, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        benefit(**raw)
    assert [(f.where, said in f.problem) for f in faults_of(caught.value)] == [(where, True)]


def test_a_centre_and_a_clip_are_judged_beside_other_faults() -> None:
    raw = {"bounds": [0, 1], "centre": 2, "clip": 3}
    with pytest.raises(ValidationError) as caught:
        Benefit.model_validate(raw)
    assert [fault.where for fault in faults_of(caught.value)] == ["column", "centre"]
    with pytest.raises(ValidationError) as caught:
        Benefit.model_validate({**raw, "centre": 1})
    assert [fault.where for fault in faults_of(caught.value)] == ["column", "clip"]
