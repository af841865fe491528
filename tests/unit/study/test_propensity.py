from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from dpwerm.data.table import read_table
from dpwerm.errors import ParameterError
from dpwerm.faults import faults_of
from dpwerm.study.propensity import (
    ASYMPTOTIC,
    ColumnPropensity,
    ExternalPropensity,
    LinearModel,
    PrivatePropensity,
    RidgePropensity,
    WrittenPropensity,
    share_of,
)
from dpwerm.study.study import Study
from dpwerm.study.treatment import Declaration, Treatment

STUDY = Study.parse(
    """
format = 1
study.id = "trial-1"
features.age = { kind = "number", column = "AGE", bounds = [18, 90] }
features.sex = { kind = "category", levels = ["F", "M"], default = "F" }
treatment = { column = "arm", arms = { S = "1/3", G = "2/3" } }
benefit = { column = "days", bounds = [1, 100] }
[features.site]
kind = "category"
levels = { north = ["1", "2"], south = ["3"], other = "*" }
default = "other"
"""
)
WRITTEN: TypeAdapter[Any] = TypeAdapter(WrittenPropensity)
COEFFICIENTS = {
    "age": 0.05,
    "sex=F": -1.0,
    "sex=M": 0.5,
    "site=north": 0.25,
    "site=other": -2.0,
}
EXTERNAL = {"model": "external", "arm": "G", "intercept": -2.5, "coefficients": COEFFICIENTS}
PEOPLE = pd.DataFrame(
    {
        "AGE": ["18", "90", "54", "20.5", "", "200"],
        "sex": ["F", "M", "M", "F", "?", "M"],
        "site": ["1", "2", "3", "9", "3", ""],
    }
)


def linear(**changes: float) -> LinearModel:
    return LinearModel(intercept=-2.5, coefficients=COEFFICIENTS | changes)


def by_hand(intercept: float, a: dict[str, float]) -> list[float]:
    """Return the score of each person in the columns' own units, as a person would compute it."""
    scores = []
    for row in PEOPLE.to_dict("records"):
        age = float(row["AGE"]) if row["AGE"] else 54.0  # the midpoint stands for a missing age
        sex = row["sex"] if row["sex"] in ("F", "M") else "F"
        site = {"1": "north", "2": "north", "3": "south"}.get(row["site"], "other")
        scores.append(
            intercept
            + a["age"] * min(max(age, 18.0), 90.0)
            + a.get(f"sex={sex}", 0)
            + a.get(f"site={site}", 0)
        )
    return scores


# -- scores ------------------------------------------------------------------------------------


numbers = st.floats(-100, 100)


@given(numbers, st.fixed_dictionaries(dict.fromkeys(COEFFICIENTS, numbers)))
def test_a_score_is_what_a_person_would_compute(intercept: float, a: dict[str, float]) -> None:
    encoding = STUDY.encoding()
    X = encoding.encode(read_table(PEOPLE, encoding.columns))
    found = LinearModel(intercept=intercept, coefficients=a).scores(encoding, X)
    np.testing.assert_allclose(found, by_hand(intercept, a), rtol=1e-12, atol=1e-9)


def test_a_score_does_not_depend_on_the_rows_beside_it() -> None:
    encoding = STUDY.encoding()
    X = encoding.encode(read_table(PEOPLE, encoding.columns))
    together = linear().scores(encoding, X)
    for i in range(len(X)):
        assert linear().scores(encoding, X[i : i + 2])[0] == together[i]


def test_coefficients_must_be_those_of_the_study() -> None:
    encoding = STUDY.encoding()
    linear().check(encoding)
    with pytest.raises(ParameterError, match=r"'agee' is no feature.*did you mean 'age'\?"):
        linear(agee=1.0).check(encoding)
    with pytest.raises(ParameterError, match="'site=west' is no feature or level"):
        linear(**{"site=west": 1.0}).check(encoding)
    with pytest.raises(ParameterError, match=r"'sex' is no feature or level"):
        linear(sex=1.0).check(encoding)
    with pytest.raises(ParameterError) as caught:
        LinearModel(intercept=0, coefficients={"intercept": 1}).check(encoding)
    for said in ("'intercept' is no", "'age' has no", "'sex=M' has no", "'site=other' has no"):
        assert said in str(caught.value)
    rest = {name: value for name, value in COEFFICIENTS.items() if name != "age"}
    with pytest.raises(ParameterError, match="'age' has no coefficient; write 0"):
        LinearModel(intercept=0, coefficients=rest).scores(encoding, np.zeros((1, 5)))


def test_a_level_without_a_coefficient_adds_nothing() -> None:
    encoding = STUDY.encoding()
    X = encoding.encode(read_table(PEOPLE, encoding.columns))
    spelled_out = linear(**{"site=south": 0.0})
    assert linear().scores(encoding, X).tolist() == spelled_out.scores(encoding, X).tolist()


# -- as a study file writes it -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("chance", ColumnPropensity),
        ({"model": "column", "column": "chance"}, ColumnPropensity),
        ({"model": "private"}, PrivatePropensity),
        ({"model": "private", "share": Decimal("0.3333333333333333333333")}, PrivatePropensity),
        ({"model": "ridge"}, RidgePropensity),
        ({"model": "ridge", "gamma": 250}, RidgePropensity),
        (EXTERNAL, ExternalPropensity),
    ],
)
def test_what_is_read_is_written_back(written: Any, kind: Any) -> None:
    found = WRITTEN.validate_python(written)
    assert type(found) is kind
    assert WRITTEN.validate_python(found) == found
    origin = {"origin": "design"} if kind is ColumnPropensity else {}
    keys = {"column": "arm", "arms": ["S", "G"], "propensity": written, "propensity_floor": "0.1"}
    declared = Declaration(Treatment.model_validate(keys | origin), STUDY.benefit)
    assert WRITTEN.validate_python(declared.treatment_keys()["propensity"]) == found


@pytest.mark.parametrize(
    ("written", "where", "said"),
    [
        ({"model": "asymptotic"}, "contents", ASYMPTOTIC),
        (
            {"model": "magic"},
            "contents",
            'a model among "private", "external", "ridge", "outcome", "column"',
        ),
        ({"share": 0.3}, "contents", "must name a column, or a model among"),
        ({"model": ["private"]}, "contents", "must name a column, or a model among"),
        ({}, "contents", "must name a column, or a model among"),
        ({**EXTERNAL, "file": "p.toml"}, "contents", "beside a study file only"),
        ({"model": "private", "share": 0}, "private.share", "above 0 and below 1, not 0"),
        ({"model": "private", "share": 1}, "private.share", "above 0 and below 1, not 1"),
        ({"model": "private", "share": "half"}, "private.share", "must be a number"),
        ({"model": "private", "gamma": 1}, "private.gamma", "not a known key"),
        ({"model": "ridge", "share": 1}, "ridge.share", "not a known key"),
        ({"model": "ridge", "gamma": 0}, "ridge.gamma", "between 1e-12 and 1e+12"),
        ({"model": "ridge", "gamma": "best"}, "ridge.gamma", '"auto" or a number'),
        ({"model": "external", "arm": "G"}, "external.intercept", "missing"),
        ({"model": "external", "arm": "G"}, "external.coefficients", "missing"),
        ({**EXTERNAL, "intercept": float("nan")}, "external.intercept", "finite"),
        ({**EXTERNAL, "coefficients": {"age": "x"}}, "external.coefficients.age", "a number"),
        ({**EXTERNAL, "coefficients": [1.0]}, "external.coefficients", "table of keys"),
        ({"model": "column"}, "column.column", "missing"),
        ("", "column.column", "1 to 1,000 characters"),
        (3, "contents", "must name a column, or a model among"),
    ],
)
def test_what_cannot_be_is_refused(written: Any, where: str, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        WRITTEN.validate_python(written)
    assert (where, True) in [(f.where, said in f.problem) for f in faults_of(caught.value)]


def test_a_share_is_the_exact_decimal_that_was_written() -> None:
    assert share_of(0.1) == Decimal("0.1")
    assert share_of("auto") == "auto"
    assert PrivatePropensity().share == "auto"


def test_an_open_penalty_is_the_number_of_people() -> None:
    assert RidgePropensity().penalty(250) == 250
    assert RidgePropensity().penalty(0) == 1
    assert RidgePropensity(gamma=7.5).penalty(250) == 7.5
