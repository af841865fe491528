"""How wide a text is in a picture, how much room a panel has, and what can be drawn at all.

Signs differ in width: 28 of "W" take more than three times the room of 28 of "i". So names from
study files are bounded by what they measure in the font of the pictures.
"""

import unicodedata
import warnings

from matplotlib.axes import Axes
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path

FAMILY, LABEL = "DejaVu Sans", 9.0
"""The font of all pictures, and the size of labels in points."""

MARKS = 2
"""As many accents stay on a letter; three hundred would form a tower."""

MISSING = "Glyph .* missing from font"
"""The warning about a sign that the font does not have: it is drawn as a box."""


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
