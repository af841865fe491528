"""The numbers of the γ figures: rows of a file, and tables of a page."""

from collections.abc import Iterable, Mapping, Sequence

from reproduction.artefact import Sheet
from reproduction.gamma.curves import Cell, Curve
from reproduction.gamma.lines import BASELINE, Line
from reproduction.gamma.ours import Ours
from reproduction.gamma.windows import Landing, landings, window
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


def landing_sheet(
    name: str,
    lines: Sequence[Line],
    found: Mapping[str, Mapping[Cell, Curve]],
    ours: Mapping[Cell, Ours],
    budgets: Sequence[str],
) -> Sheet:
    """Return each cell's window, and where the best γ of each line lands."""
    by_cell: dict[Cell, list[Landing]] = {}
    for one in landings(lines, found, budgets):
        by_cell.setdefault((one.n, one.epsilon), []).append(one)
    rows = []
    for (n, epsilon), landed in sorted(by_cell.items(), key=lambda item: float(item[0][1])):
        curve, mine = found[BASELINE.name][n, epsilon], ours[n, epsilon]
        best = f"{curve.best:g} ({curve.highest:.1f} %)"
        rows.append([epsilon, f"{n:,}", str(window(curve)), best, *map(landing_text, landed)])
        rows[-1].append(f"{mine.mean:.1f} ± {mine.half:.1f} %")
    header = ["ε", "n", "window", "baseline's best γ", *(one.label for one in lines), "ours"]
    title = (
        "Best γ of each line, in brackets the points of baseline accuracy that it costs; "
        "bold: outside the window. Ours: accuracy with everything automatic, no D₀"
    )
    return Sheet(name, title, header, rows)


def landing_text(one: Landing) -> str:
    """Return a γ with what it costs, in bold if it is outside the window."""
    text = f"{one.gamma:g} ({one.lost:.1f})"
    return text if one.inside else f"**{text}**"
