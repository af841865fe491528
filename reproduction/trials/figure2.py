"""Figure 2 of the paper: how much γ matters for the rules of two real trials.

Four panels for each trial in the paper's layout, and below them the same with our method, whose
automatic γ is multiplied by factors. The paper does not print its grid of γ. SJCRH is the SIMULATED
stand-in of Table I.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.documents.drawing import headed, labelled, panels, shades, styled
from reproduction.artefact import Artefact, Bench, Made, Verdict
from reproduction.shown import legend_below
from reproduction.trials.claims import listed
from reproduction.trials.sheet import flat
from reproduction.trials.source import Source, source_of
from reproduction.trials.stand_ins import QUICK_REPEATS, REPEATS, SEED, chosen_seeds
from reproduction.trials.table import (
    EPSILONS,
    Ask,
    Measured,
    answer,
    one_by_one,
    rows_of,
    together,
)
from reproduction.trials.trial import PAGE

MARKS = ("o", "s", "^", "D", "v", "P", "X")
"""From the smallest ε on, each darker than the last."""

PANELS = ("value", "share", "concordance", "p")


@styled()
def gamma_figure(
    title: str, arms: tuple[str, str], paper: Sequence[Measured], ours: Sequence[Measured]
) -> Figure:
    """Return two blocks of four panels: the paper's method above, ours below."""
    figure, axes = panels(9.5, 11.5, 4, 2)
    blocks = (("the paper's method", paper, "γ"), ("our method", ours, "automatic γ times"))
    for block, (method, rows, across) in zip((axes[:2], axes[2:]), blocks, strict=True):
        for panel, measure in zip(block.flat, PANELS, strict=True):
            draw_measure(rows, panel, measure, arms)
            labelled(panel, across=f"{across} (log scale)")
        headed(block[0, 0], f"{title}: {method}")
    legend_below(figure, axes[0, 0], len(_epsilons(paper)))
    return figure


@styled()
def draw_measure(rows: Sequence[Measured], axes: Axes, measure: str, arms: tuple[str, str]) -> None:
    """Draw one of the four measures against γ, a line for each ε."""
    units = {
        "value": "value, mean ± SD",
        "share": f"share with {arms[1]}",
        "concordance": "concordance",
        "p": "log₁₀ p",
    }
    labelled(axes, across="γ (log scale)", up=units[measure])
    axes.set_xscale("log")
    scales = sorted({row.scale for row in rows})
    axes.set_xticks(scales, [f"{scale:g}" for scale in scales])
    axes.minorticks_off()
    epsilons = _epsilons(rows)
    for place, epsilon in enumerate(epsilons):
        chosen = [row for row in rows if row.epsilon == epsilon]
        # Side by side, so that bars do not hide each other.
        shift = 1.0 + 0.035 * (place - (len(epsilons) - 1) / 2)
        axes.errorbar(
            [row.scale * shift for row in chosen],
            [_height(row, measure) for row in chosen],
            yerr=[row.deviation for row in chosen] if measure == "value" else None,
            color=shades(len(epsilons))[place],
            marker=MARKS[place % len(MARKS)],
            linewidth=1.1,
            label=f"ε = {epsilon}",
        )
    if measure in {"share", "concordance"}:
        axes.set_ylim(-0.03, 1.03)
    if measure == "p" and all(row.log10_p is None for row in rows if row.private):
        axes.text(0.5, 0.5, "no test", ha="center", transform=axes.transAxes)


def _height(row: Measured, measure: str) -> float:
    if measure == "p":
        return np.nan if row.log10_p is None else row.log10_p
    if measure == "share":
        return row.second / (row.second + row.first)
    return row.mean if measure == "value" else row.concordance


def _epsilons(rows: Sequence[Measured]) -> list[str]:
    return sorted({row.epsilon for row in rows if row.private}, key=float)


GAMMAS = (10.0, 25.0, 50.0, 75.0, 100.0, 150.0, 200.0, 300.0)
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
QUICK_GAMMAS, QUICK_FACTORS, QUICK_EPSILONS = (25.0, 75.0, 300.0), (1.0, 4.0), ("1",)
LEFT_OUT = (
    f"{QUICK_REPEATS} repeats instead of {REPEATS}; three γ instead of eight, two factors instead "
    f"of six; ε = {', '.join(QUICK_EPSILONS)} alone."
)
SKIPPED = "CYP-GUIDES is skipped: it needs a copy of the data; give its path with --cyp-guides."
STABLE = 0.1
"""By how much a share of people may change over γ and still be called stable."""


@dataclass(frozen=True)
class Sensitivity:
    """One trial: rows of both methods at every ε and every γ or factor."""

    name: str
    title: str
    arms: tuple[str, str]
    paper: list[Measured]
    ours: list[Measured]


def sensitivity(bench: Bench, name: str, title: str, source: Source, method: str) -> Sensitivity:
    """Return every row of one trial; a γ that a mechanism does not allow has none.

    method : the reading of the paper's method that gives its row without privacy
    """
    quick = bench.quick
    repeats = QUICK_REPEATS if quick else REPEATS
    epsilons = QUICK_EPSILONS if quick else EPSILONS
    gammas, factors = (QUICK_GAMMAS, QUICK_FACTORS) if quick else (GAMMAS, FACTORS)
    tasks = [Ask(source, method, epsilons, gammas, repeats, (SEED,))]
    tasks += one_by_one(Ask(source, "ours", epsilons, factors, repeats, (SEED,)))
    paper, *ours = bench.run(answer, tasks, name)
    return Sensitivity(name, title, source.load().arms, rows_of(paper[0]), together(ours))


def make(bench: Bench) -> Made:
    """Return the figure for the stand-in of SJCRH, and for CYP-GUIDES if its file is given."""
    seeds, nearest = chosen_seeds(bench)
    chosen = Source("sjcrh", seed=seeds[nearest])
    found = [sensitivity(bench, "sjcrh-simulated", "SJCRH, SIMULATED stand-in", chosen, "paper")]
    if bench.cyp_guides is not None:
        source = source_of("cyp_guides", bench.cyp_guides)
        found.append(sensitivity(bench, "cyp-guides", "CYP-GUIDES", source, "one-propensity"))
    return Made(
        rows=[row for one in found for row in flat_rows(one)],
        sheets=[],
        pictures={one.name: picture(one) for one in found},
        verdicts=[verdict for one in found for verdict in verdicts(one)],
        notes=[NOTE],
        left_out=LEFT_OUT if bench.quick else "",
        skipped="" if bench.cyp_guides else SKIPPED,
    )


NOTE = (
    "A rule depends on the direction of its coefficients alone, and both the minimiser and the "
    "noise shrink as 1/γ once γ is large, so a large γ changes little. The rule without privacy "
    "has the same γ. Where an automatic γ times a small factor is not allowed there is no point."
)


def picture(one: Sensitivity) -> Figure:
    """Return the panels of one trial."""
    return gamma_figure(one.title, one.arms, one.paper, one.ours)


def flat_rows(one: Sensitivity) -> list[dict[str, object]]:
    """Return all rows for the CSV."""
    paper = [flat(one.name, "paper", row, f"{row.scale:g}") for row in one.paper]
    ours = [flat(one.name, "ours", row, f"automatic × {row.scale:g}") for row in one.ours]
    return paper + ours


def ends(rows: Sequence[Measured], epsilon: str, measure: str) -> tuple[float, float]:
    """Return the smallest and the largest number over γ at one ε."""
    numbers = [float(getattr(row, measure)) for row in rows if row.epsilon == epsilon]
    return min(numbers), max(numbers)


def budgets(rows: Sequence[Measured]) -> list[str]:
    """Return the finite ε of rows, the smallest first."""
    return sorted({row.epsilon for row in rows if row.private}, key=float)


def verdicts(one: Sensitivity) -> list[Verdict]:
    """Return whether value, allocation and concordance are stable over γ at each ε."""
    people = one.paper[0].second + one.paper[0].first
    epsilons = budgets(one.paper)
    worth, arms, alike = [], [], []
    for epsilon in epsilons:
        low, high = ends(one.paper, epsilon, "mean")
        spread = ends(one.paper, epsilon, "deviation")[1]
        worth.append((high - low, spread))
        few, many = ends(one.paper, epsilon, "second")
        arms.append((many - few) / people)
        least, most = ends(one.paper, epsilon, "concordance")
        alike.append(most - least)

    def words(numbers: Sequence[float]) -> str:
        return listed([f"{number:.3f}" for number in numbers], epsilons)

    claim = "is robust and stable across γ given ε."
    return [
        Verdict(
            f"{one.title}: the value {claim}",
            all(width <= spread for width, spread in worth),
            f"Its mean changes over γ by {words([width for width, _ in worth])}; the SD over draws "
            f"of noise is up to {words([spread for _, spread in worth])}.",
        ),
        Verdict(
            f"{one.title}: the allocation {claim}",
            max(arms) <= STABLE,
            f"The share of people whose majority is {one.arms[1]} changes by {words(arms)}.",
        ),
        Verdict(
            f"{one.title}: the concordance {claim}",
            max(alike) <= STABLE,
            f"It changes by {words(alike)}.",
        ),
    ]


ARTEFACT = Artefact("figure2", "Figure 2: sensitivity to γ in two real trials", PAGE, make)
