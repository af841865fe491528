"""What the paper says about tuning γ on another D₀, and what was found.

Words such as "similar" have no measure in the paper. Here they mean: the line's best γ lies in the
baseline's window, in every cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations_with_replacement
from statistics import median

import numpy as np

from dpwerm.simulate.synthetic import generator
from reproduction.artefact import Verdict
from reproduction.gamma.curves import BETWEEN, Cell, Curve
from reproduction.gamma.lines import BASELINE, Line
from reproduction.gamma.windows import Landing, counted, window

FAIRLY_LARGE = 200.0
"""A third of the grid of γ."""

PLATEAU = 1.0
"""Points of accuracy that a plateau may vary by."""

Found = Mapping[str, Mapping[Cell, Curve]]


def similar(claim: str, landed: Sequence[Landing], finer: Sequence[Landing] = ()) -> Verdict:
    """Return whether the best γ of other data sets lands in the window in every cell.

    finer: the same of lines for which points were added between the first two γ of the grid.
    """
    agrees = all(one.inside for one in landed)
    text = counted(landed)
    if agrees != all(one.relatively_inside for one in landed):
        text += " Read as 5 % of the highest accuracy, the verdict would be the other."
    outside = [one for one in landed if not one.inside]
    if outside and len(outside) < 4:
        text += f" Outside: {'; '.join(map(str, outside))}."
    return Verdict(claim, agrees, text + _on_finer(finer))


def _on_finer(landed: Sequence[Landing]) -> str:
    if not landed:
        return ""
    added = ", ".join(f"{gamma:g}" for gamma in BETWEEN)
    return (
        f" The paper's grid has nothing between 1 and 21. With γ of {added} added for "
        f"{landed[0].line.label}: in the window in {sum(one.inside for one in landed)} of "
        f"{len(landed)} cells, {max(one.lost for one in landed):.1f} points lost at most."
    )


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


def longest_flat(curve: Curve) -> float:
    """Return how far the longest stretch of γ reaches whose accuracy varies by at most a point."""
    pairs = combinations_with_replacement(range(len(curve.gammas)), 2)
    return max(
        float(curve.gammas[last] - curve.gammas[first])
        for first, last in pairs
        if np.ptp(curve.mean[first : last + 1]) <= PLATEAU
    )


def longer_plateaus(line: Line, found: Found, budgets: Sequence[str]) -> Verdict:
    """Return whether the line's curve is flat over a longer stretch than the baseline's in most."""
    cells = [cell for cell in found[BASELINE.name] if cell[1] in budgets]
    own = [longest_flat(found[line.name][cell]) for cell in cells]
    base = [longest_flat(found[BASELINE.name][cell]) for cell in cells]
    longer = sum(one > other for one, other in zip(own, base, strict=True))
    end = median(float(found[line.name][cell].mean[-1]) for cell in cells)
    share, usual = 100 * one_arm_share(line), 100 * one_arm_share(BASELINE)
    return Verdict(
        "With truncated normal features the curves show longer plateaus.",
        longer > len(cells) / 2,
        f"The longest stretch of γ whose accuracy varies by at most {PLATEAU:g} point is longer "
        f"than the baseline's in {longer} of {len(cells)} cells; its median is {median(own):g} "
        f"against {median(base):g}. At the largest γ accuracy is {end:.1f} % in the median. That "
        f"is what one arm for everybody would reach: it is right for {share:.1f} % of people with "
        f"these features, and for {usual:.1f} % of the baseline's.",
    )


def one_arm_share(line: Line) -> float:
    """Return the share of a line's people for whom the more often better arm is better."""
    table = line.scenario.people(100_000, generator(0))
    second = float(np.mean(line.scenario.contrast(table) > 0))
    return max(second, 1.0 - second)


def lower_ends(line: Line, found: Found, budgets: Sequence[str]) -> list[Landing]:
    """Return where the smallest γ within a point of the line's highest accuracy lands."""
    return [
        Landing(line, n, epsilon, window(found[line.name][n, epsilon], PLATEAU).first, curve)
        for (n, epsilon), curve in found[BASELINE.name].items()
        if epsilon in budgets
    ]


def lower_end(line: Line, found: Found, finer: Found, budgets: Sequence[str]) -> Verdict:
    """Return whether the lower end of the line's plateau lands in the baseline's window."""
    claim = "A γ at the lower end of the plateau consistently lands in the good window."
    ends = lower_ends(line, found, budgets), lower_ends(line, finer, budgets)
    verdict = similar(claim, *ends)
    words = f"The plateau: all γ within {PLATEAU:g} point of the line's highest accuracy."
    return replace(verdict, found=f"{words} {verdict.found}")


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
