from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget, total
from dpwerm.privacy.weight_origin import RidgeModel
from dpwerm.study.treatment import Declaration, Treatment
from dpwerm.weighting.trial import RIDGE_TOLERANCE, SHARE, model_encoding, origin_for, split

ENCODING = Encoding.of_numbers(["x", "z"], [(-1.0, 1.0), (0.0, 10.0)], intercept=0.25)
EXTERNAL = {"model": "external", "arm": "b", "intercept": -1.5, "coefficients": {"x": 2, "z": 0.3}}


def declared(propensity: object, floor: str = "1/10") -> Declaration:
    keys: dict[str, Any] = {"column": "arm", "arms": ["a", "b"], "propensity_floor": floor}
    if propensity == "p":
        keys["origin"] = "external"
    return Declaration.of_keys(
        {**keys, "propensity": propensity}, {"column": "benefit", "bounds": [0, 4]}
    )


def private(share: object = "auto") -> Treatment:
    return declared({"model": "private", "share": share}).treatment


# -- the split ---------------------------------------------------------------------------------


@given(
    epsilon=st.decimals("1.02", "1000000000", places=18),
    share=st.decimals("0.000001", "0.999999", places=30),
)
def test_the_parts_are_the_whole_exactly(epsilon: Decimal, share: Decimal) -> None:
    treatment, whole = private(share), Budget(epsilon)
    part, rest = split(whole, treatment)
    assert part is not None
    assert isinstance(rest, Budget)
    assert part.exact_epsilon + rest.exact_epsilon == Fraction(epsilon)
    exact = Fraction(epsilon) * Fraction(share)
    assert exact * (1 - Fraction(1, 10**8)) <= part.exact_epsilon <= exact
    both = total(part, rest)
    assert both == whole
    assert split(both, treatment) == (part, rest)


@pytest.mark.parametrize(
    ("epsilon", "share", "part", "rest"),
    [
        ("1", "auto", "0.5", "0.5"),
        ("0.1", "0.25", "0.025", "0.075"),
        ("1", "0.3333333333333333333333333333", "0.333333333", "0.666666667"),
        ("0.1", "0.7", "0.07", "0.03"),
        ("1000000000", "0.5", "500000000", "500000000"),
        ("0.000002", "0.5", "0.000001", "0.000001"),
        (
            "1.00000000000000000000000000001",
            "0.5",
            "0.5",
            "0.50000000000000000000000000001",
        ),
    ],
)
def test_parts_are_decimals_that_can_be_written(
    epsilon: str, share: str, part: str, rest: str
) -> None:
    assert split(Budget.of(epsilon), private(share)) == (Budget.of(part), Budget.of(rest))


@pytest.mark.parametrize(
    ("epsilon", "share"),
    [("0.000001", "auto"), ("0.000002", "0.4"), ("0.000002", "0.6"), ("1", "0.9999999999")],
)
def test_a_split_that_leaves_nothing_is_refused(epsilon: str, share: str) -> None:
    with pytest.raises(ParameterError, match=r"leaves less than 0.000001"):
        split(Budget.of(epsilon), private(share))


def test_a_delta_stays_with_the_rule() -> None:
    part, rest = split(Budget.of(1, "1e-6"), private())
    assert part == Budget(SHARE)
    assert rest == Budget.of("0.5", "1e-6")


def test_without_privacy_there_is_nothing_to_split() -> None:
    none = Budget.of("inf")
    assert split(none, private()) == (none, none)


@pytest.mark.parametrize("budget", [Budget.zcdp("0.1"), Budget.gdp("0.5")])
def test_only_epsilon_can_be_split(budget: Any) -> None:
    with pytest.raises(ParameterError, match=f"needs a budget in epsilon, not {budget.symbol}"):
        split(budget, private())
    ridge = declared({"model": "ridge"}).treatment
    assert split(budget, ridge) == (None, budget)


@pytest.mark.parametrize("propensity", ["p", EXTERNAL, {"model": "ridge"}])
def test_other_propensities_cost_nothing(propensity: object) -> None:
    assert split(Budget.of(1), declared(propensity).treatment) == (None, Budget.of(1))


# -- the origin --------------------------------------------------------------------------------


def test_each_model_has_its_origin() -> None:
    names = [
        origin_for(declared(each).treatment, ENCODING, 50).name
        for each in ("p", EXTERNAL, {"model": "private"}, {"model": "ridge"})
    ]
    assert names == ["external", "external", "released", "ridge"]


def test_a_ridge_model_states_its_numbers() -> None:
    found = origin_for(declared({"model": "ridge"}, "1/3").treatment, ENCODING, 50)
    assert isinstance(found, RidgeModel)
    # Rows are centred with an intercept of 1, whatever the rule's own encoding is.
    assert Fraction(found.radius) ** 2 >= 3
    assert found.radius == pytest.approx(3**0.5, rel=1e-15)
    assert Fraction(found.pi_min) <= Fraction(1, 3)
    assert (found.dimension, found.gamma, found.tolerance) == (3.0, 50.0, RIDGE_TOLERANCE)
    fixed = origin_for(declared({"model": "ridge", "gamma": 7}).treatment, ENCODING, 50)
    assert fixed.parameters["gamma"] == 7.0


def test_a_model_sees_rows_in_one_way_only() -> None:
    paper = ENCODING.changed(kind="paper", intercept=0.0)
    saturated = ENCODING.changed(saturation=2.5)
    assert model_encoding(paper) == model_encoding(saturated) == model_encoding(ENCODING)
