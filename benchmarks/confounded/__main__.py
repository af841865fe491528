"""``make confounded``: what is done about confounding, at which n and ε, and with which result.

The numbers go to benchmarks/results/confounded.csv as they come, the figure and the tables to docs
at the end. ``--resume`` goes on after what the file holds; ``--quick`` tries a few repeats of a few
cells and writes nothing.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields
from itertools import product
from pathlib import Path

from benchmarks.campaign import Campaign
from benchmarks.confounded.cells import SHARES, Cell, Result, run
from benchmarks.confounded.figure import save_figure
from benchmarks.confounded.tables import (
    ASIDE,
    NAMED,
    SECOND,
    SHOWN,
    aside_table,
    method_table,
    split_words,
    verdict,
)
from benchmarks.page import fill

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "confounded.csv"
FIGURE = ROOT / "docs" / "images" / "confounded.svg"
PAGE = ROOT / "docs" / "observational.md"
SIZES = (200, 500, 1000, 2000, 5000)
EPSILONS = ("0.5", "1", "2", "5", "inf")
SECOND_EPSILONS, SECOND_METHODS = ("1", "5", "inf"), SHOWN[:3]
SPLITS = ((500, "2"), (1000, "1"), (1000, "2"), (2000, "1"), (5000, "0.5"), (5000, "2"))
"""n and ε at which parts of ε are compared."""

CLOSE, FRESH = ("0.3", "0.4", "0.5"), 1_000
"""The shares that came out close, tried again on tables that had no part in choosing one."""

ASIDE_AT = ((1000, "1"), (5000, "1"), (5000, "inf"))
"""n and ε at which two other declarations of the benefit are tried."""

NUMBERS = tuple(one.name for one in fields(Result))[1:]


def cells(repeats: int) -> Iterator[Cell]:
    """Yield every cell; the worst case costs privacy only, so it is left out at ε = ∞."""
    for scenario in (NAMED, SECOND):
        for n, epsilon in SPLITS:
            for share in SHARES:
                yield Cell(scenario, n, epsilon, f"private, share {share}", repeats)
    for n in SIZES:
        for epsilon in EPSILONS:
            for method in SHOWN:
                if (method, epsilon) != ("worst case", "inf"):
                    yield Cell(NAMED, n, epsilon, method, repeats)
    for scenario in (NAMED, SECOND):
        for (n, epsilon), share in product(SPLITS, CLOSE):
            yield Cell(scenario, n, epsilon, f"private, share {share}", repeats, first=FRESH)
        for method, (n, epsilon) in product(ASIDE, ASIDE_AT):
            yield Cell(scenario, n, epsilon, method, repeats)
    for n in SIZES:
        for epsilon in SECOND_EPSILONS:
            for method in SECOND_METHODS:
                yield Cell(SECOND, n, epsilon, method, repeats)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(prog="make confounded", description=__doc__)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--jobs", type=int, help="processes; all processors")
    parser.add_argument("--resume", action="store_true", help="keep the cells already measured")
    parser.add_argument("--quick", action="store_true", help="ten repeats of n = 1,000")
    arguments = parser.parse_args()
    planned = list(cells(arguments.repeats))
    if arguments.quick:
        planned = [cell for cell in cells(10) if cell.n == 1000 and cell.scenario == NAMED]
    results = Campaign(run, RESULTS, _row, _read).measure(
        planned, jobs=arguments.jobs, resume=arguments.resume, quick=arguments.quick
    )
    fresh = [one for one in results if one.cell.first]
    results = [one for one in results if not one.cell.first]
    print(method_table(results, NAMED))
    print(split_words(results))
    print(verdict(results, NAMED))
    if arguments.quick:
        return
    save_figure([one for one in results if one.cell.scenario == NAMED], FIGURE)
    fill(PAGE, "accuracy", method_table(results, NAMED))
    fill(PAGE, "verdict", verdict(results, NAMED))
    fill(PAGE, "indication", method_table(results, SECOND))
    fill(PAGE, "aside", aside_table(results))
    fill(PAGE, "split", split_words(results))
    fill(PAGE, "fresh", split_words(fresh))


def _row(result: Result) -> dict[str, object]:
    return asdict(result.cell) | {name: f"{getattr(result, name):.4f}" for name in NUMBERS}


def _read(row: Mapping[str, str]) -> Result:
    n, repeats, first = (int(row[name]) for name in ("n", "repeats", "first"))
    cell = Cell(row["scenario"], n, row["epsilon"], row["method"], repeats, first)
    return Result(cell, *(float(row[name]) for name in NUMBERS))


if __name__ == "__main__":
    main()
