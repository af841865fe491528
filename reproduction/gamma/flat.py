"""How much depends on γ with our method: the automatic one times 1/9 to 9, the rest as it was."""

from collections.abc import Mapping, Sequence
from statistics import median

from reproduction.artefact import Artefact, Bench, Made, Verdict
from reproduction.gamma.artefact import PAGE
from reproduction.gamma.curves import Cell, Curve, curves, refined
from reproduction.gamma.figure import draw_multiples
from reproduction.gamma.lines import BASELINE, extent_of, left_out
from reproduction.gamma.ours import Ours, our_curves
from reproduction.gamma.sheets import curve_rows, our_rows
from reproduction.gamma.windows import POINTS

TWICE = (0.5, 2.0)
FLOOR = (
    "Our default mechanism puts its noise into the objective, which needs a γ above a floor; "
    "multiples below it would be refused and are left out. Just above it the noise grows without "
    "limit."
)


def _place(mine: Ours, factor: float) -> int | None:
    near = [abs(gamma / (mine.automatic * factor) - 1) < 1e-9 for gamma in mine.curve.gammas]
    return near.index(True) if any(near) else None


def _times(factor: float) -> str:
    return f"× {factor:g}" if factor >= 1 else f"× 1/{1 / factor:g}"


def lost_by(ours: Mapping[Cell, Ours], factor: float) -> dict[Cell, float]:
    """Return the points that our method loses in each cell where that multiple is possible."""
    places = {cell: _place(mine, factor) for cell, mine in ours.items()}
    return {
        cell: ours[cell].mean - float(ours[cell].curve.mean[place])
        for cell, place in places.items()
        if place is not None
    }


def judge(
    ours: Mapping[Cell, Ours],
    baseline: Mapping[Cell, Curve],
    tuned: Mapping[Cell, float],
    factors: Sequence[float],
) -> Verdict:
    """Return whether twice or half the tuned γ does nearly as well as the best."""
    theirs = {
        (cell, factor): curve.highest - curve.at(tuned[cell] * factor)
        for cell, curve in baseline.items()
        for factor in TWICE
    }
    good = sum(drop <= POINTS for drop in theirs.values())
    ((n, epsilon), factor), worst = max(theirs.items(), key=lambda item: item[1])
    texts = []
    for other in factors:
        drops = lost_by(ours, other)
        if other != 1 and drops:
            middle, most = median(drops.values()), max(drops.values())
            texts.append(f"{_times(other)} {middle:.1f} and {most:.1f}")
    gains = [mine.mean - baseline[cell].highest for cell, mine in ours.items()]
    return Verdict(
        "In most cases strong performance does not require a strict precision of γ.",
        good > len(theirs) / 2,
        f"Half or twice the best γ of the grid costs the paper's method at most {POINTS:g} points "
        f"in {good} of {len(theirs)} cases; the most is {worst:.1f} ({_times(factor)}, n = {n:,}, "
        f"ε = {epsilon}). Points that our method loses against its automatic γ, median and "
        f"most: {'; '.join(texts)}. At the automatic γ it is {median(gains):.1f} points above the "
        f"paper's method at its best γ in the median, {min(gains):.1f} at least.",
    )


def make(bench: Bench) -> Made:
    """Return our accuracy around the automatic γ, beside the paper's around its best γ."""
    extent = extent_of(bench.quick)
    coarse = curves(bench, (BASELINE,), extent)
    tuned = {cell: curve.best for cell, curve in coarse[BASELINE.name].items()}
    gammas = {
        n: tuple(
            sorted({factor * tuned[n, epsilon] for factor in TWICE for epsilon in extent.budgets})
        )
        for n in extent.sizes
    }
    found = refined(bench, (BASELINE,), coarse, extent, gammas)
    ours = our_curves(bench, extent)
    baseline = found[BASELINE.name]
    rows = curve_rows((BASELINE,), found, extent.budgets)
    return Made(
        rows=[*rows, *our_rows(ours, extent.budgets, around=True)],
        sheets=[],
        pictures={"": draw_multiples(baseline, ours, extent.budgets)},
        verdicts=[judge(ours, baseline, tuned, extent.factors)],
        notes=[FLOOR],
        left_out=left_out(extent),
    )


ARTEFACT = Artefact("supplement-ours", "How much our method depends on γ", PAGE, make)
