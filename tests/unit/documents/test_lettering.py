"""Names are measured as they will be drawn."""

import pytest
from matplotlib.figure import Figure

from dpwerm.documents.drawing import TEXT, distinct, panels, printable, room, styled, wide

DPI = 720.0
"""Fine enough that no letter is moved to a whole pixel."""


@pytest.mark.parametrize("text", ["W" * 12, "i" * 40, "± 95 % of the privacy noise", "שלום עולם"])
def test_a_text_is_as_wide_as_it_is_drawn(text: str) -> None:
    with styled():
        figure, _ = panels(8, 2)
        figure.set_dpi(DPI)
        drawn = figure.text(0, 0, text, fontsize=TEXT).get_window_extent()
    assert wide(text) == pytest.approx(drawn.width * 72 / DPI, rel=0.02)


@pytest.mark.filterwarnings("error")
def test_signs_that_the_font_lacks_have_a_width_and_no_warning() -> None:
    assert wide("\u6f22") > 0
    assert wide("") == 0


def test_the_room_of_a_panel_is_its_share_of_the_figure() -> None:
    _, axes = panels(10, 4, rows=2, columns=2)
    assert room(axes[0, 1], 0.5) == pytest.approx(0.5 * 72 * 5)
    assert room(axes[0, 1], 0.5, upright=True) == pytest.approx(0.5 * 72 * 2)
    figure = Figure(figsize=(3, 2), dpi=300)
    assert room(figure.add_axes((0.1, 0.1, 0.8, 0.8)), 1.0) == pytest.approx(72 * 3)


def test_accents_form_no_tower() -> None:
    assert printable("e" + "\u0301" * 300 + "x") == "é\u0301\u0301x"
    assert printable("a\n b\x1b") == "a b�"


def test_long_names_that_differ_stay_different() -> None:
    names = [
        f"diagnosis=MDD, {kind} Psychotic Features"
        for kind in ("Recurrent, Severe With", "Recurrent, Severe Without", "Single, Severe With")
    ]
    for points in (60.0, 120.0, 400.0):
        shown = distinct([*names, "age"], points)
        assert len(set(shown)) == 4
        assert max(map(wide, shown)) <= points
    assert distinct(["age", "sex=M"], 120.0) == ["age", "sex=M"]
