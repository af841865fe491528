from matplotlib.axes import Axes
from tests.reproduction.gamma.hand_curves import curve

from reproduction.gamma.figure import WINDOW, draw, draw_multiples
from reproduction.gamma.lines import BASELINE, THETA
from reproduction.gamma.ours import Ours

CELLS = [(n, epsilon) for n in (200, 500) for epsilon in ("1", "5", "20")]
HILL = curve(50.0, 64.0, 70.0, 66.0, 60.0)
FOUND = {name: dict.fromkeys(CELLS, HILL) for name in (BASELINE.name, "theta-1", "theta-2")}
OURS = dict.fromkeys(CELLS, Ours(201.0, HILL))


def red(axes: Axes) -> list[float]:
    lines = [line for line in axes.lines if line.get_color() == WINDOW]
    return [float(line.get_xdata()[0]) for line in lines if len(line.get_xdata())]  # type: ignore[index,arg-type]


def test_rows_are_budgets_and_columns_are_sizes() -> None:
    figure = draw(THETA, FOUND, OURS, ["1", "5"], "θ₀")
    assert len(figure.axes) == 4
    assert [axes.get_title(loc="left") for axes in figure.axes[:2]] == ["n = 200", "n = 500"]
    assert figure.axes[2].get_ylabel().startswith("ε = 5")


def test_red_lines_mark_the_window() -> None:
    for axes in draw(THETA, FOUND, OURS, ["1"], "θ₀").axes:
        assert red(axes) == [201.0, 301.0]


def test_the_legend_names_every_line_once() -> None:
    figure = draw(THETA, FOUND, OURS, ["1"], "θ₀")
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == [
        "ours, automatic, no D₀",
        "paper's method, θ₀",
        "θ₁",
        "θ₂, six features",
        "baseline within 5 points of its best",
    ]


def test_multiples_are_in_units_of_the_chosen_gamma() -> None:
    figure = draw_multiples(FOUND[BASELINE.name], OURS, ["1", "5"])
    assert len(figure.axes) == 4
    assert figure.axes[0].get_xscale() == "log"
    assert figure.axes[0].lines[0].get_xdata()[2] == 1.0  # type: ignore[index]
