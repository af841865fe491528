"""What private tuning of γ gains or loses: ``python -m benchmarks.tuning``.

Two synthetic problems, each simulated many times: the paper's, and one with heavy tails, where the
automatic γ is not the best. γ is automatic, chosen by simulation without reading a row, or tuned
privately on the trial in one of two ways; everything costs the same ε.
Writes benchmarks/results/tuning.csv and the table of docs/tuning.md; a few minutes on two cores.
"""

import argparse
import csv
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.page import fill
from dpwerm import PrivateTreatmentRule, Study
from dpwerm.releases.release import Rule
from dpwerm.releases.tuning import WAYS
from dpwerm.simulate.engine.run import bar
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.tune.candidates import FACTORS
from dpwerm.tune.private import fit_tuned
from reproduction.journal import Journal, run

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "tuning.csv"
PAGE = ROOT / "docs" / "tuning.md"
SCENARIOS = ("paper", "heavy-tails")
AUTOMATIC = "automatic"
CONTROL = "split, all candidates alike"
METHODS = (AUTOMATIC, *WAYS, CONTROL)
SIZES = (1000, 5000)
EPSILONS = ("1", "5")
REPEATS, AT_ONCE = 100, 10
PEOPLE = 4_000


@dataclass(frozen=True)
class Task:
    """Some repeats of one cell: trials first, first + 1, … of n people."""

    scenario: str
    method: str
    n: int
    epsilon: str
    first: int


def fitted(study: Study, trial: pa.Table, task: Task, seed: int) -> Rule:
    """Return the rule of one trial.

    The control is a split with the automatic γ for every candidate: all but the choice is the same.
    """
    if task.method == AUTOMATIC:
        automatic = PrivateTreatmentRule.from_study(study, task.epsilon, random_state=seed)
        return automatic.fit(trial).rule_
    if task.method != CONTROL:
        return fit_tuned(study, trial, epsilon=task.epsilon, how=task.method, random_state=seed)
    asked: dict[str, Any] = {"epsilon": task.epsilon, "how": "split", "random_state": seed}
    tuning = fit_tuned(study, trial, **asked).tuning
    gamma = tuning.candidates[-3] if tuning else 1.0
    alike = [gamma * (1 + 1e-9 * step) for step in range(len(FACTORS))]
    return fit_tuned(study, trial, gammas=alike, **asked)


def measure(task: Task) -> list[float]:
    """Return the share of people given their better arm, in %, for each repeat."""
    scenario = get_scenario(task.scenario)
    study = scenario.study()
    people = scenario.people(PEOPLE, np.random.default_rng([task.n, 0]))
    shares = []
    for repeat in range(task.first, task.first + AT_ONCE):
        trial = scenario.draw(task.n, np.random.default_rng([task.n, repeat + 1]))
        rule = fitted(study, trial, task, repeat)
        shares.append(100 * scenario.accuracy(people, rule.arms_for(rule.score_table(people))))
    return shares


Shares = dict[tuple[str, str, int, str], list[float]]
"""The shares of every repeat by scenario, method, n and ε."""


def cells(repeats: int, journal: Journal) -> Shares:
    """Return what was measured in every cell."""
    tasks = [
        Task(scenario, method, n, epsilon, first)
        for scenario in SCENARIOS
        for n in SIZES
        for epsilon in EPSILONS
        for method in METHODS
        for first in range(0, repeats, AT_ONCE)
    ]
    with bar("tuning") as on_done:
        found = run(measure, tasks, journal=journal, on_done=on_done)
    shares: Shares = {}
    for task, some in zip(tasks, found, strict=True):
        key = (task.scenario, task.method, task.n, task.epsilon)
        shares.setdefault(key, []).extend(some)
    return shares


def table(shares: Shares) -> str:
    """Return the table of the page: means, and the widest half-width of their 95 % intervals."""
    columns = [(n, epsilon) for n in SIZES for epsilon in EPSILONS]
    head = " | ".join(f"n = {n:,}, ε = {epsilon}" for n, epsilon in columns)
    lines = [f"| problem | γ | {head} |", "|---" * (len(columns) + 2) + "|"]
    halves = []
    for scenario, method in product(SCENARIOS, METHODS):
        row = []
        for n, epsilon in columns:
            found = np.array(shares[scenario, method, n, epsilon])
            halves.append(1.96 * found.std(ddof=1) / len(found) ** 0.5)
            row.append(f"{found.mean():.2f}")
        lines.append(f"| `{scenario}` | {method} | {' | '.join(row)} |")
    return "\n".join([*lines, "", f"Half-widths are at most {max(halves):.2f} points."])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=REPEATS, help="a multiple of 10")
    repeats = parser.parse_args().repeats
    journal = Journal(RESULTS.with_suffix(".jsonl"), "tuning")
    shares = cells(repeats, journal)
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["scenario", "method", "n", "epsilon", "repeats", "accuracy", "half_width"])
        for cell, some in shares.items():
            found = np.array(some)
            half = 1.96 * found.std(ddof=1) / len(found) ** 0.5
            writer.writerow([*cell, len(found), f"{found.mean():.3f}", f"{half:.3f}"])
    text = table(shares)
    print(text)
    if repeats == REPEATS:
        fill(PAGE, "private tuning", text)
    journal.path.unlink()


if __name__ == "__main__":
    main()
