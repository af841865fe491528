"""One cell of the comparison: a scenario, n, ε and a method, over many simulated trials.

accuracy = share of people who get their better arm      value = their expected benefit
"""

from dataclasses import dataclass

import numpy as np

from benchmarks.accuracy import PEOPLE, Cell, trial_rng, with_halves
from benchmarks.utility.methods import METHODS
from dpwerm.simulate.scenarios import SCENARIOS


@dataclass(frozen=True)
class Result:
    """Means over the repeats with the half width of their 95 % intervals; accuracy in %."""

    cell: Cell
    accuracy: float
    accuracy_half: float
    value: float
    value_half: float


def run(cell: Cell) -> Result:
    """Return the accuracy and value of one cell."""
    scenario, method = SCENARIOS[cell.scenario], METHODS[cell.method]
    people = scenario.people(PEOPLE, trial_rng(cell.scenario, cell.n, -1))
    scores: list[list[tuple[float, float]]] = []
    for repeat in range(cell.repeats):
        trial = scenario.draw(cell.n, trial_rng(cell.scenario, cell.n, repeat))
        answers = method.fit(scenario, trial, people, cell.epsilon, repeat)
        scores.append(
            [(100 * scenario.accuracy(people, a), scenario.value(people, a)) for a in answers]
        )
    table = np.array(scores)
    best = table[:, int(table[:, :, 0].mean(axis=0).argmax())]
    right, value = with_halves(best)
    return Result(cell, *right, *value)
