from dataclasses import replace

from reproduction.trials.figure import Column, table_figure
from reproduction.trials.table import Measured

ROW = Measured("paper", "1", 75.0, 200, 4.1, 0.02, 0.03, 0.6, 100, 20, 0.9, -9.0)
ROWS = [ROW, replace(ROW, epsilon="inf", mean=4.2)]


def test_each_trial_has_two_panels_with_every_series() -> None:
    columns = [
        Column("One", "points", {"paper": ROWS, "ours": ROWS}, "sjcrh"),
        Column("Two", "points", {"paper, propensity by arm, intercept": ROWS}),
    ]
    figure = table_figure(columns)
    first, second, below, _ = figure.axes
    assert first.get_title(loc="left") == "One"
    assert first.get_ylabel() == "value ± SD over draws of noise,\npoints"
    assert [tick.get_text() for tick in below.get_xticklabels()] == ["1", "∞"]
    assert len(first.containers) == 3
    assert len(second.containers) == 1
    figure.canvas.draw()
