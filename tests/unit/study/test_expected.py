"""What a study expects of its benefit: declared, checked, and kept by no rule."""

import pytest
from pydantic import ValidationError

from dpwerm.errors import ParameterError
from dpwerm.study.treatment import Declaration
from dpwerm.study.variables import EXPECTED, Benefit

KEYS = {"column": "b", "bounds": [1, 100], "centre": 20, "clip": 30, "source": "protocol"}
TREATMENT = {"column": "t", "arms": {"a": "1/2", "b": "1/2"}}


def test_expectations_are_replaced_and_the_rest_stays() -> None:
    plain = Benefit.model_validate(KEYS)
    told = Benefit.model_validate({**KEYS, "expected_sd": 7, "expected_effect_sd": 0})
    assert plain.expecting(expected_sd=7.0, expected_effect_sd=0.0) == told
    assert told.without_expectations() == plain
    assert told.expecting(expected_sd=8.0).expected_effect_sd == 0
    assert plain.expecting() == plain
    half = plain.clipped_at(0.5)
    assert half.expecting(expected_sd=7.0).clip == half.clip


@pytest.mark.parametrize(("transform", "most"), [("identity", 49.5), ("log", 2.302585)])
def test_no_sd_is_larger_than_half_the_range(transform: str, most: float) -> None:
    keys = {"column": "b", "bounds": [1, 100], "transform": transform}
    assert Benefit.model_validate({**keys, "expected_sd": most}).expected_sd == most
    with pytest.raises(ValidationError, match="no benefit within its bounds"):
        Benefit.model_validate({**keys, "expected_sd": most + 1e-5})


def test_no_rule_keeps_them() -> None:
    plain = Declaration.of_keys(TREATMENT, KEYS)
    told = Declaration.of_keys(TREATMENT, {**KEYS, "expected_sd": 7})
    assert told.benefit_keys() == plain.benefit_keys()
    assert not {*EXPECTED} & told.benefit_keys().keys()
    with pytest.raises(ParameterError, match="expected_sd: is for plans"):
        Declaration.of_record(plain.treatment_keys(), {**plain.benefit_keys(), "expected_sd": 7})
