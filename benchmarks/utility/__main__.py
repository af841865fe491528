"""``make utility``: every method on every scenario, as one table and one figure.

The numbers go to benchmarks/results/utility.csv as they come, the figure and the tables to docs at
the end. ``--resume`` goes on after what the file holds; ``--quick`` tries a few repeats of a few
cells and writes nothing.
"""

import argparse
import csv
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from rich.progress import Progress

from benchmarks.page import add_row, fill
from benchmarks.utility.cells import Cell, Result, run
from benchmarks.utility.figure import save_figure
from benchmarks.utility.methods import METHODS
from benchmarks.utility.tables import paper_table, scenario_table, verdicts
from dpwerm.simulate.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "utility.csv"
FIGURE = ROOT / "docs" / "images" / "utility.png"
PAGE = ROOT / "docs" / "utility.md"
SIZES = (200, 500, 1000)
EPSILONS = ("0.1", "0.5", "1", "2", "5")
NUMBERS = ("accuracy", "accuracy_half_width", "value", "value_half_width")
NAMED = "paper"
"""The scenario whose table is published; it gets all the repeats."""


def cells(repeats: int, others: int, scenarios: Iterable[str]) -> Iterator[Cell]:
    """Yield every cell, the large trials first so that no processor idles at the end."""
    names = list(scenarios)
    for n in reversed(SIZES):
        for scenario in names:
            count = repeats if scenario == NAMED else others
            for method in METHODS.values():
                for epsilon in EPSILONS if method.private else ("inf",):
                    yield Cell(scenario, n, epsilon, method.name, count)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(prog="make utility", description=__doc__)
    parser.add_argument("--repeats", type=int, default=200, help="on the paper's problem")
    parser.add_argument("--others", type=int, default=25, help="on every other scenario")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--resume", action="store_true", help="keep the cells already measured")
    parser.add_argument("--quick", action="store_true", help="a few repeats of the paper's problem")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.repeats, arguments.scenarios = 10, NAMED
    planned = list(cells(arguments.repeats, arguments.others, arguments.scenarios.split(",")))
    found = dict.fromkeys(planned) | (_measured(set(planned)) if arguments.resume else {})
    todo = [cell for cell, result in found.items() if result is None]
    RESULTS.parent.mkdir(exist_ok=True)
    target = Path(os.devnull) if arguments.quick else RESULTS
    with (
        target.open("a" if arguments.resume else "w", encoding="utf-8", newline="") as file,
        Progress() as progress,
        ProcessPoolExecutor(arguments.jobs) as pool,
    ):
        task = progress.add_task("simulating trials", total=len(planned))
        progress.advance(task, len(planned) - len(todo))
        for result in pool.map(run, todo):
            found[result.cell] = result
            add_row(file, asdict(result.cell) | _numbers(result))
            progress.update(task, advance=1, description=f"{result.cell.scenario:<20}")
    results = [result for result in found.values() if result is not None]
    print(paper_table(results))
    print(verdicts(results))
    if arguments.quick:
        return
    save_figure([one for one in results if one.cell.scenario == NAMED], FIGURE)
    fill(PAGE, "paper", paper_table(results))
    fill(PAGE, "scenarios", scenario_table(results))
    fill(PAGE, "verdicts", verdicts(results))


def _measured(planned: set[Cell]) -> dict[Cell, Result | None]:
    """Return the planned cells that the file already holds."""
    if not RESULTS.exists():
        return {}
    found: dict[Cell, Result | None] = {}
    with RESULTS.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            n, repeats = int(row["n"]), int(row["repeats"])
            cell = Cell(row["scenario"], n, row["epsilon"], row["method"], repeats)
            if cell in planned:
                found[cell] = Result(cell, *(float(row[name]) for name in NUMBERS))
    return found


def _numbers(result: Result) -> dict[str, str]:
    numbers = (result.accuracy, result.accuracy_half, result.value, result.value_half)
    return {name: f"{number:.4f}" for name, number in zip(NUMBERS, numbers, strict=True)}


if __name__ == "__main__":
    main()
