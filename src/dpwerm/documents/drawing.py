"""The house style of pictures: dark ink, few colours that differ in grey too, units on axes.

Every picture is made by ``panels``, filled by functions that take a result and an axis, and written
by ``save`` or ``svg_text``. All of them work inside ``styled``, so the user's own settings of the
drawing library change nothing. Names come from study files: they are text, never mathematics, and
bounded by what they measure in the font of the pictures.
"""

import io
import math
import re
import textwrap
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal

import numpy as np
from matplotlib import style
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure
from matplotlib.font_manager import FontProperties
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FuncFormatter, MaxNLocator
from matplotlib.transforms import ScaledTranslation
from numpy.typing import NDArray

from dpwerm.text import number

FAMILY, LABEL = "DejaVu Sans", 9.0
"""The font of all pictures, and the size of labels in points."""

MARKS = 2
"""As many accents stay on a letter; three hundred would form a tower."""

MISSING = "Glyph .* missing from font"
"""The warning about a sign that the font does not have: it is drawn as a box."""

Share = Literal["none", "all", "row", "col"] | bool

INK, QUIET, FAINT = "#222222", "#8a8a8a", "#e6e6e6"
"""Marks and text; what stands back; grids and bands."""

LINE, ALARM = "#1b4965", "#b00020"
"""Of a single curve, and of what must not be."""

FIRST, SECOND = "#e6d8bb", "#5f8fa6"
"""The areas of the two arms, the second much darker."""

SHADES = ("#d4bc83", "#c09a52", "#8f8f6b", "#5c7a7a", "#3c6378", "#254968", "#142f4d")
"""From few people to many: each darker than the last."""

TITLE, TEXT, SMALL = 10.0, LABEL, 8.5
"""Sizes in points: of what heads a figure, of labels, and of numbers and legends."""

LONGEST = 28
"""Characters of a name in a picture."""

TICK_DIGITS = 6
"""Of a number on an axis: more than two neighbours differ by."""

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": INK,
    "axes.grid": True,
    "axes.labelcolor": INK,
    "axes.labelsize": TEXT,
    "axes.linewidth": 0.8,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": TEXT,
    "errorbar.capsize": 2.5,
    "figure.titlesize": TITLE,
    "font.family": FAMILY,
    "font.size": TEXT,
    "grid.color": FAINT,
    "grid.linewidth": 0.7,
    "hatch.linewidth": 0.7,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "legend.title_fontsize": SMALL,
    "lines.linewidth": 1.3,
    "lines.markersize": 4,
    "savefig.dpi": 150,
    "svg.fonttype": "path",
    "svg.hashsalt": "dpwerm",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "xtick.labelsize": SMALL,
    "ytick.color": INK,
    "ytick.labelsize": SMALL,
}

LEGEND: dict[str, Any] = {"frameon": False, "fontsize": SMALL, "handlelength": 1.8}
_BARE: dict[str, dict[str, None]] = {
    "svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    "pdf": dict.fromkeys(("CreationDate", "Creator", "Producer")),
    "png": dict.fromkeys(("Software",)),
}
"""Dates and the version of a drawing library would make equal figures differ."""


@contextmanager
def styled() -> Iterator[None]:
    """Draw in the house style: as a context, or over a function as a decorator."""
    with style.context(["default", STYLE]):
        yield


@styled()
def panels(
    width: float,
    height: float,
    rows: int = 1,
    columns: int = 1,
    *,
    sharex: Share = False,
    sharey: Share = False,
) -> tuple[Figure, NDArray[Any]]:
    """Return a figure of a size in inches, and its axes (rows, columns)."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False, sharex=sharex, sharey=sharey)


def save(figure: Figure, path: Path) -> None:
    """Write a figure as its ending says, .svg, .pdf or .png; equal figures are equal files."""
    path.write_bytes(_bytes(figure, path.suffix.lower().removeprefix(".")))


def svg_text(figure: Figure, name: str = "picture") -> str:
    """Return the element ``<svg>`` for a page; ids begin with ``name``, one for each picture.

    Letters are drawn as paths and comments are left out, so no name from a file is in it.
    """
    text = _bytes(figure, "svg").decode()
    text = re.sub(r"<!--.*?-->\s*", "", text[text.index("<svg") :], flags=re.DOTALL)
    return re.sub(r'( id="|href="#|url\(#)', rf"\g<1>{name}-", text).strip()


@styled()
def _bytes(figure: Figure, kind: str) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=MISSING)
        figure.savefig(file, format=kind, metadata=_BARE.get(kind))
    return file.getvalue()


def plain(text: Text) -> None:
    """Take what is written literally: a dollar sign is no mathematics."""
    text.set_parse_math(False)


def headed(axes: Axes, text: str) -> None:
    """Write a heading over a panel."""
    plain(axes.set_title(text, loc="left", fontsize=TEXT, color=INK))


def titled(figure: Figure | SubFigure, text: str) -> None:
    """Write a heading over the whole picture."""
    plain(figure.suptitle(text, x=0.01, ha="left", fontsize=TITLE, color=INK))


def labelled(axes: Axes, *, across: str | None = None, up: str | None = None) -> None:
    """Write what the axes show, with units; None leaves one as it is."""
    if across is not None:
        axes.set_xlabel(across, fontsize=TEXT, color=INK)
    if up is not None:
        axes.set_ylabel(up, fontsize=TEXT, color=INK)
    plain(axes.xaxis.label)
    plain(axes.yaxis.label)


def rows_named(axes: Axes, names: Sequence[str]) -> NDArray[np.int64]:
    """Name the rows of a panel from above and return their heights, the first at the top."""
    rows = np.arange(len(names))[::-1]
    axes.set_yticks(rows, names)
    for label in axes.get_yticklabels():
        plain(label)
    axes.set_ylim(-0.6, len(names) - 0.4)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    return rows


def plain_numbers(axes: Axes, most: int, *, upright: bool = False) -> None:
    """Write the numbers of an axis as people do, at most so many parts; upright, of both axes.

    There are fewer parts where the numbers are long.
    """
    for axis in (axes.xaxis, axes.yaxis)[: 1 + upright]:
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value, digits=TICK_DIGITS)))
        axis.set_major_locator(MaxNLocator(most, steps=[1, 2, 2.5, 5, 10]))
    low, high = sorted(axes.get_xlim())
    widest = max(wide(number(end, (high - low) / most)) for end in (low, high))
    parts = max(int(room(axes, 0.6) / (widest + LABEL)), 2)
    axes.locator_params(axis="x", nbins=min(most, parts))


def legend_under(
    axes: Axes,
    columns: int = 1,
    *,
    drop: float = 34.0,
    marks: Sequence[Artist] | None = None,
    over: bool = False,
) -> None:
    """Explain the marks of a panel ``drop`` points below its axis, or over it if it is tall.

    marks: with labels, in the place of what was drawn
    """
    shift = ScaledTranslation(0, (2.0 if over else -drop) / 72, axes.figure.dpi_scale_trans)
    legend = axes.legend(
        handles=axes.get_legend_handles_labels()[0] if marks is None else marks,
        loc="lower left" if over else "upper left",
        bbox_to_anchor=(0.0, float(over)),
        bbox_transform=axes.transAxes + shift,
        borderaxespad=0.0,
        ncols=columns,
        **LEGEND,
    )
    for text in legend.get_texts():
        plain(text)


def shades(count: int) -> list[str]:
    """Return so many of ``SHADES``, spread over all of them, the darkest last."""
    last = len(SHADES) - 1
    return [SHADES[last - last * place // max(1, count - 1)] for place in reversed(range(count))]


def room(axes: Axes, share: float, *, upright: bool = False) -> float:
    """Return a share of the width of a panel in points; upright, of its height."""
    spec, figure = axes.get_subplotspec(), axes.figure
    rows, columns = (1, 1) if spec is None else spec.get_gridspec().get_geometry()
    size = figure.bbox.height / rows if upright else figure.bbox.width / columns
    return float(share * 72 * size / figure.dpi)


def wide(text: str) -> float:
    """Return how wide one line is when it is drawn as a label, in points."""
    font = FontProperties(family=FAMILY, size=LABEL)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=MISSING)
        return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0])


def printable(text: str) -> str:
    """Return what can be printed, other signs as �, with at most two marks on a letter."""
    shown, run = "", 0
    for sign in unicodedata.normalize("NFC", " ".join(text.split())):
        run = run + 1 if unicodedata.category(sign).startswith("M") else 0
        if run <= MARKS:
            shown += sign if sign.isprintable() else "�"
    return shown


def short(text: str, most: int = LONGEST, points: float = math.inf) -> str:
    """Return a name of at most so many signs; what is left out of the middle becomes an ellipsis.

    The end stays: of ``"smoking=former"`` it tells the level. What cannot be printed becomes �.
    points: the name is cut further until it is no wider when drawn, or has three signs.
    """
    shown = printable(text)
    most = min(most, max(len(shown), 3))
    while True:
        tail = (most - 1) // 2
        cut = shown if len(shown) <= most else f"{shown[: most - 1 - tail]}…{shown[-tail:]}"
        if most <= 3 or wide(cut) <= points:
            return cut
        most -= 1


def distinct(names: Sequence[str], points: float = math.inf) -> list[str]:
    """Return names that are short and differ if they did: what some share is cut before the rest.

    Of ``"pain=severe, with fever"`` and ``"pain=severe, without fever"`` the middle remains.
    """
    shown = [short(name, points=points) for name in names]
    for text in {text for text in shown if shown.count(text) > 1}:
        places = [place for place, one in enumerate(shown) if one == text]
        alike = [printable(names[place]) for place in places]
        begin = _shared(alike)
        end = _shared([name[: begin - len(name) - 1 : -1] for name in alike])
        for count, (place, name) in enumerate(zip(places, alike, strict=True), 1):
            rest = f"…{name[begin : len(name) - end]}{'…' if end else ''}"
            shown[place] = short(rest, points=points)
            if shown[place] in shown[:place]:
                shown[place] = f"{short(rest, points=points - wide(' (99)'))} ({count})"
    return shown


def _shared(names: Sequence[str]) -> int:
    """Return how many signs names have in common at their beginning."""
    return len(list(takewhile(lambda signs: len(set(signs)) == 1, zip(*names, strict=False))))


def two_lines(text: str, most: int = 16, points: float = math.inf) -> str:
    """Return a name on at most two lines of at most so many signs, no wider when drawn."""
    while True:
        first, *rest = textwrap.wrap(printable(text), most) or [""]
        lines = [first, short(" ".join(rest), most, points)] if rest else [first]
        if most <= 3 or wide(first) <= points:
            return "\n".join(lines)
        most -= 1
