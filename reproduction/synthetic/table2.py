"""Table II of the paper's supplement: accuracy and value on the synthetic trial by ε and n.

The paper's own method with its γ, and ours beside it on the same trials. The shift by the sample
minimum lets one person move everybody's weight, so the published figures carry no privacy
guarantee, and neither do those that are reproduced here.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpwerm.documents.drawing import QUIET, headed, labelled, panels, styled
from reproduction.artefact import Artefact, Bench, Made, Sheet, Verdict
from reproduction.published import Published, published_cells
from reproduction.shown import OURS, PAPER, budgets_across, legend_below
from reproduction.summary import Summary, rounded, standard_errors_apart
from reproduction.synthetic.repeats import PAGE, PEOPLE, REPEATS, SEED, Cells, Repeats, simulate

LARGEST_Z = 4.5
# A published interval spans two 97.5 % quantiles of Student's t with 199 degrees of freedom.
QUANTILE = 1.972
MEASURES = {"accuracy": "accuracy rate", "value": "treatment value"}


@dataclass(frozen=True)
class Cell:
    """Repeats of both methods beside the published cell."""

    published: Published
    paper: Repeats
    ours: Repeats

    def z(self, measure: str) -> float:
        """Return reproduced minus published mean in standard errors of their difference."""
        mean, half_width = getattr(self.published, measure)
        return standard_errors_apart(getattr(self.paper, measure), mean, half_width / QUANTILE)

    def agrees(self, measure: str) -> bool:
        """Whether the means agree."""
        return abs(self.z(measure)) < LARGEST_Z

    @property
    def name(self) -> str:
        """The cell in words."""
        return f"ε = {shown(self.published.epsilon)}, n = {self.published.n}"


def cells_of(published: list[Published], found: Cells) -> list[Cell]:
    """Return the published cells with what was found for each."""
    return [
        Cell(one, found["paper", one.epsilon, one.n], found["ours", one.epsilon, one.n])
        for one in published
    ]


def shown(epsilon: str) -> str:
    """Return a budget for reading."""
    return "∞" if epsilon == "inf" else epsilon


@styled()
def picture(cells: list[Cell]) -> Figure:
    """Return accuracy and value against ε, a column for each n."""
    sizes = sorted({cell.published.n for cell in cells})
    figure, axes = panels(2.6 * len(sizes) + 1.2, 5.2, 2, len(sizes), sharex=True, sharey="row")
    for row, measure in enumerate(MEASURES):
        for column, n in enumerate(sizes):
            draw_cells(
                [cell for cell in cells if cell.published.n == n], axes[row, column], measure
            )
    for column, n in enumerate(sizes):
        headed(axes[0, column], f"n = {n:,}")
        labelled(axes[1, column], across="ε")
    labelled(axes[0, 0], up="people who get their better arm, %")
    labelled(axes[1, 0], up="empirical treatment value")
    legend_below(figure, axes[0, 0], 3)
    return figure


@styled()
def draw_cells(cells: list[Cell], axes: Axes, measure: str) -> None:
    """Draw one n: published, reproduced and ours against ε."""
    budgets_across(axes, [cell.published.epsilon for cell in cells])
    means = [getattr(cell.published, measure) for cell in cells]
    published = [Summary(mean, half, REPEATS) for mean, half in means]
    paper = [Summary.of(getattr(cell.paper, measure)) for cell in cells]
    ours = [Summary.of(getattr(cell.ours, measure)) for cell in cells]
    styles = (
        (published, QUIET, "s", -0.12, "published"),
        (paper, PAPER, "o", 0.0, "the paper's method, reproduced"),
        (ours, OURS, "^", 0.12, "our method"),
    )
    for summaries, colour, marker, shift, label in styles:
        axes.errorbar(
            [place + shift for place in range(len(cells))],
            [one.mean for one in summaries],
            yerr=[one.half for one in summaries],
            color=colour,
            marker=marker,
            linewidth=0.9,
            label=label,
        )


QUICK_REPEATS, QUICK_SIZES = 40, (200, 1000)


def make(bench: Bench) -> Made:
    """Return Table II, published, reproduced, and with our method."""
    published = [one for one in published_cells() if not bench.quick or one.n in QUICK_SIZES]
    repeats = QUICK_REPEATS if bench.quick else REPEATS
    found = simulate(bench, [(one.epsilon, one.n, one.gamma) for one in published], repeats)
    cells = cells_of(published, found)
    return Made(
        rows=list(rows(cells)),
        sheets=[sheet(cells, repeats)],
        pictures={"": picture(cells)},
        verdicts=[verdict(cells, measure) for measure in MEASURES],
        notes=[HOW, beside(cells)],
        left_out=f"{QUICK_REPEATS} repeats instead of {REPEATS}; n = 500 and 800 are missing.",
    )


HOW = (
    f"Each repeat is a new trial, a new fit and {PEOPLE:,} new people on whom the rule is judged. "
    "All ε of one n and both methods have common random numbers, so neighbouring cells are not "
    "independent. The γ are those the authors used. The value is the paper's Eqn 14, with benefits "
    "shifted by the smallest of the people judged. z is the difference of the reproduced and the "
    f"published mean in its standard errors; |z| < {LARGEST_Z} counts as agreement. Our method has "
    f"automatic hyperparameters from public facts alone, at the same ε. Seed {SEED}."
)


def verdict(cells: list[Cell], measure: str) -> Verdict:
    """Return whether all published means of a measure are reproduced."""
    worst = max(cells, key=lambda cell: abs(cell.z(measure)))
    beyond = [cell.name for cell in cells if not cell.agrees(measure)]
    found = f"The largest |z| is {abs(worst.z(measure)):.2f}, at {worst.name}."
    if beyond:
        found += f" Beyond {LARGEST_Z}: {'; '.join(beyond)}. No explanation found."
    claim = f"the mean {MEASURES[measure]} of {len(cells)} cells."
    return Verdict(claim, not beyond, found)


def beside(cells: list[Cell]) -> str:
    """Return in words how our method compares on the same trials."""
    private = [cell for cell in cells if cell.published.epsilon != "inf"]
    gains = {cell.name: Summary.of(cell.ours.accuracy - cell.paper.accuracy) for cell in private}
    best, worst = (pick(gains, key=lambda name: gains[name].mean) for pick in (max, min))
    clear = sum(gain.mean > gain.half for gain in gains.values())
    return (
        f"With our method {clear} of the {len(private)} private cells are more accurate beyond "
        f"the 95 % interval of the paired difference: by {gains[best].text(1)} points at the most "
        f"({best}) and {gains[worst].text(1)} at the least ({worst})."
    )


def rows(cells: list[Cell]) -> Iterator[dict[str, object]]:
    """Yield every number, a row for each method and cell."""
    for cell in cells:
        asked = cell.published
        for method, repeats in (("paper", cell.paper), ("ours", cell.ours)):
            row: dict[str, object] = {
                "method": method,
                "epsilon": asked.epsilon,
                "n": asked.n,
                "gamma": asked.gamma if method == "paper" else "automatic",
                "repeats": len(repeats.accuracy),
            }
            for measure in MEASURES:
                summary = Summary.of(getattr(repeats, measure))
                row[measure] = rounded(summary.mean)
                row[f"{measure}_half"] = rounded(summary.half)
                if method == "paper":
                    mean, half = getattr(asked, measure)
                    row[f"{measure}_published"] = mean
                    row[f"{measure}_published_half"] = rounded(half)
                    row[f"{measure}_z"] = round(cell.z(measure), 2)
            yield row


def sheet(cells: list[Cell], repeats: int) -> Sheet:
    """Return the table in the order of the paper's."""
    head = ["ε", "n", "γ", "published, %", "reproduced", "z", "ours"]
    lines = []
    for cell in cells:
        asked = cell.published
        line = [shown(asked.epsilon), str(asked.n), f"{asked.gamma:g}"]
        paper, ours = (f"{one.accuracy.mean():.2f}" for one in (cell.paper, cell.ours))
        line += [f"{asked.accuracy[0]:.2f}", paper, f"{cell.z('accuracy'):+.2f}", ours]
        lines.append(line)
    about = f"Mean accuracy over {repeats} repeats; half-widths, and the values, are in the file"
    return Sheet("table2", about, head, lines)


ARTEFACT = Artefact("table2", "Table II: the synthetic experiment in numbers", PAGE, make)
