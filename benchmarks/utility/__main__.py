"""``make utility``: every method on every scenario, as one table and one figure.

The numbers go to benchmarks/results/utility.csv as they come, the figure and the tables to docs at
the end. ``--resume`` goes on after what the file holds; ``--quick`` tries a few repeats of a few
cells and writes nothing.
"""

import argparse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from benchmarks.accuracy import Cell
from benchmarks.campaign import Campaign
from benchmarks.page import fill
from benchmarks.utility.cells import Result, run
from benchmarks.utility.figure import save_figure
from benchmarks.utility.methods import METHODS
from benchmarks.utility.tables import paper_table, scenario_table, verdicts
from dpwerm.simulate.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "utility.csv"
FIGURE = ROOT / "docs" / "images" / "utility.svg"
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
    parser.add_argument("--jobs", type=int, help="processes; all processors")
    parser.add_argument("--resume", action="store_true", help="keep the cells already measured")
    parser.add_argument("--quick", action="store_true", help="a few repeats of the paper's problem")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.repeats, arguments.scenarios = 10, NAMED
    planned = list(cells(arguments.repeats, arguments.others, arguments.scenarios.split(",")))
    results = Campaign(run, RESULTS, _row, _read).measure(
        planned, jobs=arguments.jobs, resume=arguments.resume, quick=arguments.quick
    )
    print(paper_table(results))
    print(verdicts(results))
    if arguments.quick:
        return
    save_figure([one for one in results if one.cell.scenario == NAMED], FIGURE)
    fill(PAGE, "paper", paper_table(results))
    fill(PAGE, "scenarios", scenario_table(results))
    fill(PAGE, "verdicts", verdicts(results))


def _row(result: Result) -> dict[str, object]:
    numbers = (result.accuracy, result.accuracy_half, result.value, result.value_half)
    shown = (f"{number:.4f}" for number in numbers)
    return asdict(result.cell) | dict(zip(NUMBERS, shown, strict=True))


def _read(row: Mapping[str, str]) -> Result:
    n, repeats = int(row["n"]), int(row["repeats"])
    cell = Cell(row["scenario"], n, row["epsilon"], row["method"], repeats)
    return Result(cell, *(float(row[name]) for name in NUMBERS))


if __name__ == "__main__":
    main()
