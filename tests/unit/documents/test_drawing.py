"""The house style: equal figures are equal files, names stay text, and nothing of it leaks."""

import re
from itertools import pairwise
from pathlib import Path
from typing import cast

import matplotlib as mpl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.text import Text

from dpwerm.documents.drawing import (
    FIRST,
    SECOND,
    SHADES,
    headed,
    labelled,
    legend_under,
    panels,
    rows_named,
    save,
    short,
    styled,
    svg_text,
    titled,
    two_lines,
    wide,
)
from reproduction.shown import OURS, PAPER, legend_below

HOSTILE = r"$\frac{1}{ --> <script>alert(1)</script> & 気"


def assert_inside(figure: Figure) -> None:
    """Check that all of a figure is within its edges, and that no text is read as mathematics."""
    figure.canvas.draw()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(box.x0, box.y0) > -0.01
    assert box.x1 < width + 0.01
    assert box.y1 < height + 0.01
    texts = cast("list[Text]", figure.findobj(Text))
    assert not any(text.get_parse_math() for text in texts if "$" in text.get_text())


@styled()
def picture(name: str = HOSTILE) -> Figure:
    figure, ((axes,),) = panels(4.8, 2.4)
    axes.plot([1, 2, 3], label=name)
    rows_named(axes, [name, "b", "c"])
    headed(axes, name)
    labelled(axes, across=name, up=name)
    titled(figure, name)
    legend_under(axes)
    legend_below(figure, axes, 1, title="what")
    return figure


@pytest.mark.parametrize("ending", ["svg", "pdf", "png"])
def test_equal_figures_are_equal_files_without_dates_or_versions(
    tmp_path: Path, ending: str
) -> None:
    paths = [tmp_path / f"{one}.{ending}" for one in "ab"]
    for path in paths:
        save(picture(), path)
    first = paths[0].read_bytes()
    assert first == paths[1].read_bytes()
    assert mpl.__version__.encode() not in first
    assert b"Date" not in first
    assert b"dc:" not in first


def test_an_inlined_picture_holds_no_name_and_ids_of_its_own() -> None:
    text = svg_text(picture(), "one")
    assert text.startswith("<svg")
    assert text.endswith("</svg>")
    assert not any(part in text for part in ("script", "frac", "<!--", "<text", "<metadata"))
    ids = re.findall(r' id="([^"]*)"', text)
    used = re.findall(r'(?:href="#|url\(#)([^")]*)', text)
    assert all(one.startswith("one-") for one in ids)
    assert used
    assert set(used) <= set(ids)
    assert "href" in text
    assert not re.search(r'href="[^#]', text)


def test_the_users_own_settings_change_nothing(tmp_path: Path) -> None:
    save(picture(), tmp_path / "a.svg")
    before = dict(mpl.rcParams)
    with mpl.rc_context({"font.size": 30, "text.parse_math": True, "axes.facecolor": "red"}):
        save(picture(), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert dict(mpl.rcParams) == before


def test_names_are_text_on_an_axis_of_the_user_too() -> None:
    axes = Figure().subplots()
    axes.plot([1], label=HOSTILE)
    rows_named(axes, [HOSTILE])
    headed(axes, HOSTILE)
    labelled(axes, across=HOSTILE, up=HOSTILE)
    legend_under(axes)
    legend = axes.get_legend()
    assert legend is not None
    texts = [axes.xaxis.label, axes.yaxis.label, *axes.get_yticklabels(), *legend.get_texts()]
    assert not any(text.get_parse_math() for text in texts)


def test_rows_stand_from_above_and_labels_that_are_not_given_stay() -> None:
    _, ((axes,),) = panels(3, 2)
    assert rows_named(axes, ["a", "b"]).tolist() == [1, 0]
    labelled(axes, across="ε", up="points")
    labelled(axes, across="γ")
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("γ", "points")


def test_the_style_ends_where_it_is_left() -> None:
    before = mpl.rcParams["axes.spines.top"]
    with styled():
        assert mpl.rcParams["axes.spines.top"] is False
    assert mpl.rcParams["axes.spines.top"] == before


def lightness(colour: str) -> float:
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_colours_differ_in_grey() -> None:
    assert lightness(FIRST) - lightness(SECOND) > 0.3
    lights = [lightness(shade) for shade in SHADES]
    assert all(next_ < one - 0.05 for one, next_ in pairwise(lights))
    assert abs(lightness(OURS) - lightness(PAPER)) > 0.1


@given(st.text(), st.integers(3, 40))
def test_a_short_name_is_short_and_can_be_printed(text: str, most: int) -> None:
    shown = short(text, most)
    assert len(shown) <= most
    assert shown.isprintable()


@given(st.text(), st.integers(3, 40))
def test_two_lines_are_two(text: str, most: int) -> None:
    lines = two_lines(text, most).split("\n")
    assert len(lines) <= 2
    assert all(len(line) <= most for line in lines)


@given(st.text(max_size=60), st.floats(40, 200))
def test_a_name_is_no_wider_than_its_room(text: str, points: float) -> None:
    shown = short(text, points=points)
    assert len(shown) <= 3 or wide(shown) <= points
    for line in two_lines(text, points=points).split("\n"):
        assert len(line) <= 3 or wide(line) <= points


def test_a_wide_name_is_cut_by_what_it_measures() -> None:
    assert short("W" * 64, points=121) == "WWWWWW…WWWWWW"
    assert short("i" * 28, points=121) == "i" * 28
    assert two_lines("W" * 64, points=97) == "WWWWWWWWWW\nWWWWW…WWWW"


def test_a_long_name_keeps_its_beginning_and_its_level() -> None:
    shown = short("history of smoking before the first visit=former")
    assert len(shown) == 28
    assert shown.startswith("history of sm")
    assert shown.endswith("=former")
    assert short("age") == "age"
    assert short("a\n b\x1b\u202e") == "a b��"
    assert two_lines("cognitive behavioural therapy") == "cognitive\nbehaviou…therapy"
