"""Tables of docs/utility.md, observational.md and evaluation.md are those of their data files."""

import csv
import re
from pathlib import Path

from benchmarks import coverage
from benchmarks.confounded import __main__ as confounded
from benchmarks.confounded.tables import NAMED, SECOND, aside_table, method_table, split_words
from benchmarks.confounded.tables import verdict as confounded_verdict
from benchmarks.utility import __main__ as utility
from benchmarks.utility.tables import paper_table, scenario_table


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def shown(page: Path) -> dict[str, str]:
    """Return what stands between the marks of a page."""
    marked = r"<!-- ([\w-]+): begin -->\n(.*?)\n<!-- \1: end -->"
    return dict(re.findall(marked, page.read_text(encoding="utf-8"), re.DOTALL))


def test_utility() -> None:
    found = [utility._read(row) for row in rows(utility.RESULTS)]
    page = shown(utility.PAGE)
    assert page["paper"] == paper_table(found)
    assert page["scenarios"] == scenario_table(found)


def test_observational_data() -> None:
    found = [confounded._read(row) for row in rows(confounded.RESULTS)]
    first = [one for one in found if not one.cell.first]
    assert shown(confounded.PAGE) == {
        "verdict": confounded_verdict(first, NAMED),
        "accuracy": method_table(first, NAMED),
        "indication": method_table(first, SECOND),
        "aside": aside_table(first),
        "split": split_words(first),
        "fresh": split_words([one for one in found if one.cell.first]),
    }


def test_coverage() -> None:
    by_cell: dict[tuple[str, str, str, str, str], list[dict[str, str]]] = {}
    for row in rows(coverage.RESULTS):
        place = (row["arms"], row["benefit"], row["n"], row["epsilon"], row["repeats"])
        by_cell.setdefault(place, []).append(row)
    scenarios = {(one.arms, one.benefit): one for one in coverage.SCENARIOS}
    names = ("coverage", "half_width", "privacy", "sampling")
    found = [
        coverage.Cell(
            scenarios[arms, benefit],
            int(n),
            float(epsilon),
            int(repeats),
            *(tuple(float(row[name]) for row in some) for name in names),
        )
        for (arms, benefit, n, epsilon, repeats), some in by_cell.items()
    ]
    assert shown(coverage.PAGE) == {
        "verdict": coverage.verdict(found),
        "coverage": coverage.table(found),
    }
