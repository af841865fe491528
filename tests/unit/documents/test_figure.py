from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from tests.unit.documents.test_drawing import assert_inside

from dpwerm.arrays import FloatArray
from dpwerm.documents.drawing import panels, room, short, titled
from dpwerm.documents.figures import (
    draw_coefficients,
    draw_recommendation,
    recommended_everywhere,
    save_figure,
)
from dpwerm.documents.half_widths import SimulatedHalfWidths
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.releases.release import Rule
from dpwerm.simulate.demo import demo_trial, study_text
from dpwerm.study.study import Study


def half_widths_of(half: FloatArray) -> SimulatedHalfWidths:
    return SimulatedHalfWidths(half, half, half, half, problems=2, draws=2, coverage=0.95)


def demo_rule(epsilon: object = 1, text: str = study_text(), **other: object) -> Rule:
    parameters = {"gamma": 2000.0, "random_state": 1} | other
    rule = PrivateTreatmentRule.from_study(Study.parse(text), epsilon, ledger="none", **parameters)
    return rule.fit(demo_trial(500)).rule_


def test_every_coefficient_is_drawn_with_its_half_width() -> None:
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


def test_the_half_width_is_stretched_with_its_coefficient() -> None:
    axes, rule = Figure().subplots(), demo_rule(saturation=2.0)
    draw_coefficients(rule, axes)
    release = rule.release
    half = release.half_width(count=len(release.theta))
    assert half is not None
    phi = {"age": 1.375, "severity": 1.375}
    drawn = intervals(axes)
    for row, (name, theta) in enumerate(
        zip(release.encoding.coefficient_names, release.theta, strict=True)
    ):
        factor = phi.get(name, 1.0)
        ends = ((theta - half) * factor, (theta + half) * factor)
        assert np.allclose(drawn[len(release.theta) - 1 - row], ends), name


def test_what_the_threshold_set_to_0_has_no_interval() -> None:
    axes, rule = Figure().subplots(), demo_rule(threshold=0.999)
    draw_coefficients(rule, axes)
    kept = rule.release.kept
    used = {float(row) for row, k in enumerate(reversed(kept)) if k}
    assert len(used) < len(kept)
    assert set(intervals(axes)) == used
    assert len(np.asarray(axes.lines[1].get_xdata())) == len(kept)


def test_of_many_coefficients_the_largest_can_be_drawn_alone() -> None:
    axes, rule = Figure().subplots(), demo_rule()
    draw_coefficients(rule, axes, most=2)
    names, effects = rule.release.encoding.coefficient_names, np.abs(rule.release.effects)
    largest = [
        name for name, size in zip(names, effects, strict=True) if size >= sorted(effects)[-2]
    ]
    assert [label.get_text() for label in axes.get_yticklabels()] == largest
    assert len(intervals(axes)) == 2


def test_a_baseline_claims_no_noise() -> None:
    axes = Figure().subplots()
    draw_coefficients(demo_rule("inf"), axes)
    assert axes.get_title(loc="left") == "Coefficients (NOT PRIVATE)"


def test_no_interval_is_drawn_where_it_depends_on_the_data() -> None:
    axes, rule = Figure().subplots(), demo_rule(2, mechanism="objective-block")
    draw_coefficients(rule, axes)
    assert axes.get_title(loc="left") == "Coefficients (NOT PRIVATE)"
    assert not axes.collections
    assert np.allclose(axes.lines[1].get_xdata(), rule.release.effects)


def plain_bars() -> object:
    (bars,) = Figure().subplots().errorbar([0], [0], xerr=[1], fmt="none")[2]
    return bars.get_linestyle()


def test_a_simulated_half_width_is_dashed_and_called_so() -> None:
    axes, rule = Figure().subplots(), demo_rule(2, mechanism="objective-block", threshold=0.9)
    kept = rule.release.kept
    half = np.linspace(0.1, 0.5, len(kept))
    draw_coefficients(rule, axes, half_widths_of(half))
    assert axes.get_title(loc="left").endswith("privacy noise, 95 % for all at once, simulated")
    (bars,) = axes.collections
    assert bars.get_linestyle() != plain_bars()
    drawn = intervals(axes)
    assert 0 < len(drawn) < len(kept)
    for row, (lower, upper) in drawn.items():
        place = len(kept) - 1 - int(row)
        assert np.allclose((lower + upper) / 2, rule.release.effects[place])
        assert np.allclose((upper - lower) / 2, half[place])


def test_an_exact_half_width_is_not_replaced_by_a_simulated_one() -> None:
    axes, rule = Figure().subplots(), demo_rule()
    draw_coefficients(rule, axes, half_widths_of(np.full(len(rule.release.theta), 9.0)))
    assert axes.get_title(loc="left").endswith("for all at once")
    assert axes.collections[0].get_linestyle() == plain_bars()
    assert all(upper - lower < 9 for lower, upper in intervals(axes).values())


def test_the_two_numbers_that_matter_most_span_the_map() -> None:
    axes, rule = Figure().subplots(), demo_rule("inf")
    draw_recommendation(rule, axes, steps=20)
    assert {axes.get_xlabel(), axes.get_ylabel()} == {"age", "severity"}


@pytest.mark.parametrize("integers", [None, 0, 1, -1])
def test_the_map_shows_what_the_rule_recommends(integers: int | None) -> None:
    axes, rule = Figure().subplots(), demo_rule("inf")
    if integers is not None:
        constant = tuple(integers * (place == 0) for place in range(len(rule.release.integers)))
        rule = replace(rule, release=replace(rule.release, integers=constant))
    draw_recommendation(rule, axes, steps=20)
    (areas,) = axes.collections
    people: dict[str, Any] = {name: [None] * 200 for name in rule.release.encoding.columns}
    trial = demo_trial(200, seed=5)
    people["age"] = np.clip(trial["age"], 19, 79).tolist()  # not on the edge of the map
    people["severity"] = np.clip(trial["severity"], 1, 27).tolist()
    scores = rule.score_table(pa.table(people))
    points = zip(people[axes.get_xlabel()], people[axes.get_ylabel()], strict=True)
    for point, arm, score in zip(points, rule.arms_for(scores), scores, strict=True):
        held = [path.contains_point(point) for path in areas.get_paths()]
        if integers is not None or abs(score) > 1e-3:
            assert held == [arm == rule.arms[0], arm == rule.arms[1]]


@pytest.mark.parametrize("draw", [draw_coefficients, draw_recommendation])
@pytest.mark.parametrize(("epsilon", "seed"), [(1, None), (1, 1), ("inf", None)])
def test_the_title_says_what_is_not_private(
    draw: Callable[[Rule, Axes], None], epsilon: object, seed: int | None
) -> None:
    axes, rule = Figure().subplots(), demo_rule(epsilon, random_state=seed)
    draw(rule, axes)
    assert ("NOT PRIVATE" in axes.get_title(loc="left")) is (not rule.private)
    assert rule.private is (epsilon == 1 and seed is None)


def with_integers(rule: Rule, **by_name: int) -> Rule:
    names = rule.release.encoding.coefficient_names
    integers = tuple(by_name.get(name, 0) for name in names)
    return replace(rule, release=replace(rule.release, integers=integers))


def test_an_arm_that_fills_the_map_is_known() -> None:
    rule = demo_rule("inf")
    first, second = rule.arms
    assert recommended_everywhere(rule) is None
    assert recommended_everywhere(with_integers(rule, intercept=-1)) == first
    assert recommended_everywhere(with_integers(rule, intercept=1)) == second
    assert recommended_everywhere(with_integers(rule)) == rule.default
    assert recommended_everywhere(with_integers(rule, age=1)) is None


def test_it_is_what_the_map_shows() -> None:
    for seed in range(6):
        axes, rule = Figure().subplots(), demo_rule("0.05", random_state=seed)
        draw_recommendation(rule, axes, steps=30)
        (areas,) = axes.collections
        filled = [len(np.asarray(path.vertices)) > 0 for path in areas.get_paths()]
        alone = recommended_everywhere(rule)
        assert (alone is None) is all(filled)
        if alone is not None:
            assert filled[rule.arms.index(alone)]


def test_without_a_map_no_arm_fills_it() -> None:
    text = study_text()
    start, end = text.index("[features.severity]"), text.index("[features.earlier_treatment]")
    rule = demo_rule("inf", text[:start] + text[end:])
    assert recommended_everywhere(rule) is None


LONG = "a very long name as trials have them, with $x_{1} in it"
NAMES = {
    "long": LONG,
    "wide": "W" * 50,
    "chinese": "\u6f22\u5b57" * 22,
    "hebrew": "\u05e9\u05dc\u05d5\u05dd " * 10,
    "accents": "e\u0301\u0302\u0303\u0304" * 9,
}


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_small_panel_holds_long_and_hostile_names(name: str, tmp_path: Path) -> None:
    text = study_text()
    for column in ("age", "severity"):
        named = f'[features."{name} {column}"]\ncolumn = "{column}"'
        text = text.replace(f"[features.{column}]", named)
    for arm in ("pill", "therapy"):
        text = text.replace(f"{arm} =", f'"{name} {arm}" =')
    rule = demo_rule(1, text.replace("Therapy or pill", name), mechanism="objective-block")
    assert all(arm.startswith(name.strip()) for arm in rule.arms)
    simulated = half_widths_of(np.full(len(rule.release.theta), 0.3))
    for height in (2.4, 3.6):
        figure, ((axes,),) = panels(4.8, height)
        draw_coefficients(rule, axes, simulated)
        assert_inside(figure)
    draw_recommendation(rule, axes := panels(4.8, 3.6)[1][0, 0])
    assert_inside(axes.figure)
    save_figure(rule, tmp_path / "rule.svg", simulated)


def test_a_wide_title_is_cut_before_the_edge() -> None:
    figure, ((left, _),) = panels(10.0, 4.0, columns=2)
    titled(figure, f"{short('W' * 80, 80, room(left, 1.25))}   (epsilon 1, delta 0.000001)")
    assert_inside(figure)
