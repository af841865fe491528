from dataclasses import replace

from reproduction.trials.figure2 import gamma_figure
from reproduction.trials.table import Measured

ROW = Measured("paper", "1", 75.0, 200, 4.1, 0.02, 0.03, 0.6, 100, 20, 0.9, -9.0)


def test_both_methods_have_the_four_panels_of_the_paper() -> None:
    rows = [replace(ROW, epsilon=e, scale=g) for e in ("0.5", "5", "inf") for g in (50.0, 100.0)]
    figure = gamma_figure("A trial", ("S", "G"), rows, [replace(r, log10_p=None) for r in rows])
    assert len(figure.axes) == 8
    labels = [axes.get_ylabel() for axes in figure.axes]
    assert (
        labels[:4]
        == labels[4:]
        == [
            "value, mean ± SD",
            "share with G",
            "concordance",
            "log₁₀ p",
        ]
    )
    assert all(len(axes.containers) == 2 for axes in figure.axes)
    assert [text.get_text() for text in figure.axes[-1].texts] == ["no test"]
    figure.canvas.draw()
