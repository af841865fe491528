"""``python -m benchmarks.peers_page``: the tables of docs/comparison.md from the data files.

It needs none of the packages that are compared: their numbers are in benchmarks/results/peers.csv
(see benchmarks/peers.py), docs/data/peers.csv and benchmarks/results/utility.csv (ours).
"""

import csv
from pathlib import Path

from benchmarks.page import fill
from benchmarks.peers import RESULTS, read

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "comparison.md"
OURS = ROOT / "benchmarks" / "results" / "utility.csv"
DPPACK = ROOT / "docs" / "data" / "peers.csv"
COLUMNS = (("paper", 200), ("paper", 500), ("paper", 1000), ("circle", 1000))
NAMES = {"econml": "EconML", "causalml": "CausalML"}
SHOWN = (
    ("auto, no privacy", "inf", "dpwerm, no privacy"),
    ("auto", "1", "dpwerm, ε = 1"),
    ("paper, no privacy", "inf", "the paper's method, no privacy"),
    ("paper", "1", "the paper's method, ε = 1"),
)
"""Our methods by their name and ε in utility.csv, and what the page calls them."""


Cells = dict[tuple[str, int], tuple[float, float]]
"""The accuracies of a row and their half-widths, by scenario and n."""


def ours() -> dict[tuple[str, str], Cells]:
    """Return our methods' accuracies, by method and ε."""
    found: dict[tuple[str, str], Cells] = {}
    for row in _rows(OURS):
        shown = (float(row["accuracy"]), float(row["accuracy_half_width"]))
        cells = found.setdefault((row["method"], row["epsilon"]), {})
        cells[row["scenario"], int(row["n"])] = shown
    return found


def theirs() -> dict[tuple[str, str], Cells]:
    """Return what benchmarks/peers.py found, by package and learner."""
    found: dict[tuple[str, str], Cells] = {}
    for one in map(read, _rows(RESULTS)):
        cells = found.setdefault((one.cell.package, one.cell.learner), {})
        cells[one.cell.scenario, one.cell.n] = (one.accuracy, one.accuracy_half)
    return found


def accuracy_table() -> str:
    """Return accuracy in % of every rule, ours first."""
    named = {name: ours()[method, epsilon] for method, epsilon, name in SHOWN}
    named |= {f"{NAMES[package]}, {one}": cells for (package, one), cells in theirs().items()}
    heads = (f"{scenario}, n = {n:,}" for scenario, n in COLUMNS)
    lines = [f"| rule | {' | '.join(heads)} |", "|---" * (len(COLUMNS) + 1) + "|"]
    halves = []
    for name, cells in named.items():
        row = [cells[column] for column in COLUMNS]
        lines.append(f"| {name} | {' | '.join(f'{mean:.1f}' for mean, _ in row)} |")
        halves += [half for _, half in row]
    most = f"Half-widths of 95 % intervals are at most {max(halves):.1f}."
    return "\n".join([*lines, "", f"{most} {trials_words()}"])


def trials_words() -> str:
    """Say from how many trials the rows of ours are."""
    shown = {(method, epsilon) for method, epsilon, _ in SHOWN}
    mine = [row for row in _rows(OURS) if (row["method"], row["epsilon"]) in shown]
    counts = [
        {int(row["repeats"]) for row in mine if (row["scenario"], int(row["n"])) == column}
        for column in COLUMNS
    ]
    first, last = (" or ".join(map(str, sorted(some))) for some in (counts[0], counts[-1]))
    return f"The first four rows are from {first} trials, {last} in the last column."


def dppack_table() -> str:
    """Return what was measured of DPpack, row by row; of the times the longest."""
    lines = ["| what | where | measured |", "|---|---|---|"]
    for row in _rows(DPPACK):
        if row["quantity"] == "fit time" and not row["setting"].startswith("n = 1,000,000"):
            continue
        value = f"{row['value']} {row['unit']}".strip()
        lines.append(f"| {row['quantity']} | {row['setting']} | {value} |")
    return "\n".join(lines)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def main() -> None:
    """Fill the page."""
    fill(PAGE, "accuracy", accuracy_table())
    fill(PAGE, "dppack", dppack_table())


if __name__ == "__main__":
    main()
