"""The numbers of the γ figures: rows of a file, and tables of a page."""

from collections.abc import Iterable, Mapping, Sequence

from reproduction.gamma.curves import Cell, Curve
from reproduction.gamma.lines import BASELINE, Line
from reproduction.gamma.ours import Ours
from reproduction.gamma.windows import window
from reproduction.summary import rounded

Row = dict[str, object]


def curve_rows(
    lines: Iterable[Line], found: Mapping[str, Mapping[Cell, Curve]], budgets: Sequence[str]
) -> list[Row]:
    """Return a row for each line, ε, n and γ of the paper's method."""
    return [
        {
            "method": "paper",
            "line": line.name,
            "n0": line.people,
            "epsilon": epsilon,
            "n": n,
            "gamma": rounded(gamma),
            "accuracy": rounded(mean),
            "half_width": rounded(half),
            "repeats": curve.repeats,
            "in_window": gamma in window(found[BASELINE.name][n, epsilon]),
        }
        for line in lines
        for (n, epsilon), curve in found[line.name].items()
        if epsilon in budgets
        for gamma, mean, half in zip(
            curve.gammas.tolist(), curve.mean.tolist(), curve.half.tolist(), strict=True
        )
    ]


def our_rows(
    ours: Mapping[Cell, Ours], budgets: Sequence[str], *, around: bool = False
) -> list[Row]:
    """Return a row for each ε and n of our method; around: for other γ than the automatic too."""
    return [
        {
            "method": "ours",
            "line": BASELINE.name,
            "epsilon": epsilon,
            "n": n,
            "gamma": rounded(float(mine.curve.gammas[place])),
            "accuracy": rounded(float(mine.curve.mean[place])),
            "half_width": rounded(float(mine.curve.half[place])),
            "repeats": mine.curve.repeats,
            "factor": rounded(float(mine.curve.gammas[place]) / mine.automatic),
        }
        for (n, epsilon), mine in ours.items()
        if epsilon in budgets
        for place in (range(len(mine.curve.gammas)) if around else [mine.place])
    ]
