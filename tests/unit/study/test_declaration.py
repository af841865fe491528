import json

import pytest

from dpwerm.errors import ParameterError
from dpwerm.simulate.demo import study_text
from dpwerm.study.study import Study
from dpwerm.study.treatment import Declaration

TREATMENT = {"column": "arm", "arms": {"S": "1/3", "G": "2/3"}}
BENEFIT = {"column": "days", "bounds": [1, 100], "transform": "log", "direction": "smaller"}


def declaration() -> Declaration:
    return Declaration.of_keys(TREATMENT, BENEFIT)


def test_a_record_brings_it_back() -> None:
    made = declaration()
    back = Declaration.of_record(made.treatment_keys(), made.benefit_keys())
    assert back.treatment_keys() == made.treatment_keys()
    assert back.benefit_keys() == made.benefit_keys()
    assert made.checked() is made


def test_arms_in_a_record_are_a_list_in_their_order() -> None:
    keys = declaration().treatment_keys()
    assert (keys["arms"], keys["probabilities"]) == (["S", "G"], ["1/3", "2/3"])
    for arms in ({"S": "1/3", "G": "2/3"}, ["S"], ["S", 1], "SG", None):
        with pytest.raises(ParameterError, match="must be a list of two texts"):
            Declaration.of_record({**keys, "arms": arms}, declaration().benefit_keys())


def test_faults_of_both_parts_come_together_under_the_callers_names() -> None:
    with pytest.raises(ParameterError, match=r"propensity: .*benefit_bounds: "):
        Declaration.of_keys(
            {**TREATMENT, "arms": ["S"]},
            {**BENEFIT, "bounds": [2, 1]},
            {"arms": "propensity", "bounds": "benefit_bounds"},
        )


def test_a_study_s_sources_are_kept() -> None:
    made = Study.parse(study_text()).declaration()
    assert made.study_id == "insomnia-demo"
    assert made.sources["age"] == "protocol: adults up to 80"


MODELS: list[dict[str, object]] = [
    {"model": "private", "share": "0.3333333333333333333333333333"},
    {"model": "private", "share": "0.00000001"},
    {"model": "private"},
    {"model": "ridge"},
    {"model": "ridge", "gamma": 0.1},
    {"model": "external", "arm": 1, "intercept": -0.1, "coefficients": {"age": 1e-12, "sex=F": 3}},
]


@pytest.mark.parametrize("propensity", MODELS)
def test_a_record_brings_back_a_propensity_model(propensity: dict[str, object]) -> None:
    keys = {"column": "arm", "arms": [0, 1], "propensity_floor": "1/3", "propensity": propensity}
    made = Declaration.of_keys(keys, BENEFIT)
    record = json.loads(json.dumps(made.treatment_keys()))
    assert "origin" not in record  # the model brings its own
    back = Declaration.of_record(record, made.benefit_keys())
    assert back.treatment.propensity == made.treatment.propensity
    assert back.treatment_keys() == made.treatment_keys()
    assert back.treatment.pi_min == made.treatment.pi_min
    assert made.checked() is made


def test_a_record_cannot_give_a_model_another_origin() -> None:
    keys = {"column": "arm", "arms": [0, 1], "propensity_floor": "1/3", "propensity": MODELS[3]}
    record = {**Declaration.of_keys(keys, BENEFIT).treatment_keys(), "origin": "design"}
    with pytest.raises(ParameterError, match="only for a propensity column"):
        Declaration.of_record(record, BENEFIT)
