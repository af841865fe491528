"""What the paper says about tuning γ on another D₀, and what was found.

Words such as "similar" have no measure in the paper. Here they mean: the line's best γ lies in the
baseline's window, in every cell.
"""

from collections.abc import Mapping, Sequence
from statistics import median

from dpwerm.reproduce.artefact import Verdict
from dpwerm.reproduce.gamma_curves import Cell, Curve
from dpwerm.reproduce.gamma_lines import BASELINE, Line
from dpwerm.reproduce.gamma_windows import Landing, Window, counted, window

FAIRLY_LARGE = 200.0
"""A third of the grid of γ."""

PLATEAU = 1.0
"""Points below a line's highest accuracy that still belong to its plateau."""

Found = Mapping[str, Mapping[Cell, Curve]]


def similar(claim: str, landed: Sequence[Landing]) -> Verdict:
    """Return whether the best γ of other data sets lands in the window in every cell."""
    return Verdict(claim, all(one.inside for one in landed), counted(landed))


def fairly_large(found: Found, budgets: Sequence[str]) -> Verdict:
    """Return whether the window spans a third of the grid in most cells."""
    windows = {
        cell: window(curve) for cell, curve in found[BASELINE.name].items() if cell[1] in budgets
    }
    large = sum(one.width >= FAIRLY_LARGE for one in windows.values())
    (n, epsilon), narrowest = min(windows.items(), key=lambda item: item[1].width)
    text = (
        f"It spans at least {FAIRLY_LARGE:g}, a third of the grid, in {large} of {len(windows)} "
        f"cells; the median width is {median(one.width for one in windows.values()):g}, the "
        f"narrowest is {narrowest} (n = {n:,}, ε = {epsilon})."
    )
    return Verdict(
        'The range within 5 % is "fairly large for most simulated scenarios".',
        large > len(windows) / 2,
        text,
    )


def plateau(curve: Curve) -> Window:
    """Return the γ within a point of the highest accuracy."""
    return window(curve, PLATEAU)


def longer_plateaus(line: Line, found: Found, budgets: Sequence[str]) -> Verdict:
    """Return whether the line's own region within 5 points is wider than the baseline's in most."""
    pairs = [
        (window(found[line.name][cell]).width, window(curve).width)
        for cell, curve in found[BASELINE.name].items()
        if cell[1] in budgets
    ]
    wider = sum(own > base for own, base in pairs)
    equal = sum(own == base for own, base in pairs)
    return Verdict(
        "With truncated normal features the curves show longer plateaus.",
        wider > len(pairs) / 2,
        f"The region within 5 points of the line's own highest accuracy is wider than the "
        f"baseline's in {wider} of {len(pairs)} cells and as wide in {equal}; the median width is "
        f"{median(own for own, _ in pairs):g} against {median(base for _, base in pairs):g}.",
    )


def lower_end(line: Line, found: Found, budgets: Sequence[str]) -> Verdict:
    """Return whether the lower end of the line's plateau lands in the baseline's window."""
    landed = [
        Landing(line, n, epsilon, plateau(found[line.name][n, epsilon]).first, curve)
        for (n, epsilon), curve in found[BASELINE.name].items()
        if epsilon in budgets
    ]
    return Verdict(
        "A γ at the lower end of the plateau consistently lands in the good window.",
        all(one.inside for one in landed),
        f"With the plateau as all γ within {PLATEAU:g} point of the line's highest accuracy: "
        f"{_small(counted(landed))}",
    )


def small_is_useful(landed: Sequence[Landing], singles: Sequence[Sequence[Landing]]) -> Verdict:
    """Return whether tuning on n₀ = 100 is useful.

    landed: over data sets drawn anew; singles: tuned on one D₀ each, first those of n₀ = 100.
    """
    text = f"Averaged over D₀ drawn anew in each repeat: {_small(counted(landed))}"
    for others in singles:
        lost = sorted(one.lost for one in others)
        text += (
            f" Tuned on a single D₀ of n₀ = {others[0].line.people:,}, as a user would: in the "
            f"window for {sum(one.inside for one in others)} of {len(others)} pairs of data set "
            f"and cell, {median(lost):.1f} points lost in the median and at least "
            f"{lost[int(0.9 * len(lost))]:.1f} in the worst tenth."
        )
    judged = singles[0] if singles else landed
    return Verdict(
        "Even a small independent data set (n₀ = 100) can be useful for tuning γ.",
        sum(one.inside for one in judged) > len(judged) / 2,
        text,
    )


def _small(text: str) -> str:
    return text[0].lower() + text[1:]
