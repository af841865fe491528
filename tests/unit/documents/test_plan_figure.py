"""The figure of a plan shows its lines whole, and of its band what a reader can use."""

import pytest
from matplotlib.figure import Figure

from dpwerm.documents.plan_figure import LEAST, Curve, draw_plan
from dpwerm.plan.expected import Expected, Spread

ACCURATE = Spread(0.8, 0.01, 0.5, 0.99)


def curve(*gains: float) -> Curve:
    """Return what is expected at three ε, with a band down to −300 %."""
    found = {}
    for epsilon, mean in zip(("0.1", "1", "inf"), gains, strict=True):
        gain = Spread(mean, 0.05, -3.0, 1.0)
        found[epsilon] = Expected(
            ACCURATE, ACCURATE, ACCURATE, ACCURATE, gain=gain, harm=0.1, trials=24, rows=100
        )
    return found


@pytest.mark.parametrize(("first", "lowest"), [(-0.3, LEAST), (-1.5, -155.0)])
def test_a_line_is_never_cut_and_a_band_is(first: float, lowest: float) -> None:
    axes = Figure().subplots()
    draw_plan({1000: curve(first, 0.5, 0.6)}, 1000, axes)
    assert axes.get_ylim()[0] == pytest.approx(lowest)
    accuracy = Figure().subplots()
    draw_plan({1000: curve(first, 0.5, 0.6)}, 1000, accuracy, "accuracy")
    assert 0 < accuracy.get_ylim()[0] < 50
