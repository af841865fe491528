import numpy as np
from matplotlib.figure import Figure

from dpwerm.report.figure import draw_coefficients, draw_recommendation
from dpwerm.rules.rule import Rule
from dpwerm.rules.treatment_rule import PrivateTreatmentRule
from dpwerm.simulate.demo import demo_trial, study_text
from dpwerm.study.declaration import Study


def demo_rule(epsilon: object = 1, **other: object) -> Rule:
    parameters = {"gamma": 2000.0, "random_state": 1} | other
    rule = PrivateTreatmentRule.from_study(Study.parse(study_text()), epsilon, **parameters)
    return rule.fit(demo_trial(500)).rule_


def test_every_coefficient_is_drawn_with_the_reach_of_the_noise() -> None:
    axes, rule = Figure().subplots(), demo_rule()
    draw_coefficients(rule, axes)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(
        rule.release.encoding.coefficient_names
    )
    assert "privacy noise" in axes.get_title(loc="left")
    assert np.allclose(axes.lines[1].get_xdata(), rule.release.theta)


def test_a_baseline_claims_no_noise() -> None:
    axes = Figure().subplots()
    draw_coefficients(demo_rule("inf"), axes)
    assert axes.get_title(loc="left") == "Coefficients"


def test_no_reach_is_drawn_where_it_depends_on_the_data() -> None:
    axes, rule = Figure().subplots(), demo_rule(2, mechanism="objective-block")
    draw_coefficients(rule, axes)
    assert axes.get_title(loc="left") == "Coefficients"
    assert not axes.collections
    assert np.allclose(axes.lines[1].get_xdata(), rule.release.theta)


def test_the_two_numbers_that_matter_most_span_the_map() -> None:
    axes, rule = Figure().subplots(), demo_rule("inf")
    draw_recommendation(rule, axes, steps=20)
    assert {axes.get_xlabel(), axes.get_ylabel()} == {"age", "severity"}
    shown = np.asarray(axes.collections[0].get_array()).ravel()
    assert set(shown) == {0.0, 1.0}
