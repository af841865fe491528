from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.axes import Axes
from tests.unit.audit.test_words import FOUND, cell
from tests.unit.test_drawing import assert_inside

from dpwerm.audit.figure import NAMES, draw_audit, save_audit
from dpwerm.drawing import panels

BROKEN, BARE = replace(FOUND, lower=2.5), replace(FOUND, exact_lower=None)
THREE = [(cell("a", "x"), FOUND), (cell("b", "y"), BROKEN), (cell("c $", "z $"), BARE)]


def marks(axes: Axes, row: int) -> dict[str, float]:
    """Return where each mark of a row stands."""
    found = {}
    for line in axes.lines:
        (xs, ys) = (np.asarray(part, dtype=float) for part in line.get_data())
        if ys.tolist() == [row]:
            found[str(line.get_marker())] = float(xs[0])
    return found


def test_claims_and_bounds_have_marks_of_their_own() -> None:
    figure, ((axes,),) = panels(4.8, 3.0)
    draw_audit(THREE, axes)
    claim = float(FOUND.claim.epsilon)
    assert marks(axes, 2) == {"|": claim, "o": FOUND.lower, "D": FOUND.exact_lower}
    assert marks(axes, 1) == {"|": claim, "x": 2.5, "D": FOUND.exact_lower}
    assert marks(axes, 0) == {"|": claim, "o": FOUND.lower}
    assert [label.get_text() for label in axes.get_yticklabels()] == ["a, x", "b, y", "c $, z $"]
    assert axes.get_xlabel() == "ε: claimed, and at least"
    legend = axes.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == list(NAMES)
    assert_inside(figure)


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_a_figure_is_the_same_each_time(tmp_path: Path, ending: str) -> None:
    paths = [tmp_path / f"{name}.{ending}" for name in "12"]
    for path in paths:
        save_audit(THREE, path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].stat().st_size > 1000
