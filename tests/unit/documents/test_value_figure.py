"""The pictures of an evaluation: both errors apart, the whole interval, and what is not known."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from tests.unit.documents.test_drawing import assert_inside
from tests.unit.releases.value.trials import fitted, study, table

from dpwerm.documents.drawing import panels
from dpwerm.documents.figures import (
    NOT_KNOWN,
    PRIVACY,
    benefit_label,
    draw_gains,
    draw_value,
    save_value,
)
from dpwerm.evaluate import treatment_value
from dpwerm.releases.value.release import Estimate, ValueRelease

VALUE = treatment_value(fitted(study()), table(2000), 1, study=study(), random_state=3)
LONG = "a very long name of an arm, with $x_{1} and <b> in it"


def small() -> Axes:
    _, ((axes,),) = panels(4.8, 3.2)
    assert isinstance(axes, Axes)
    return axes


def bars(axes: Axes, *, hatched: bool) -> list[tuple[float, float]]:
    """Return the ends of the bars of one error, from the top row."""
    found = [patch for patch in axes.patches if isinstance(patch, Rectangle)]
    chosen = [patch for patch in found if (patch.get_hatch() is not None) == hatched]
    return [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in chosen]


@pytest.mark.parametrize(("draw", "shown"), [(draw_value, VALUE.values), (draw_gains, VALUE.gains)])
def test_interval_and_both_errors_are_drawn(
    draw: Callable[[ValueRelease, Axes], None], shown: tuple[Estimate, ...]
) -> None:
    axes = small()
    draw(VALUE, axes)
    lines = [list(line.get_xdata()) for line in axes.lines]  # type: ignore[arg-type]
    for one in shown:
        assert [one.lower, one.upper] in lines
        assert [one.estimate] in lines
    for hatched, name in ((True, "privacy"), (False, "sampling")):
        for (lower, upper), one in zip(bars(axes, hatched=hatched), shown, strict=True):
            assert (lower + upper) / 2 == pytest.approx(one.estimate)
            assert (upper - lower) / 2 == pytest.approx(getattr(one, name))


def test_the_errors_differ_without_colour() -> None:
    axes = small()
    draw_value(VALUE, axes)
    legend = axes.get_legend()
    assert legend is not None
    hatches = [patch.get_hatch() for patch in legend.get_patches()]
    assert hatches == [PRIVACY["hatch"], None]
    words = [text.get_text() for text in legend.get_texts()]
    assert words[0] == "estimate and 95 % interval for both errors"
    assert "privacy" in words[1]
    assert "sampling" in words[2]


def test_rows_are_the_rule_and_each_arm_for_everybody() -> None:
    axes = small()
    draw_value(VALUE, axes)
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["the rule", "pill\nfor everybody", "therapy\nfor everybody"]
    axes = small()
    draw_gains(VALUE, axes)
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["over pill\nfor everybody", "over therapy\nfor everybody"]


def test_an_arm_may_be_called_like_the_rule() -> None:
    axes, odd = small(), replace(VALUE)
    odd.__dict__["values"] = (
        VALUE.values[0],
        *(v.model_copy(update={"name": "rule"}) for v in VALUE.values[1:]),
    )
    draw_value(odd, axes)
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["the rule", "rule\nfor everybody", "rule\nfor everybody"]


@pytest.mark.parametrize("draw", [draw_value, draw_gains])
def test_what_is_not_known_has_an_interval_alone(
    draw: Callable[[ValueRelease, Axes], None],
) -> None:
    axes, unknown = small(), replace(VALUE)
    for name in ("values", "gains"):
        unknown.__dict__[name] = tuple(
            v.model_copy(update={"estimate": None}) for v in getattr(VALUE, name)
        )
    draw(unknown, axes)
    said = [text.get_text() for text in axes.texts]
    assert said == [NOT_KNOWN] * len(axes.get_yticks())
    assert not bars(axes, hatched=True)
    assert not bars(axes, hatched=False)


def test_the_axis_names_the_benefit_and_what_is_better() -> None:
    axes = small()
    draw_gains(VALUE, axes)
    assert axes.get_xlabel() == f"gain in {benefit_label(VALUE)}"
    benefit = VALUE.declaration.benefit
    for change, words in (
        ({}, f"{benefit.column} (larger is better)"),
        ({"direction": "smaller"}, f"−{benefit.column} (larger is better)"),
        ({"transform": "log"}, f"log of {benefit.column} (larger is better)"),
    ):
        facts = replace(VALUE.declaration, benefit=benefit.model_copy(update=change))
        assert benefit_label(replace(VALUE, declaration=facts)) == words


@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize("draw", [draw_value, draw_gains])
@pytest.mark.parametrize("name", [LONG, "W" * 64, "\u6f22\u5b57" * 20], ids=["long", "wide", "box"])
def test_a_small_panel_holds_long_and_hostile_names(
    draw: Callable[[ValueRelease, Axes], None], name: str
) -> None:
    turned = {"column": name, "transform": "log", "direction": "smaller"}
    benefit = VALUE.declaration.benefit.model_copy(update=turned)
    odd = replace(VALUE, declaration=replace(VALUE.declaration, benefit=benefit))
    odd.__dict__["values"] = tuple(v.model_copy(update={"name": name}) for v in VALUE.values)
    odd.__dict__["gains"] = tuple(v.model_copy(update={"over": name}) for v in VALUE.gains)
    figure, ((axes,),) = panels(4.8, 3.2)
    draw(odd, axes)
    assert_inside(figure)
    legend = axes.get_legend()
    assert legend is not None
    assert legend.get_window_extent().y1 < axes.xaxis.label.get_window_extent().y0
    assert axes.get_xlabel().endswith("\n(larger is better)")


@pytest.mark.parametrize("draw", [draw_value, draw_gains])
def test_the_title_says_what_is_not_private(draw: Callable[[ValueRelease, Axes], None]) -> None:
    for private in (False, True):
        axes, value = small(), replace(VALUE, secure=private, rule_private=private)
        assert value.private is private
        draw(value, axes)
        assert ("NOT PRIVATE" in axes.get_title(loc="left")) is (not private)


def test_both_pictures_are_one_file_that_says_its_claim(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.svg" for name in "ab"]
    for path in paths:
        save_value(VALUE, path)
    first = paths[0].read_text(encoding="utf-8")
    assert first == paths[1].read_text(encoding="utf-8")
    assert "NOT PRIVATE" in first
