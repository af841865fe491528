"""What ``check`` and ``recommend`` cost beyond reading and writing their table, in one run.

The same CSV file, numbers of full precision and categories, is read and written back with two more
columns; then ``recommend`` does it with a rule, and ``check`` looks for findings. CPU time of all
threads; read the ratios, not the seconds.
"""

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.csv

from dpwerm.cli.tables import recommend
from dpwerm.data.table import BLOCK, read_table, write_with_columns
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.releases.rule_file import write_rule
from dpwerm.study.check import check
from dpwerm.study.study import Study

CATEGORIES = 5
HEAD = """
format = 1
study = { id = "tables", person = "id" }
treatment = { column = "arm", arms = { S = "1/2", G = "1/2" } }
benefit = { column = "benefit", bounds = [0, 1] }
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()

    study = Study.parse(declared(arguments.columns))
    people = simulate(arguments.rows, arguments.columns)
    with TemporaryDirectory() as folder:
        table, rule, out = (Path(folder, name) for name in ("in.csv", "rule.json", "out.csv"))
        pyarrow.csv.write_csv(people, table)
        estimator = PrivateTreatmentRule.from_study(
            study, "1", gamma=100.0, mechanism="objective-l2", ledger="none"
        )
        write_rule(estimator.fit(people.slice(0, 1_000)).rule_, rule)
        arms = np.full(BLOCK, "S", dtype=object)
        scores = np.random.default_rng(1).normal(size=BLOCK)

        def read_and_write() -> None:
            whole = read_table(table, study.feature_columns, keep_all=True)
            names = ("recommended_arm", "score")
            write_with_columns(
                whole, names, lambda block: (arms[: block.n_rows], scores[: block.n_rows]), out
            )

        seconds = best(
            {
                "read and write": read_and_write,
                "recommend": lambda: recommend(rule, table, out, force=True),
                "check": lambda: check(study, table),
            },
            arguments.repeats,
        )
    base = seconds["read and write"]
    for name, spent in seconds.items():
        target = "" if name == "read and write" else " (target below 2)"
        print(f"{name:16s} {spent:8.2f} s of CPU   {spent / base:5.2f} × read and write{target}")


def declared(columns: int) -> str:
    """Return a study file with numbers in [−1, 1] and a few categories."""
    numbers = [
        f'[features.x{j}]\nkind = "number"\nbounds = [-1, 1]\n' for j in range(columns - CATEGORIES)
    ]
    levels = [
        f'[features.c{j}]\nkind = "category"\nlevels = ["a", "b", "c"]\n' for j in range(CATEGORIES)
    ]
    return HEAD + "".join(numbers + levels)


def simulate(n: int, columns: int) -> pa.Table:
    """Return a trial; one cell in a thousand is outside the bounds or missing."""
    random = np.random.default_rng(20)
    found: dict[str, object] = {"id": np.arange(n)}
    for j in range(columns - CATEGORIES):
        x = random.uniform(-1, 1, n)
        x[random.random(n) < 1e-3] = 2.0
        found[f"x{j}"] = pa.array(x, mask=random.random(n) < 1e-3)
    for j in range(CATEGORIES):
        found[f"c{j}"] = random.choice(["a", "b", "c"], n)
    found["arm"] = random.choice(["S", "G"], n)
    found["benefit"] = random.random(n)
    return pa.table(found)


def best(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the least CPU time of each, taken in turn so that load hits all alike."""
    seconds = dict.fromkeys(runs, float("inf"))
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.process_time()
            run()
            seconds[name] = min(seconds[name], time.process_time() - start)
    return seconds


if __name__ == "__main__":
    main()
