import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError

from dpwerm.arrays import FloatArray
from dpwerm.data.table import Table, read_table
from dpwerm.faults import faults_of
from dpwerm.study.treatment import (
    Treatment,
    arm_labels,
    received_probabilities,
    second_arm_probabilities,
)

DESIGN: dict[str, object] = {"column": "arm", "arms": {"S": "1/3", "G": "2/3"}}
PROPENSITY: dict[str, object] = {
    "column": "arm",
    "arms": [0, 1],
    "propensity": "p",
    "propensity_floor": "0.1",
    "origin": "external",
}
MODEL: dict[str, object] = {
    "column": "arm",
    "arms": ["S", "G"],
    "propensity": {"model": "private"},
    "propensity_floor": "0.1",
}
EXTERNAL: dict[str, object] = {
    "model": "external",
    "arm": "G",
    "intercept": 0,
    "coefficients": {"age": 1},
}


def treatment(raw: dict[str, object]) -> Treatment:
    return Treatment.model_validate(raw)


def test_a_design_knows_its_probabilities() -> None:
    found = treatment(DESIGN)
    assert found.arms == ("S", "G")
    assert found.probabilities == (Fraction(1, 3), Fraction(2, 3))
    assert Fraction(found.pi_min) < Fraction(1, 3) < Fraction(math.nextafter(found.pi_min, 1))
    assert (found.origin, found.default, found.columns) == ("design", "S", ("arm",))


def test_a_propensity_column_has_floor_and_origin() -> None:
    found = treatment({**PROPENSITY, "default": 1})
    assert found.probabilities is None
    assert (found.arms, found.default, found.origin) == (("0", "1"), "1", "external")
    assert Fraction(found.pi_min) <= Fraction(1, 10)
    assert found.columns == ("arm", "p")


def test_labels_compare_cells_as_text() -> None:
    table = read_table(pd.DataFrame({"arm": [0, 1.0, "1", " 0", "x", None]}, dtype=object), ["arm"])
    np.testing.assert_array_equal(
        arm_labels(table, treatment(PROPENSITY)), [-1, 1, 1, -1, np.nan, np.nan]
    )


def probabilities_received(table: Table, treatment: Treatment) -> FloatArray:
    second = second_arm_probabilities(table, treatment)
    assert second is not None
    return received_probabilities(treatment, arm_labels(table, treatment), second)


def test_probabilities_of_the_arm_received() -> None:
    table = read_table(pd.DataFrame({"arm": ["S", "G", None]}), ["arm"])
    found = probabilities_received(table, treatment(DESIGN))
    np.testing.assert_allclose(found, [1 / 3, 2 / 3, np.nan])


def test_propensities_are_clipped_to_the_floor() -> None:
    p = [0.3, 0.3, 0.0, 0.0, 1.0, 5.0, math.nan, -math.inf, 0.95]
    frame = pd.DataFrame({"arm": [0, 1, 0, 1, 0, 1, 1, 1, 0], "p": p})
    table = read_table(frame, ["arm", "p"])
    found = probabilities_received(table, treatment(PROPENSITY))
    expected = [0.7, 0.3, 0.9, 0.1, 0.1, 0.9, np.nan, np.nan, 0.1]
    np.testing.assert_allclose(found, expected)
    assert np.nanmin(found) >= treatment(PROPENSITY).pi_min


def test_no_probability_is_below_pi_min() -> None:
    table = read_table(pd.DataFrame({"arm": ["S", "G"]}), ["arm"])
    for k in range(1, 50):
        found = treatment({"column": "arm", "arms": {"S": f"{k}/97", "G": f"{97 - k}/97"}})
        chosen = probabilities_received(table, found)
        assert chosen.min() >= found.pi_min


@pytest.mark.parametrize(
    ("raw", "where", "said"),
    [
        ({"column": "arm"}, "arms", "missing"),
        ({**DESIGN, "arms": {"S": 1}}, "arms", "two arms, not 1"),
        ({**DESIGN, "arms": ["a", "b", "c"]}, "arms", "two arms, not 3"),
        ({**DESIGN, "arms": {"S": "0.5", "G": "0.6"}}, "arms", "sum to 1.1"),
        ({**DESIGN, "arms": {"S": 0, "G": 1}}, "arms", "strictly between"),
        ({**DESIGN, "arms": {"S": "1.5", "G": "-0.5"}}, "arms", "strictly between"),
        ({**DESIGN, "arms": {"S": "1e-10", "G": "0.9999999999"}}, "arms", "by at least 1e-9"),
        ({**DESIGN, "origin": "asymptotic"}, "origin", "statement about large samples"),
        ({**PROPENSITY, "origin": "asymptotic"}, "origin", "statement about large samples"),
        ({**PROPENSITY, "propensity_floor": "1e-10"}, "propensity_floor", "by at least 1e-9"),
        ({**DESIGN, "arms": {"1": "1/2", "1.0": "1/2"}}, "arms", "the same"),
        ({**DESIGN, "arms": "S"}, "arms", "two arms"),
        ({**DESIGN, "arms": {"S\n====": "1/2", "G": "1/2"}}, "arms", "an arm has a line break"),
        ({**PROPENSITY, "arms": ["S", "G\u2028H"]}, "arms", "an arm has a line break"),
        ({**DESIGN, "default": "X"}, "default", "not an arm"),
        ({**DESIGN, "propensity": "p"}, "propensity", "already have"),
        ({**DESIGN, "propensity_floor": "0.1"}, "propensity_floor", "only for"),
        ({"column": "arm", "arms": ["S", "G"]}, "contents", "no probabilities"),
        ({**PROPENSITY, "propensity_floor": None}, "propensity_floor", "needed"),
        ({**PROPENSITY, "propensity_floor": "0.6"}, "propensity_floor", "at most 0.5"),
        ({**PROPENSITY, "propensity_floor": 0}, "propensity_floor", "strictly between"),
        ({**PROPENSITY, "origin": None}, "origin", "needed"),
        ({**PROPENSITY, "origin": "guess"}, "origin", "'design', 'external' or 'worst_case'"),
        ({**MODEL, "origin": "design"}, "origin", "only for a propensity column"),
        ({**MODEL, "propensity_floor": None}, "propensity_floor", "needed with a propensity"),
        ({**MODEL, "propensity_floor": "0.51"}, "propensity_floor", "at most 0.5"),
        ({**MODEL, "arms": {"S": "1/2", "G": "1/2"}}, "propensity", "already have"),
        ({**MODEL, "propensity": {"model": "asymptotic"}}, "propensity", "H, not H/n"),
        ({**MODEL, "propensity": {"model": "private", "share": 1}}, "propensity.share", "below 1"),
        ({**MODEL, "propensity": {**EXTERNAL, "arm": "X"}}, "propensity", "'X' is not an arm"),
        ({**MODEL, "propensity": 0.5}, "propensity", "must name a column, or a model"),
    ],
)
def test_bad_treatments_say_why(raw: dict[str, object], where: str, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        treatment(raw)
    assert (where, True) in [(f.where, said in f.problem) for f in faults_of(caught.value)]


def test_floor_and_origin_are_reported_together() -> None:
    with pytest.raises(ValidationError) as caught:
        treatment({"column": "arm", "arms": ["S", "G"], "propensity": "p"})
    assert [f.where for f in faults_of(caught.value)] == ["propensity_floor", "origin"]


@pytest.mark.parametrize(
    ("model", "origin"),
    [
        ({"model": "private"}, "released"),
        ({"model": "ridge"}, "ridge"),
        (EXTERNAL, "external"),
        ({**EXTERNAL, "arm": " S "}, "external"),
    ],
)
def test_a_model_brings_its_origin_and_reads_no_column(
    model: dict[str, object], origin: str
) -> None:
    found = treatment({**MODEL, "propensity": model})
    assert (found.origin, found.columns, found.propensity_column) == (origin, ("arm",), None)
    assert found.probabilities is None
    assert Fraction(found.pi_min) <= Fraction(1, 10)
    table = read_table(pd.DataFrame({"arm": ["S"]}), ["arm"])
    assert second_arm_probabilities(table, found) is None


def test_a_model_s_probabilities_are_clipped_after_rounding() -> None:
    second = np.array([0.5, 0.05, 0.05, 0.0, 1.0, np.nan, 0.5])
    labels = np.array([1.0, 1.0, -1.0, 1.0, -1.0, 1.0, np.nan])
    for floor in ("1/3", "0.1", "1/10000000"):
        found = treatment({**MODEL, "propensity_floor": floor})
        chosen = received_probabilities(found, labels, second)
        assert np.isnan(chosen).tolist() == [False] * 5 + [True] * 2
        assert np.nanmin(chosen) == found.pi_min
        assert np.nanmax(chosen) <= 1 - found.pi_min


def test_an_origin_of_its_own_wins_where_it_may_be_declared() -> None:
    assert treatment({**DESIGN, "origin": "worst_case"}).origin == "worst_case"
    assert treatment({**PROPENSITY, "origin": "worst_case"}).origin == "worst_case"
