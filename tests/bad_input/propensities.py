"""Conditions of propensities: probabilities, columns and models where nobody was randomised."""

from typing import Any

import numpy as np
from tests.bad_input.arrays import Fit, classifier, rule, with_column
from tests.bad_input.base import ADD_REMOVE, PROPENSITY_COLUMN, Cells, N, replaced
from tests.bad_input.fitting import (
    Condition,
    Conditions,
    EditStudy,
    Through,
    study_says,
)

from dpwerm import Budget

ARMS = "arms = { pill = 0.5, therapy = 0.5 }"
LISTED = 'arms = ["pill", "therapy"]'
FLOOR = "propensity_floor = 0.1"
COEFFICIENTS = '{ age = 0.01, "sex=F" = 1 }'
EXTERNAL = {
    "model": "external",
    "arm": "therapy",
    "intercept": 0.5,
    "coefficients": {"x0": 1.0, "x1": -1.0},
}


def _declared(propensity: str, floor: str = FLOOR) -> EditStudy:
    return replaced(ARMS, f"{LISTED}\n{floor}\npropensity = {propensity}")


def _model(propensity: Any = "private", **changes: Any) -> Fit:
    sound = {"arms": ("pill", "therapy"), "propensity_floor": 0.1}
    return rule(**{**sound, "propensity": propensity, **changes})


def _both(toml: str, propensity: Any, floor: str = FLOOR, **changes: Any) -> Condition:
    """Return a propensity as the study file and as the estimator write it."""
    return study_says(_declared(toml, floor), _model(propensity, **changes))


def _external(
    arm: str = "therapy", coefficients: str = COEFFICIENTS, intercept: str = "intercept = 0.5, "
) -> str:
    return f'{{ model = "external", arm = "{arm}", {intercept}coefficients = {coefficients} }}'


def _share(toml: str, number: object) -> Condition:
    written = f'{{ model = "private", share = {toml} }}'
    return _both(written, {"model": "private", "share": number})


def _under_add_remove(toml: str, line: str = "") -> EditStudy:
    declared = _declared(toml)

    def edit(text: str) -> str:
        changed = declared(text)
        assert isinstance(changed, str)
        return ADD_REMOVE(changed).replace('id = "small-trial"', f'id = "small-trial"\n{line}')

    return edit


def _with_estimator(toml: str, name: str, floor: str = FLOOR) -> EditStudy:
    declared = _declared(toml, floor)

    def edit(text: str) -> str:
        changed = declared(text)
        assert isinstance(changed, str)
        return changed.replace("gamma = 50", f'gamma = 50\nestimator = "{name}"')

    return edit


def _without_chance(table: Cells) -> Cells:
    return table.pick([j for j, name in enumerate(table.header) if name != "chance"])


def _tiny(text: str) -> str:
    changed = _declared('{ model = "private" }')(text)
    assert isinstance(changed, str)
    return changed.replace("epsilon = 2", "epsilon = 0.000001")


def _with_mechanism(text: str) -> str:
    changed = _declared('{ model = "ridge" }')(text)
    assert isinstance(changed, str)
    return changed.replace("gamma = 50", 'gamma = 50\nmechanism = "objective-block"')


CONDITIONS: Conditions = {
    "P(second arm) above 1": Condition(arrays=(rule(arms=("pill", "therapy"), propensity=1.5),)),
    "P(second arm) 0": Condition(arrays=(rule(arms=("pill", "therapy"), propensity=0.0),)),
    "propensity column not in the table": Condition(
        Through(PROPENSITY_COLUMN, _without_chance),
        Through(PROPENSITY_COLUMN, _without_chance),
        (with_column(propensity_values=None),),
    ),
    "propensity given although a model gives it": Condition(
        arrays=(_model(propensity_values=np.full(N, 0.4)),)
    ),
    "propensity that is no name and no model": study_says(_declared("0.5")),
    "propensity beside arms with probabilities": study_says(
        replaced(ARMS, f'{ARMS}\n{FLOOR}\npropensity = {{ model = "private" }}')
    ),
    "origin of the weights beside a model": study_says(
        _declared('{ model = "private" }\norigin = "design"'), _model(weight_origin="design")
    ),
    "floor of a model missing": _both(
        '{ model = "private" }', "private", "", propensity_floor=None
    ),
    "floor of a model above one half": _both(
        '{ model = "private" }', "private", "propensity_floor = 0.6", propensity_floor=0.6
    ),
    "model unknown": _both('{ model = "magic" }', {"model": "magic"}),
    "model missing": _both("{ share = 0.3 }", "none of them"),
    "model asymptotic": _both('{ model = "asymptotic" }', "asymptotic"),
    "origin of the weights asymptotic": Condition(arrays=(classifier(weight_origin="asymptotic"),)),
    "model with an unknown key": _both(
        '{ model = "private", shar = 0.3 }', {"model": "private", "shar": 0.3}
    ),
    "share of a private model 0": _share("0", 0),
    "share of a private model 1": _share("1", 1.0),
    "share of a private model NaN": _share("nan", float("nan")),
    "share of a private model no number": _share('"half"', "half"),
    "budget whose split leaves nothing": Condition(
        Through(_tiny),
        Through(_declared('{ model = "private" }'), options=("--epsilon", "0.000001")),
        (_model(epsilon="0.000001"),),
    ),
    "private model with a budget in rho": Condition(
        None,
        Through(_declared('{ model = "private" }'), options=("--rho", "0.1")),
        (_model(epsilon=Budget.zcdp("0.1")),),
    ),
    "private model at an infinite epsilon": Condition(
        None,
        Through(_declared('{ model = "private" }'), options=("--epsilon", "inf")),
        (_model(epsilon="inf"),),
    ),
    "private model under add_remove, planned_n left out": study_says(
        _under_add_remove('{ model = "private" }'), _model(relation="add_remove")
    ),
    "private model under add_remove, planned_n declared": study_says(
        _under_add_remove('{ model = "private" }', f"planned_n = {N}"),
        _model(relation="add_remove", planned_n=N),
    ),
    "ridge model under add_remove": study_says(
        _under_add_remove('{ model = "ridge" }'), _model("ridge", relation="add_remove")
    ),
    "ridge model with a penalty of 0": _both(
        '{ model = "ridge", gamma = 0 }', {"model": "ridge", "gamma": 0}
    ),
    "ridge model with objective perturbation": study_says(
        _with_mechanism, _model("ridge", mechanism="objective-block")
    ),
    "no model, as it should be": _both(
        '{ model = "outcome" }', "outcome", "", propensity_floor=None
    ),
    "no model with an unknown key": _both(
        '{ model = "outcome", share = 0.3 }', {"model": "outcome", "share": 0.3}
    ),
    "no model for contrast regression": study_says(
        _with_estimator('{ model = "outcome" }', "contrast", ""),
        _model("outcome", propensity_floor=None, estimator="contrast"),
    ),
    "no model for outcome weights": study_says(
        _with_estimator('{ model = "outcome" }', "outcome-weighted", ""),
        _model("outcome", propensity_floor=None, estimator="outcome-weighted"),
    ),
    "private model for arm-wise regression": study_says(
        _with_estimator('{ model = "private" }', "arm-wise"), _model(estimator="arm-wise")
    ),
    "ridge model for arm-wise regression": study_says(
        _with_estimator('{ model = "ridge" }', "arm-wise"), _model("ridge", estimator="arm-wise")
    ),
    "ridge model for contrast regression": study_says(
        _with_estimator('{ model = "ridge" }', "contrast"), _model("ridge", estimator="contrast")
    ),
    "external model without an intercept": _both(
        _external(intercept=""),
        {key: value for key, value in EXTERNAL.items() if key != "intercept"},
    ),
    "external model of another column": _both(
        _external(coefficients='{ age = 0.05, "sex=F" = 1, agee = 2 }'),
        {**EXTERNAL, "coefficients": {"x0": 1.0, "x1": -1.0, "x00": 2.0}},
    ),
    "external model without one of the columns": _both(
        _external(coefficients='{ "sex=F" = 1 }'), {**EXTERNAL, "coefficients": {"x0": 1.0}}
    ),
    "external model of another arm": _both(_external("surgery"), {**EXTERNAL, "arm": "surgery"}),
    "external model with an infinite coefficient": _both(
        _external(coefficients='{ age = inf, "sex=F" = 1 }'),
        {**EXTERNAL, "coefficients": {"x0": float("inf"), "x1": -1.0}},
    ),
    "external model whose file does not exist": study_says(
        _declared('{ model = "external", file = "none.toml" }')
    ),
    "external model whose file is no model": study_says(
        _declared('{ model = "external", file = "trial.csv" }')
    ),
    "file of coefficients for another model": study_says(
        _declared('{ model = "private", file = "none.toml" }')
    ),
    "file of coefficients without a study file": Condition(
        arrays=(_model({"model": "external", "file": "none.toml"}),)
    ),
    "external model as it should be": _both(_external(), EXTERNAL),
    "external model beyond the floor": _both(
        _external(coefficients='{ age = 0.2, "sex=F" = 1 }'),
        {**EXTERNAL, "coefficients": {"x0": 50.0, "x1": -1.0}},
    ),
}
