"""A rule and its benefit in the units of the table, in digits that people read."""

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.unit.documents.reported import said

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.documents.own_units import (
    centre_in_column,
    clip_words,
    no_weight_words,
    one_side_words,
)
from dpwerm.documents.render import as_text
from dpwerm.documents.report.compose import compose
from dpwerm.documents.report.material import Material
from dpwerm.documents.summary import summary
from dpwerm.documents.value import value_summary
from dpwerm.evaluate import treatment_value
from dpwerm.releases.kinds import Beside
from dpwerm.study.treatment import Declaration

ARMS = {"column": "arm", "arms": {"old": 0.5, "new": 0.5}}


def declared(**benefit: Any) -> Declaration:
    """Return a trial of a cost between 0 and 1,000."""
    return Declaration.of_keys(ARMS, {"column": "cost", "bounds": [0.0, 1000.0], **benefit})


@pytest.mark.parametrize(
    ("benefit", "words"),
    [
        ({}, ""),
        ({"clip": "range"}, ""),
        ({"clip": 200}, "above 700 counted as 700 and one below 300 counted as 300"),
        ({"clip": 200, "direction": "smaller"}, "above 700 counted as 700 and one below 300"),
        ({"clip": 200, "centre": 100}, "above 300 counted as 300."),
        ({"clip": 200, "centre": -100, "direction": "smaller"}, "above 300 counted as 300."),
        ({"clip": 0.5, "bounds": [1, 100], "transform": "log"}, "above 16.49 counted as 16.49 and"),
        ({"clip": 50, "centre": 900, "weights": "nonnegative"}, "one below 900 counted as 900."),
    ],
)
def test_a_clip_is_told_in_the_units_of_the_benefit(benefit: dict[str, Any], words: str) -> None:
    told = clip_words(declared(**benefit).benefit)
    assert words in told
    assert told.startswith("In learning, a benefit (cost) ") is bool(words)
    # What is told is what happens: beyond an end every benefit has the weight of the end.
    for side, end in re.findall(r"(above|below) ([\d.]+) counted", told):
        inner, outer = float(end), float(end) * (1.02 if side == "above" else 0.98)
        v = declared(**benefit).benefit.centred(np.array([inner, outer]))
        assert v[0] == pytest.approx(v[1], abs=2e-3)


@pytest.mark.parametrize(
    ("benefit", "words"),
    [
        ({"clip": 50}, "If most people's cost lies below 450, or most above 550,"),
        ({"clip": 50, "direction": "smaller"}, "below 450, or most above 550,"),
        ({"clip": 50, "centre": 100}, ""),
        ({"clip": "range"}, ""),
        ({"clip": 50, "weights": "nonnegative"}, ""),
    ],
)
def test_a_clip_around_the_middle_is_warned_of(benefit: dict[str, Any], words: str) -> None:
    told = one_side_words(declared(**benefit).benefit)
    assert words in told
    assert bool(told) is bool(words)


def test_what_is_neither_good_nor_bad_is_told_in_the_units_of_the_column() -> None:
    turned = declared(bounds=[10, 1000], centre=-5, direction="smaller", transform="log")
    assert centre_in_column(turned.benefit) == "148.4"


def test_who_may_have_weight_0_is_told_and_no_number_of_them() -> None:
    words = no_weight_words(declared())
    assert words == (
        "Any number of them may have had weight 0, and so no say in the rule: everybody whose arm "
        "is missing or no declared arm, cost is missing or cost is exactly 500. They count as "
        "people all the same. How many they were is not published."
    )
    weights = {"weights": "nonnegative", "centre": -200, "direction": "smaller"}
    assert "or cost is 200 or above." in no_weight_words(declared(**weights))
    arms: dict[str, Any] = {"column": "arm", "arms": ["old", "new"], "origin": "design"}
    arms |= {"propensity": "p", "propensity_floor": 0.2}
    by_row = Declaration.of_keys(arms, {"column": "cost", "bounds": [0.0, 1000.0]})
    assert "cost is missing, p is missing or cost" in no_weight_words(by_row)


WIDE = Study.parse(
    """\
format = 1
study = { id = "wide", relation = "replace_one" }
features.income = { kind = "number", bounds = [0, 40000000] }
features.dose = { kind = "number", bounds = [0, 0.00002] }
features.age = { kind = "number", bounds = [18, 80] }
treatment = { column = "arm", arms = { old = 0.5, new = 0.5 } }
benefit = { column = "cost", bounds = [0, 9000000], clip = 1234567 }
"""
)


def wide_trial(n: int = 300) -> pa.Table:
    rng = np.random.default_rng(2)
    return pa.table(
        {
            "income": rng.uniform(0, 4e7, n),
            "dose": rng.uniform(0, 2e-5, n),
            "age": rng.uniform(18, 80, n),
            "arm": rng.choice(["old", "new"], n),
            "cost": rng.uniform(0, 9e6, n),
        }
    )


@pytest.mark.parametrize("mechanism", ["spherical-laplace", "objective-block"])
def test_no_number_has_an_exponent(mechanism: str) -> None:
    estimator = PrivateTreatmentRule.from_study(
        WIDE, 1, gamma=3e8, mechanism=mechanism, random_state=1
    )
    rule = estimator.fit(wide_trial()).rule_
    value = treatment_value(rule, wide_trial(), 1, study=WIDE, random_state=2)
    report, told = compose(Material(rule, Beside(value=value))), summary(rule)
    for text in (told, value_summary(value, rule), as_text(report)):
        assert re.findall(r"\d[eE][+-]?\d+", re.sub("sha256:[0-9a-f]+", "", text)) == []
    for words in (" per 10,000,000", " per 0.00001", " per unit"):
        assert words in told
        assert words in said(report, "learned")
    assert "counted as 5,735,000 and one below 3,265,000 counted as" in said(report, "short")
    assert "counted as 5,735,000" in said(report, "learned")
    assert "counted as 5,735,000" in told
    assert "How many they were is not published." in said(report, "short")


def test_what_is_told_of_a_score_is_the_score() -> None:
    rule = PrivateTreatmentRule.from_study(WIDE, "inf", gamma=3e8).fit(wide_trial()).rule_
    own = rule.release.own_units()
    largest = max(abs(own["age"]) * 62, abs(own["income"]) * 4e7, abs(own["dose"]) * 2e-5)
    text = summary(rule)
    for name, width in (("age", 62.0), ("income", 4e7), ("dose", 2e-5)):
        (adds, per) = re.findall(rf"\n  {name} +(\S+) per (\S+)\n", text)[0]
        step = 1.0 if per == "unit" else float(per.replace(",", ""))
        told = float(adds.replace(",", "")) / step * width
        assert told == pytest.approx(own[name] * width, abs=0.01 * largest)
