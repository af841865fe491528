import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from dpwerm.report.figure import draw_coefficients, draw_recommendation
from dpwerm.report.noise_interval import half_width
from dpwerm.rules.rule import Rule
from dpwerm.rules.treatment_rule import PrivateTreatmentRule
from dpwerm.simulate.demo import demo_trial, study_text
from dpwerm.study.declaration import Study


def demo_rule(epsilon: object = 1, **other: object) -> Rule:
    parameters = {"gamma": 2000.0, "random_state": 1} | other
    rule = PrivateTreatmentRule.from_study(
        Study.parse(study_text()), epsilon, ledger="none", **parameters
    )
    return rule.fit(demo_trial(500)).rule_


def test_every_coefficient_is_drawn_with_the_reach_of_the_noise() -> None:
    axes, rule = Figure().subplots(), demo_rule()
    draw_coefficients(rule, axes)
    assert [label.get_text() for label in axes.get_yticklabels()] == list(
        rule.release.encoding.coefficient_names
    )
    assert "privacy noise" in axes.get_title(loc="left")
    assert np.allclose(axes.lines[1].get_xdata(), rule.release.effects)


def intervals(axes: Axes) -> dict[float, tuple[float, float]]:
    """Return the ends of the interval drawn in each row of the picture."""
    (bars,) = axes.collections
    assert isinstance(bars, LineCollection)
    ends = [np.asarray(segment) for segment in bars.get_segments()]
    return {float(pair[0, 1]): (float(pair[0, 0]), float(pair[1, 0])) for pair in ends}


def test_the_reach_is_stretched_with_its_coefficient() -> None:
    axes, rule = Figure().subplots(), demo_rule(saturation=2.0)
    draw_coefficients(rule, axes)
    release, reach = rule.release, half_width(rule.release)
    assert reach is not None
    phi = {"age": 1.375, "severity": 1.375}
    drawn = intervals(axes)
    for row, (name, theta) in enumerate(
        zip(release.encoding.coefficient_names, release.theta, strict=True)
    ):
        factor = phi.get(name, 1.0)
        ends = ((theta - reach) * factor, (theta + reach) * factor)
        assert np.allclose(drawn[len(release.theta) - 1 - row], ends), name


def test_what_the_threshold_set_to_0_has_no_interval() -> None:
    axes, rule = Figure().subplots(), demo_rule(threshold=0.999)
    draw_coefficients(rule, axes)
    kept = rule.release.kept
    used = {float(row) for row, k in enumerate(reversed(kept)) if k}
    assert len(used) < len(kept)
    assert set(intervals(axes)) == used
    assert len(np.asarray(axes.lines[1].get_xdata())) == len(kept)


def test_a_baseline_claims_no_noise() -> None:
    axes = Figure().subplots()
    draw_coefficients(demo_rule("inf"), axes)
    assert axes.get_title(loc="left") == "Coefficients"


def test_no_reach_is_drawn_where_it_depends_on_the_data() -> None:
    axes, rule = Figure().subplots(), demo_rule(2, mechanism="objective-block")
    draw_coefficients(rule, axes)
    assert axes.get_title(loc="left") == "Coefficients"
    assert not axes.collections
    assert np.allclose(axes.lines[1].get_xdata(), rule.release.effects)


def test_the_two_numbers_that_matter_most_span_the_map() -> None:
    axes, rule = Figure().subplots(), demo_rule("inf")
    draw_recommendation(rule, axes, steps=20)
    assert {axes.get_xlabel(), axes.get_ylabel()} == {"age", "severity"}
    shown = np.asarray(axes.collections[0].get_array()).ravel()
    assert set(shown) == {0.0, 1.0}
