"""``make utility``: every method on every scenario, tight and sloppy, as tables and one figure.

The numbers go to benchmarks/results/utility.csv as they come, the figure and the tables to docs at
the end. ``--resume`` goes on after what the file holds; ``--quick`` tries a few repeats of one
tight and one sloppy trial and writes nothing. ``--page`` measures nothing and shows what the file
holds. ``--figure`` draws it to a file of your own.
"""

import argparse
import csv
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmarks.accuracy import Cell, Result, read_result
from benchmarks.campaign import Campaign
from benchmarks.page import DATA, fill, write_table
from benchmarks.utility.cells import EVERY, NAMED, OFF_CENTRE, WIDE, run
from benchmarks.utility.figure import save_figure
from benchmarks.utility.methods import METHODS, Method
from benchmarks.utility.tables import (
    mean_table,
    off_centre_table,
    paper_table,
    rows_of,
    sloppy_rows,
    sure,
    tight_rows,
)
from benchmarks.utility.verdicts import verdicts
from dpwerm.simulate.scenarios.sloppy import SLOPPY

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "utility.csv"
FIGURE = ROOT / "docs" / "images" / "utility.svg"
PAGE = ROOT / "docs" / "utility.md"
SIZES, SLOPPY_SIZES = (200, 500, 1000), (500, 1000, 3000)
MANY = 3000
"""The n at which bounds far too wide are compared with tight ones."""

AT = 1000
"""The n at which auto is tried at another ε on sloppy trials, too."""

EPSILONS = ("0.5", "1", "5")
SLOPPY_EPSILONS = ("1", "3")
PAPER_EPSILONS = ("0.1", "0.5", "1", "2", "5")
OFF_CENTRE_METHODS = ("outcome-weighted", "auto")
READ = partial(read_result, Cell)
STEPPED = (1000, 3000)
"""The n at which auto is taken apart on sloppy trials."""

TABLES = {
    "verdicts": verdicts,
    "sure": sure,
}
"""What stands between which marks of the page."""

FILES: dict[str, Callable[[Sequence[Result[Cell]]], list[list[str]]]] = {
    "utility-means.csv": lambda results: rows_of(mean_table(list(results))),
    "utility-paper.csv": lambda results: rows_of(paper_table(list(results))),
    "utility-off-centre.csv": lambda results: rows_of(off_centre_table(list(results))),
    "utility-tight.csv": lambda results: tight_rows(list(results)),
    "utility-sloppy.csv": lambda results: sloppy_rows(list(results)),
}
"""Tables that the page shows from a file."""

QUICK = (NAMED, "mood")
"""The trials of a quick run."""


def cells(repeats: int, others: int, scenarios: Collection[str]) -> Iterator[Cell]:
    """Yield every cell; scenarios of one shape ask the same questions, so they stand apart."""
    for scenario in (name for name in EVERY if name in scenarios):
        for n in _sizes(scenario):
            for method in METHODS.values():
                for epsilon in _epsilons(scenario, n, method):
                    asked = scenario in SLOPPY and method.name == "auto"
                    many = asked or scenario in (NAMED, *OFF_CENTRE)
                    yield Cell(scenario, n, epsilon, method.name, repeats if many else others)


def _sizes(scenario: str) -> tuple[int, ...]:
    """Return the n at which a scenario is tried."""
    if scenario in SLOPPY:
        return SLOPPY_SIZES
    return (MANY,) if scenario in WIDE else SIZES


def _epsilons(scenario: str, n: int, method: Method) -> tuple[str, ...]:
    """Return the ε at which a method is tried on a scenario, none if it is not."""
    if scenario in WIDE:
        return ("1",) if method.name == "auto" else ()
    if scenario in OFF_CENTRE:
        return ("1",) if method.name in OFF_CENTRE_METHODS else ()
    if method.single and scenario != NAMED:
        return ()
    if not method.private:
        return ("inf",)
    if method.step:
        return ("1",) if scenario in SLOPPY and n in STEPPED else ()
    if scenario in SLOPPY:
        return SLOPPY_EPSILONS if n == AT and method.name == "auto" else ("1",)
    return PAPER_EPSILONS if scenario == NAMED else EPSILONS


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(prog="make utility", description=__doc__)
    parser.add_argument(
        "--repeats", type=int, default=100, help="on the paper's problem, and where gain is asked"
    )
    parser.add_argument("--others", type=int, default=40, help="everywhere else")
    parser.add_argument(
        "--scenarios", default=",".join(EVERY), help="a part of them goes to a file of its own"
    )
    parser.add_argument("--jobs", type=int, help="processes; all processors")
    parser.add_argument("--resume", action="store_true", help="keep the cells already measured")
    parser.add_argument("--quick", action="store_true", help="a few repeats of two trials")
    parser.add_argument("--figure", type=Path, help="where to draw what was measured, as .svg")
    parser.add_argument(
        "--page", action="store_true", help="measure nothing; page and figure from the file"
    )
    arguments = parser.parse_args()
    if arguments.page:
        save_figure(kept(RESULTS), arguments.figure or FIGURE)
        show(kept(RESULTS))
        return
    wanted = QUICK if arguments.quick else arguments.scenarios.split(",")
    planned = list(cells(arguments.repeats, arguments.others, wanted))
    if arguments.quick:
        planned = [one for one in cells(5, 5, wanted) if one.n == 1000 and one.epsilon in "1 inf"]
    whole = set(EVERY) <= set(wanted)
    file = RESULTS if whole else RESULTS.with_stem("utility-part")
    results = Campaign(run, file, Result.row, READ).measure(
        planned, jobs=arguments.jobs, resume=arguments.resume, quick=arguments.quick
    )
    print(paper_table(results))
    print(mean_table(results))
    print(verdicts(results))
    if arguments.figure or whole:
        save_figure(results, arguments.figure or FIGURE)
    if whole:
        show(results)


def kept(file: Path) -> list[Result[Cell]]:
    """Return what a file holds."""
    with file.open(encoding="utf-8", newline="") as rows:
        return [READ(row) for row in csv.DictReader(rows)]


def show(results: Sequence[Result[Cell]]) -> None:
    """Write the page's tables."""
    for name, table in TABLES.items():
        fill(PAGE, name, table(results))
    for name, rows in FILES.items():
        write_table(DATA / name, rows(results))


if __name__ == "__main__":
    main()
