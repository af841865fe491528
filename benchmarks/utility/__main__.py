"""``make utility``: every method on every scenario, as one table and one figure.

The numbers go to benchmarks/results/utility.csv, the figure and the table of the paper's problem to
docs. ``--quick`` tries a few repeats of a few cells.
"""

import argparse
import csv
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

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
NAMED = "paper"
"""The scenario whose table is published; it gets all the repeats."""


def cells(repeats: int, others: int, scenarios: Iterable[str]) -> Iterator[Cell]:
    """Yield every cell, the long ones first so that no processor idles at the end."""
    for scenario in scenarios:
        count = repeats if scenario == NAMED else others
        for n in reversed(SIZES):
            for method in METHODS.values():
                for epsilon in EPSILONS if method.private else ("inf",):
                    yield Cell(scenario, n, epsilon, method.name, count)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(prog="make utility", description=__doc__)
    parser.add_argument("--repeats", type=int, default=200, help="on the paper's problem")
    parser.add_argument("--others", type=int, default=40, help="on every other scenario")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--quick", action="store_true", help="a few repeats of the paper's problem")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.repeats, arguments.scenarios = 10, NAMED
    planned = list(cells(arguments.repeats, arguments.others, arguments.scenarios.split(",")))
    console = Console()
    results: list[Result] = []
    with Progress(console=console) as progress, ProcessPoolExecutor(arguments.jobs) as pool:
        task = progress.add_task("simulating trials", total=len(planned))
        for result in pool.map(run, planned):
            results.append(result)
            progress.update(task, advance=1, description=f"{result.cell.scenario:<20}")
    print(paper_table(results))
    print(verdicts(results))
    if arguments.quick:
        return
    _write(results)
    save_figure([one for one in results if one.cell.scenario == NAMED], FIGURE)
    _fill(PAGE, "paper", paper_table(results))
    _fill(PAGE, "scenarios", scenario_table(results))
    _fill(PAGE, "verdicts", verdicts(results))


def _write(results: list[Result]) -> None:
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        rows = [asdict(one.cell) | _numbers(one) for one in results]
        writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _numbers(result: Result) -> dict[str, str]:
    return {
        "accuracy": f"{result.accuracy:.2f}",
        "accuracy_half_width": f"{result.accuracy_half:.2f}",
        "value": f"{result.value:.4f}",
        "value_half_width": f"{result.value_half:.4f}",
    }


def _fill(page: Path, name: str, text: str) -> None:
    """Replace what stands between two marks of a page."""
    start, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    content = page.read_text(encoding="utf-8")
    head, rest = content.split(start)
    page.write_text(f"{head}{start}\n{text}\n{end}{rest.split(end)[1]}", encoding="utf-8")


if __name__ == "__main__":
    main()
