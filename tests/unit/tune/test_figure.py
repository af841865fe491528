"""The picture of scores against γ: a panel for each ε, the same bytes each time."""

from dataclasses import replace
from pathlib import Path

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from tests.unit.test_drawing import assert_inside
from tests.unit.tune.test_tuned import tuned

from dpwerm.drawing import panels
from dpwerm.tune.figure import draw_tuned, save_tuned
from dpwerm.tune.tuned import NOT_PRIVATE


def test_the_panel_shows_means_best_and_window() -> None:
    figure = Figure()
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    found = tuned([0.5, 0.93, 0.95, 0.7])
    draw_tuned(found, axes)
    curve = next(line for line in axes.lines if len(line.get_xdata()) == 4)  # type: ignore[arg-type]
    assert list(curve.get_ydata()) == pytest.approx([50, 93, 95, 70])  # type: ignore[arg-type]
    assert any(list(line.get_xdata()) == [9.0] for line in axes.lines)  # type: ignore[arg-type]
    assert axes.get_xscale() == "log"
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "3", "9", "27"]


@pytest.mark.parametrize(
    ("metric", "unit"), [("accuracy", "better arm, %"), ("value", "benefit"), ("other", "score")]
)
def test_axes_have_units_and_a_small_panel_holds_them(metric: str, unit: str) -> None:
    figure, ((axes,),) = panels(4.8, 3.2)
    draw_tuned(replace(tuned([0.5, 0.93, 0.95, 0.7]), metric=metric), axes)
    assert axes.get_xlabel() == "γ (log scale)"
    assert axes.get_ylabel().endswith(unit)
    assert_inside(figure)


@pytest.mark.parametrize(("ending", "count"), [("png", 1), ("svg", 5), ("pdf", 1)])
def test_equal_results_give_equal_files(tmp_path: Path, ending: str, count: int) -> None:
    results = [replace(tuned([0.5, 0.9, 0.8]), epsilon=str(one + 1)) for one in range(count)]
    paths = [tmp_path / f"{name}.{ending}" for name in "ab"]
    for path in paths:
        save_tuned(results, "A trial at $5 [each]", path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_what_is_not_private_says_so(tmp_path: Path) -> None:
    path = tmp_path / "curve.svg"
    for cost, shown in ((NOT_PRIVATE, True), ("free", False)):
        result = replace(tuned([0.5, 0.9]), private_cost=cost, metric="value")
        save_tuned([result], "Trial", path)
        assert ("NOT PRIVATE" in path.read_text(encoding="utf-8")) == shown


def test_a_rule_that_is_not_private_marks_its_picture(tmp_path: Path) -> None:
    result = tuned([0.5, 0.9])
    for private in (True, False):
        path = tmp_path / f"{private}.svg"
        save_tuned([result], "A trial", path, result.gammas[0], private=private)
        assert (NOT_PRIVATE in path.read_text(encoding="utf-8")) == (not private)
