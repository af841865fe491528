"""Tables of docs/utility.md, observational.md and evaluation.md are those of their data files."""

import csv
import re
from pathlib import Path

from benchmarks import coverage, precision, verdict
from benchmarks.confounded import __main__ as confounded
from benchmarks.confounded.tables import method_table, split_words
from benchmarks.confounded.tables import verdict as confounded_verdict
from benchmarks.page import DATA
from benchmarks.utility import __main__ as utility

from dpwerm.documents.verdict import Outcome
from dpwerm.simulate.judged import PRECISE


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def shown(page: Path) -> dict[str, str]:
    """Return what stands between the marks of a page."""
    marked = r"<!-- ([\w-]+): begin -->\n(.*?)\n<!-- \1: end -->"
    return dict(re.findall(marked, page.read_text(encoding="utf-8"), re.DOTALL))


def test_utility() -> None:
    found = [utility.READ(row) for row in rows(utility.RESULTS)]
    assert shown(utility.PAGE) == {name: table(found) for name, table in utility.TABLES.items()}
    for name, wanted in utility.FILES.items():
        with (DATA / name).open(encoding="utf-8", newline="") as file:
            assert list(csv.reader(file)) == wanted(found)
        assert f":file: data/{name}" in utility.PAGE.read_text(encoding="utf-8")


def test_the_weight_of_errors_is_the_one_that_its_rule_takes() -> None:
    found = [tuple(row.values()) for row in rows(precision.RESULTS)]
    assert precision.settled(found) == ("squares", PRECISE)
    assert len(found) == sum(map(len, precision.WEIGHTS.values()))


def test_the_verdicts_are_within_what_they_aim_at() -> None:
    found = rows(verdict.RESULTS)
    with verdict.SHOWN.open(encoding="utf-8", newline="") as file:
        assert [*map(tuple, csv.reader(file))] == verdict.shown([*row.values()] for row in found)
    told = {(row["scenario"], row["trial"]): int(row[Outcome.TOLD]) for row in found}
    shuffled = [count for (_, trial), count in told.items() if trial == verdict.SHUFFLED]
    assert len(shuffled) == len(verdict.SCENARIOS)
    assert max(shuffled) <= 0.05 * verdict.REPEATS
    assert told["paper", "as drawn"] >= 0.95 * verdict.REPEATS


def test_observational_data() -> None:
    found = [confounded.READ(row) for row in rows(confounded.RESULTS)]
    assert shown(confounded.PAGE) == {
        "accuracy": method_table(found),
        "verdict": confounded_verdict(found),
        "split": split_words(found),
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
