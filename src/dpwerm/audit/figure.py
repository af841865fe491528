"""Claims and bounds in one picture: a line to the claim, a mark at each bound, one row per cell.

Marks differ in shape, not only in colour: | is the claim, a filled circle the simulated bound, an
open diamond the one by real releases, and a cross whatever lies above its claim.
"""

from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dpwerm.audit.words import Found

INK, QUIET, LINE, ALARM = "#222222", "#c8c8c8", "#1b4965", "#b00020"

PLAIN: dict[Any, Any] = {
    "text.parse_math": False,
    "svg.hashsalt": "dpwerm",
    "svg.fonttype": "none",
}
"""Text stays text, and equal figures are equal files."""


def save_audit(found: Found, path: Path) -> None:
    """Write the figure; the ending of the path decides the format."""
    plain: dict[Any, Any] = {
        "text.parse_math": False,
        "svg.hashsalt": "dpwerm",
        "svg.fonttype": "none",
    }
    with rc_context(plain):
        figure = Figure(figsize=(8.6, 1.6 + 0.2 * len(found)), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        for place, (_, one) in enumerate(found):
            claim = float(one.claim.epsilon)
            axes.plot([0, claim], [place, place], color=QUIET, linewidth=1.0, zorder=1)
            axes.plot([claim], [place], marker="|", markersize=9, color=INK, zorder=2)
            for bound, mark, fill in (
                (one.exact_lower, "D", "white"),
                (one.lower, "o", LINE),
            ):
                if bound is None:
                    continue
                over = bound > claim
                axes.plot(
                    [bound],
                    [place],
                    marker="x" if over else mark,
                    markersize=7 if over else 4.5,
                    color=ALARM if over else LINE,
                    markerfacecolor=fill,
                    linestyle="none",
                    zorder=3,
                )
        names = [f"{cell.name}, {cell.setting}" for cell, _ in found]
        axes.set_yticks(range(len(found)), names)
        axes.set_xlim(left=0)
        axes.set_xlabel("epsilon", fontsize=9, color=INK)
        axes.tick_params(colors=INK, labelsize=7)
        axes.grid(axis="x", color="#ececec", linewidth=0.6)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.set_ylim(len(found) - 0.4, -0.6)
        first, real = found[0][1], max(one.exact_runs for _, one in found)
        confirmed = f" and {real:,} real ones of those marked" if real else ""
        figure.suptitle(
            "| claimed   ● at least, simulated   ◇ at least, real releases   × above the claim\n"
            f"{first.runs:,} simulated releases of each{confirmed}, "
            f"confidence {first.confidence:g}",
            x=0.01,
            ha="left",
            fontsize=8,
            color=INK,
        )
        # Dates and the version of a drawing library would make equal figures differ.
        bare = {".png": {"Software": None}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
        figure.savefig(path, dpi=150, metadata=bare.get(path.suffix.lower()))
