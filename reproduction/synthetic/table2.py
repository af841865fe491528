"""Table II of the paper's supplement: accuracy and value on the synthetic trial by ε and n.

The paper's own method with its γ, and ours beside it on the same trials. The shift by the sample
minimum lets one person move everybody's weight, so the published figures carry no privacy
guarantee, and neither do those that are reproduced here.
"""

from collections.abc import Iterator

from reproduction.artefact import Artefact, Bench, Made, Verdict
from reproduction.published import published_cells
from reproduction.sheet import Sheet
from reproduction.summary import Summary, rounded
from reproduction.synthetic.repeats import PEOPLE, REPEATS, SEED, simulate
from reproduction.synthetic.table2_cells import LARGEST_Z, MEASURES, Cell, cells_of, shown
from reproduction.synthetic.table2_picture import picture

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
    "All ε of one n share trials and luck, and so do both methods, so neighbouring cells are not "
    "independent. The γ are those the authors used. The value is the paper's Eqn 14, with benefits "
    "shifted by the smallest of the people judged. z is the difference of the reproduced and the "
    f"published mean in its standard errors; |z| < {LARGEST_Z} counts as agreement. Our method has "
    f"automatic settings from public facts alone, at the same ε. Seed {SEED}."
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
    head = ["ε", "n", "γ"]
    for title in ("accuracy, %", "value"):
        head += [f"{title}: published", "reproduced", "z", "ours"]
    lines = []
    for cell in cells:
        asked = cell.published
        line = [shown(asked.epsilon), str(asked.n), f"{asked.gamma:g}"]
        for measure in MEASURES:
            mean, half = getattr(asked, measure)
            line += [
                Summary(mean, half, REPEATS).text(2),
                Summary.of(getattr(cell.paper, measure)).text(2),
                f"{cell.z(measure):+.2f}",
                Summary.of(getattr(cell.ours, measure)).text(2),
            ]
        lines.append(line)
    about = f"Means over {repeats} repeats with the half width of their 95 % intervals"
    return Sheet("table2", about, head, lines)


ARTEFACT = Artefact("table2", "Table II: the synthetic experiment in numbers", make)
