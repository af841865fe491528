"""``make confounded``: what is done about confounding, at which n and ε, and with which result.

The numbers go to benchmarks/results/confounded.csv as they come, the figure and the tables to docs
at the end. ``--resume`` goes on after what the file holds; ``--quick`` tries a few repeats of a few
cells and writes nothing.
"""

import argparse
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path

from benchmarks.accuracy import Result, read_result
from benchmarks.campaign import Campaign
from benchmarks.confounded.cells import SHARES, Cell, run
from benchmarks.confounded.figure import save_figure
from benchmarks.confounded.tables import (
    ALL,
    ASKED,
    EPSILON,
    MORE,
    N,
    method_table,
    split_words,
    verdict,
)
from benchmarks.page import fill

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "confounded.csv"
FIGURE = ROOT / "docs" / "images" / "confounded.svg"
PAGE = ROOT / "docs" / "observational.md"
EPSILONS = ("0.5", "1", "3")
READ = partial(read_result, Cell)
SPLITS = ((500, "2"), (1000, "1"), (1000, "2"), (3000, "1"))
"""n and ε at which parts of ε are compared."""

FRESH = 1_000
"""The first of the tables for the split: none of those on which it was once chosen."""


def cells(repeats: int) -> Iterator[Cell]:
    """Yield every cell."""
    for scenario in ASKED:
        for epsilon in EPSILONS:
            for method in MORE if epsilon == EPSILON else ALL:
                yield Cell(scenario, N, epsilon, method, repeats)
    for scenario, (n, epsilon), share in product(list(ASKED)[:2], SPLITS, SHARES):
        yield Cell(scenario, n, epsilon, f"private, share {share}", repeats, first=FRESH)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(prog="make confounded", description=__doc__)
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument("--jobs", type=int, help="processes; all processors")
    parser.add_argument("--resume", action="store_true", help="keep the cells already measured")
    parser.add_argument("--quick", action="store_true", help="ten repeats at n = 1,000, ε = 1")
    arguments = parser.parse_args()
    planned = list(cells(arguments.repeats))
    if arguments.quick:
        planned = [one for one in cells(10) if (one.n, one.epsilon) == (N, EPSILON)]
    results = Campaign(run, RESULTS, Result.row, READ).measure(
        planned, jobs=arguments.jobs, resume=arguments.resume, quick=arguments.quick
    )
    print(method_table(results))
    print(verdict(results))
    print(split_words(results))
    if arguments.quick:
        return
    save_figure(results, EPSILONS, FIGURE)
    fill(PAGE, "accuracy", method_table(results))
    fill(PAGE, "verdict", verdict(results))
    fill(PAGE, "split", split_words(results))


if __name__ == "__main__":
    main()
