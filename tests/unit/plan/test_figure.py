"""The figure shows every line with its error, its label, and no privacy aside."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from tests.unit.test_drawing import assert_inside

from dpwerm.drawing import panels
from dpwerm.plan.expected import Expected, Spread
from dpwerm.plan.figure import draw_plan, save_plan, sizes_around

EPSILONS = ("0.1", "1", "5")


def at(mean: float) -> Expected:
    one = Spread(mean, 0.01, mean - 0.1, mean + 0.05)
    return Expected(one, one, one, one, trials=10, rows=10)


def curves(sizes: tuple[int, ...], *, bare: bool = True) -> dict[int, dict[str, Expected]]:
    ends = (*EPSILONS, "inf") if bare else EPSILONS
    return {n: {one: at(0.6 + 0.05 * i + n / 1e5) for i, one in enumerate(ends)} for n in sizes}


@pytest.mark.parametrize("sizes", [(100,), (25, 100, 400), (25, 50, 100, 200, 400)])
def test_every_size_has_a_line_and_a_label(sizes: tuple[int, ...]) -> None:
    axes = Figure().subplots()
    drawn = curves(sizes)
    draw_plan(drawn, 100, axes)
    labels = [text.get_text() for text in axes.texts]
    assert labels == [f"n = {n}" for n in sizes]
    lines = [line for line in axes.lines if len(np.atleast_1d(line.get_xdata())) == len(EPSILONS)]
    means = [[100 * drawn[n][one].accuracy.mean for one in EPSILONS] for n in sizes]
    shown = [np.asarray(line.get_ydata()) for line in lines]
    assert all(any(np.allclose(one, mean) for one in shown) for mean in means)
    ticks = [tick.get_text() for tick in axes.get_xticklabels()]
    assert ticks == [*EPSILONS, "no\nprivacy"]
    assert axes.get_xscale() == "log"


def test_labels_do_not_stand_on_each_other() -> None:
    axes = Figure().subplots()
    draw_plan({n: {one: at(0.9) for one in EPSILONS} for n in (25, 50, 100)}, 100, axes)
    heights = sorted(text.get_position()[1] for text in axes.texts)
    low, high = axes.get_ylim()
    assert min(np.diff(heights)) >= (high - low) / 40


def test_sizes_are_around_n_and_not_tiny() -> None:
    assert sizes_around(1000) == [250, 500, 1000, 2000, 4000]
    assert sizes_around(30) == [20, 30, 60, 120]


def test_axes_say_what_they_show_and_a_small_panel_holds_it() -> None:
    figure, ((axes,),) = panels(4.8, 3.2)
    draw_plan(curves((25, 50, 100, 200, 400)), 100, axes)
    assert axes.get_xlabel() == "ε of the release (log scale)"
    assert axes.get_ylabel() == "people given their better arm, %"
    assert_inside(figure)


@pytest.mark.parametrize("count", range(1, 8))
def test_more_people_are_darker(count: int) -> None:
    axes = Figure().subplots()
    draw_plan(curves(tuple(range(100, 100 * (count + 1), 100))), 100, axes)
    lines = [line for line in axes.lines if len(np.atleast_1d(line.get_xdata())) == len(EPSILONS)]
    lights = [sum(to_rgb(line.get_color())) for line in lines]
    assert lights == sorted(lights, reverse=True)
    assert len(set(lights)) == count


def test_a_file_is_written_and_a_dollar_sign_is_text(tmp_path: Path) -> None:
    for name in ("plan.png", "plan.svg"):
        path = tmp_path / name
        save_plan(curves((25, 100), bare=False), 100, r"cost $\frac{1}{0$", path)
        first = path.read_bytes()
        assert len(first) > 1000
        save_plan(curves((25, 100), bare=False), 100, r"cost $\frac{1}{0$", path)
        assert path.read_bytes() == first
