"""The robustness checks that the paper names in its text, cell by cell on the same trials.

The paper gives neither scales nor levels nor numbers, only that it "did not observe notable result
changes" when B is re-scaled or discretised, γ increases, or people are subsampled. What is changed
here, and by how much, is stated in ``variants``.
"""

from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.documents.drawing import FAINT, INK, headed, labelled, panels, styled
from reproduction.artefact import Artefact, Bench, Made
from reproduction.published import published_gammas
from reproduction.shown import budgets_across, legend_below
from reproduction.summary import Summary, rounded
from reproduction.synthetic.repeats import METHODS, PAGE, REPEATS
from reproduction.synthetic.robustness_cells import (
    CHANGED,
    HOW,
    NOTABLE,
    Cell,
    at_small_budgets,
    beside,
    simulate,
    verdict,
)
from reproduction.synthetic.variants import VARIANTS

SIZES: tuple[int, ...] = (200, 500, 1000)
EPSILONS: tuple[str, ...] = ("0.1", "0.5", "1", "2", "5")
QUICK_REPEATS = 40
QUICK_SIZES: tuple[int, ...] = (200,)
QUICK_EPSILONS: tuple[str, ...] = ("0.5", "5")
MARKS = ("o", "s", "v", "^", "D", "P", "X")
COLOURS = ("#bdbdbd", "#a8521f", "#6b8e8e", "#8fb0b8", "#c9b27c", "#8f6b1f", "#14304f")


def make(bench: Bench) -> Made:
    """Return every variant against the base, for the paper's method and ours."""
    sizes, epsilons, repeats = SIZES, EPSILONS, REPEATS
    if bench.quick:
        sizes, epsilons, repeats = QUICK_SIZES, QUICK_EPSILONS, QUICK_REPEATS
    cells = simulate(bench, sizes, epsilons, repeats)
    papers, ours = ([cell for cell in cells if cell.method == method] for method in METHODS)
    return Made(
        rows=list(rows(cells)),
        sheets=[],
        pictures={"": picture(cells, sizes, epsilons)},
        verdicts=[verdict(papers, variant) for variant in CHANGED],
        notes=[HOW, at_small_budgets(papers), beside(ours)],
        left_out=(
            f"{QUICK_REPEATS} repeats instead of {REPEATS}; n = {_list(QUICK_SIZES)} of "
            f"{_list(SIZES)}; ε = {_list(QUICK_EPSILONS)} of {_list(EPSILONS)}."
        ),
    )


def rows(cells: list[Cell]) -> Iterator[dict[str, object]]:
    """Yield every number: a row for each method, cell and variant; γ as it is before the change."""
    gammas = published_gammas()
    for cell in cells:
        for place, variant in enumerate(VARIANTS):
            row: dict[str, object] = {
                "method": cell.method,
                "variant": variant,
                "epsilon": cell.epsilon,
                "n": cell.n,
                "gamma": gammas[cell.epsilon, cell.n] if cell.method == "paper" else "automatic",
                "repeats": cell.accuracy.shape[1],
            }
            for measure in ("accuracy", "value"):
                own, change = (
                    Summary.of(getattr(cell, measure)[place]),
                    cell.change(variant, measure),
                )
                row[measure] = rounded(own.mean)
                row[f"{measure}_half"] = rounded(own.half)
                row[f"{measure}_change"] = rounded(change.mean)
                row[f"{measure}_change_half"] = rounded(change.half)
            yield row


@styled()
def picture(cells: list[Cell], sizes: Sequence[int], epsilons: Sequence[str]) -> Figure:
    """Return the change of accuracy by ε: a row for each method, a column for each n."""
    figure, axes = panels(
        3.4 * len(sizes) + 1.0, 6.4, len(METHODS), len(sizes), sharex=True, sharey="row"
    )
    for row, method in enumerate(METHODS):
        for column, n in enumerate(sizes):
            chosen = [cell for cell in cells if (cell.method, cell.n) == (method, n)]
            draw_changes(chosen, axes[row, column], epsilons)
            headed(axes[row, column], f"{'the paper' if row == 0 else 'ours'}, n = {n:,}")
            labelled(axes[row, column], across="ε" if row else "")
        labelled(axes[row, 0], up="change of accuracy, points")
    legend_below(figure, axes[0, 0], 4 if len(sizes) > 1 else 2)
    return figure


@styled()
def draw_changes(cells: list[Cell], axes: Axes, epsilons: Sequence[str]) -> None:
    """Draw the change by each variant at each ε; the band holds what is not notable."""
    budgets_across(axes, epsilons)
    axes.axhspan(-NOTABLE, NOTABLE, color=FAINT, alpha=0.6, zorder=0)
    axes.axhline(0.0, color=INK, linewidth=0.8)
    for place, variant in enumerate(CHANGED):
        changes = [cell.change(variant) for cell in cells]
        shift = 0.1 * (place - (len(CHANGED) - 1) / 2)
        axes.errorbar(
            [at + shift for at in range(len(cells))],
            [one.mean for one in changes],
            yerr=[one.half for one in changes],
            color=COLOURS[place],
            marker=MARKS[place],
            linestyle="none",
            elinewidth=0.9,
            capsize=0,
            label=VARIANTS[variant],
        )


def _list(items: Sequence[object]) -> str:
    return ", ".join(map(str, items))


ARTEFACT = Artefact("robustness", "The robustness checks named in the text", PAGE, make)
