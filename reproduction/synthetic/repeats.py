"""The paper's synthetic experiment: repeats of trial, fit and test set, for many ε at once.

Each repeat has its own trial and its own 5,000 people to be judged on. Their random
numbers depend on n and the repeat alone, so every ε and every method has them in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.synthetic import generator
from reproduction.artefact import Bench, Page
from reproduction.summary import as_array
from reproduction.synthetic.simulated import (
    Rules,
    Simulated,
    accuracy,
    our_rules,
    paper_rules,
    paper_value,
)

SEED = 20261
REPEATS = 200
PEOPLE = 5_000
PART = 50
"""Repeats that are held in memory together."""

METHODS = ("paper", "ours")
PAGE = Page("synthetic", "The synthetic experiment")


@dataclass(frozen=True)
class Task:
    """What is simulated together: one n, one method, many ε.

    gammas : one for each ε; empty for our method, which chooses its own
    """

    method: str
    n: int
    epsilons: tuple[str, ...]
    gammas: tuple[float, ...] = ()
    repeats: int = REPEATS
    seed: int = SEED


@dataclass(frozen=True)
class Repeats:
    """Accuracy in % and value of each repeat of one cell, each (R,)."""

    accuracy: FloatArray
    value: FloatArray


Cells = dict[tuple[str, str, int], Repeats]
"""What was found, by method, ε and n."""


def drawn(n: int, start: int, count: int, seed: int) -> tuple[Simulated, Simulated]:
    """Return ``count`` trials of n people, and the people on whom their rules are judged."""
    scenario = get_scenario("paper")
    trials = Simulated.draw(scenario, count, n, generator(seed, n, start, 0))
    return trials, Simulated.draw(scenario, count, PEOPLE, generator(seed, n, start, 1))


def random_numbers(n: int, start: int, seed: int) -> np.random.Generator:
    """Return the generator of the noise of those trials, the same for every method."""
    return generator(seed, n, start, 2)


def judged(rules: Rules, people: Simulated) -> FloatArray:
    """Return accuracy and value of rules θ (P, B, 1, p), shape (2, P, B)."""
    second = rules.second(people)
    return np.stack([accuracy(second, people), paper_value(second, people)])[..., 0]


def measured(task: Task) -> list[list[list[float]]]:
    """Return accuracy and value of each ε and repeat, (2, P, R) as plain lists."""
    found = []
    for start in range(0, task.repeats, PART):
        trials, people = drawn(task.n, start, min(PART, task.repeats - start), task.seed)
        found.append(
            np.concatenate([judged(rules, people) for rules in _rules(task, trials, start)], 1)
        )
    plain: list[list[list[float]]] = np.round(np.concatenate(found, axis=2), 6).tolist()
    return plain


def _rules(task: Task, trials: Simulated, start: int) -> list[Rules]:
    if task.method == "paper":
        cells = list(zip(task.epsilons, task.gammas, strict=True))
        return [paper_rules(trials, cells, random_numbers(task.n, start, task.seed))]
    return [
        our_rules(trials, one, random_numbers(task.n, start, task.seed)) for one in task.epsilons
    ]


def simulate(bench: Bench, cells: Sequence[tuple[str, int, float]], repeats: int) -> Cells:
    """Return both methods' repeats for each (ε, n, γ).

    The paper's method shares its trials over all ε; ours has a task for each ε, because it chooses
    its settings first.
    """
    tasks = []
    for n in sorted({n for _, n, _ in cells}):
        mine = [(epsilon, gamma) for epsilon, size, gamma in cells if size == n]
        epsilons, gammas = (tuple(column) for column in zip(*mine, strict=True))
        tasks.append(Task("paper", n, epsilons, gammas, repeats))
        tasks += [Task("ours", n, (epsilon,), (), repeats) for epsilon in epsilons]
    # The longest first, so that no processor is left waiting at the end.
    tasks.sort(key=lambda task: -task.n)
    found: Cells = {}
    for task, (accuracies, values) in zip(tasks, bench.run(measured, tasks), strict=True):
        for epsilon, one, other in zip(task.epsilons, accuracies, values, strict=True):
            found[task.method, epsilon, task.n] = Repeats(as_array(one), as_array(other))
    return found
