"""Figure 1: accuracy and value on the synthetic trial, twelve budgets and seven sizes.

The paper's method with the γ its authors used, ours beside it on the same trials.
"""

from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.documents.drawing import QUIET, headed, labelled, panels, shades, styled
from reproduction.artefact import Artefact, Bench, Made, Sheet, Verdict
from reproduction.published import published_cells, published_gammas
from reproduction.shown import budgets_across, legend_below
from reproduction.summary import Summary, rounded
from reproduction.synthetic.figure1_claims import (
    approaching,
    budget_steps,
    gap,
    paired_steps,
    reaching,
    rising,
    size_steps,
)
from reproduction.synthetic.repeats import METHODS, PAGE, PEOPLE, REPEATS, SEED, Cells, simulate
from reproduction.synthetic.table2 import LARGEST_Z, MEASURES, cells_of, shown

TITLES = {"paper": "the paper's method", "ours": "our method"}
UNITS = {"accuracy": "people who get their better arm, %", "value": "empirical treatment value"}


@styled()
def picture(found: Cells, epsilons: Sequence[str], sizes: Sequence[int]) -> Figure:
    """Return the paper's two panels, accuracy over value, and the same with our method."""
    figure, axes = panels(10.0, 7.0, 2, len(METHODS), sharex=True, sharey="row")
    for column, method in enumerate(METHODS):
        headed(axes[0, column], TITLES[method])
        labelled(axes[1, column], across="ε")
        for row, measure in enumerate(MEASURES):
            draw_sizes(found, axes[row, column], method, measure, epsilons, sizes)
    labelled(axes[0, 0], up=UNITS["accuracy"])
    labelled(axes[1, 0], up=UNITS["value"])
    legend_below(figure, axes[0, 0], len(sizes))
    return figure


@styled()
def draw_sizes(
    found: Cells,
    axes: Axes,
    method: str,
    measure: str,
    epsilons: Sequence[str],
    sizes: Sequence[int],
) -> None:
    """Draw a line for each n; the fit without privacy stands apart."""
    budgets_across(axes, epsilons)
    axes.axvline(len(epsilons) - 1.5, color=QUIET, linewidth=0.8, linestyle=":")
    for shade, n in zip(shades(len(sizes)), sizes, strict=True):
        means = [Summary.of(getattr(found[method, epsilon, n], measure)) for epsilon in epsilons]
        for places, label in ((range(len(epsilons) - 1), f"n = {n:,}"), ([len(epsilons) - 1], "")):
            axes.errorbar(
                list(places),
                [means[place].mean for place in places],
                yerr=[means[place].half for place in places],
                color=shade,
                marker="o",
                markersize=3,
                linewidth=1.1,
                elinewidth=0.8,
                capsize=0,
                label=label or None,
            )


SIZES: tuple[int, ...] = (200, 500, 800, 1000, 1500, 2000, 2500)
EPSILONS: tuple[str, ...] = (
    *("0.1", "0.5", "1", "2", "5", "20", "50", "150", "300", "500", "800", "1000"),
    "inf",
)
QUICK_REPEATS = 40
QUICK_SIZES: tuple[int, ...] = (200, 1000)
QUICK_EPSILONS: tuple[str, ...] = ("0.1", "0.5", "1", "2", "5", "50", "inf")


def make(bench: Bench) -> Made:
    """Return Figure 1, reproduced and with our method."""
    epsilons, sizes, repeats = EPSILONS, SIZES, REPEATS
    if bench.quick:
        epsilons, sizes, repeats = QUICK_EPSILONS, QUICK_SIZES, QUICK_REPEATS
    gammas = published_gammas()
    cells = [(epsilon, n, gammas[epsilon, n]) for n in sizes for epsilon in epsilons]
    found = simulate(bench, cells, repeats)
    return Made(
        rows=list(rows(found, cells)),
        sheets=[reaching_sheet(found, epsilons, sizes)],
        pictures={"": picture(found, epsilons, sizes)},
        verdicts=verdicts(found, epsilons, sizes),
        notes=[HOW, beside(found, epsilons, sizes)],
        left_out=(
            f"{QUICK_REPEATS} repeats instead of {REPEATS}; "
            f"n = {', '.join(map(str, QUICK_SIZES))} of {len(SIZES)} sizes; "
            f"ε = {', '.join(map(shown, QUICK_EPSILONS))} of {len(EPSILONS)} budgets."
        ),
    )


HOW = (
    f"{PEOPLE:,} new people judge the rule of each repeat. All ε of one n have common random "
    "numbers; sizes are independent. A measure improves if no step to the next ε or n falls beyond "
    "its interval, all steps of a kind taken together with 95 %. Values are shifted by the "
    "smallest benefit of the people who judge, so at large ε they are not in the order of n. "
    f"ε = ∞ is the fit without privacy, with its own γ. Seed {SEED}."
)


def verdicts(found: Cells, epsilons: Sequence[str], sizes: Sequence[int]) -> list[Verdict]:
    """Return the words of the paper on its figure, each with numbers."""
    made = []
    for measure in MEASURES:
        digits = 1 if measure == "accuracy" else 2
        up = budget_steps(found, "paper", measure, epsilons, sizes)
        same = paired_steps(found, "paper", measure, epsilons, sizes)
        made.append(rising(f"the {measure} improves as ε increases.", up, digits, same))
        more = size_steps(found, "paper", measure, epsilons, sizes)
        made.append(rising(f"the {measure} improves as n increases.", more, digits))
        made.append(approaching(found, "paper", measure, epsilons, sizes))
    published = [one for one in published_cells() if one.n in sizes]
    worst = {
        measure: max(abs(cell.z(measure)) for cell in cells_of(published, found))
        for measure in MEASURES
    }
    made.append(
        Verdict(
            f"the {len(published)} cells that Table II prints.",
            max(worst.values()) < LARGEST_Z,
            f"The largest |z| is {worst['accuracy']:.2f} for accuracy, {worst['value']:.2f} for "
            "value.",
        )
    )
    return made


def beside(found: Cells, epsilons: Sequence[str], sizes: Sequence[int]) -> str:
    """Return in words how our method does on the same trials."""
    steps = paired_steps(found, "ours", "accuracy", epsilons, sizes)
    fallen = [step for step in steps if step.falls]
    least = min((step.gain.mean for step in fallen), default=0.0)
    ahead = [
        Summary.of(found["ours", epsilon, n].accuracy - found["paper", epsilon, n].accuracy)
        for epsilon in epsilons
        for n in sizes
    ]
    clear = sum(one.mean > one.half for one in ahead)
    behind = sum(one.mean < -one.half for one in ahead)
    gaps = [gap(found, "ours", "accuracy", "1", n).mean for n in sizes]
    return (
        f"Our method is more accurate beyond the interval in {clear} of {len(ahead)} cells, less "
        f"in {behind}. At ε = 1 it is {min(gaps):.1f} to {max(gaps):.1f} points below its own fit "
        f"without privacy. On the same trials {len(fallen)} of its {len(steps)} steps in ε fall "
        f"beyond their interval, by {abs(least):.2f} points at most."
    )


def rows(found: Cells, cells: Sequence[tuple[str, int, float]]) -> Iterator[dict[str, object]]:
    """Yield every number, a row for each method and cell."""
    for method in METHODS:
        for epsilon, n, gamma in cells:
            repeats = found[method, epsilon, n]
            row: dict[str, object] = {
                "method": method,
                "epsilon": epsilon,
                "n": n,
                "gamma": gamma if method == "paper" else "automatic",
                "repeats": len(repeats.accuracy),
            }
            for measure in MEASURES:
                summary = Summary.of(getattr(repeats, measure))
                row[measure] = rounded(summary.mean)
                row[f"{measure}_half"] = rounded(summary.half)
            yield row


def reaching_sheet(found: Cells, epsilons: Sequence[str], sizes: Sequence[int]) -> Sheet:
    """Return what our method needs to be as accurate as the paper's."""
    head = ["n", "paper at ε = 5, %", "ours reaches it at ε", "with, %"]
    head += ["paper at ε = ∞, %", "ours reaches it at ε", "with, %"]
    about = "The smallest ε in the figure with which our method is as accurate as the paper's"
    return Sheet("figure1-reaching", about, head, reaching(found, epsilons, sizes))


ARTEFACT = Artefact("figure1", "Figure 1: accuracy and value by budget and size", PAGE, make)
