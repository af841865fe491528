"""One cell of the comparison: a scenario, n, ε and a method, over many simulated trials.

    accuracy = share of people who get their better arm      value = their expected benefit

Trials depend on scenario, n and the repeat alone, so methods and ε meet the same luck.
"""

import zlib
from dataclasses import dataclass

import numpy as np

from benchmarks.utility.methods import METHODS
from dpwerm.simulate.scenarios import SCENARIOS

PEOPLE = 4_000
"""People on whom each rule is judged."""


@dataclass(frozen=True)
class Cell:
    """What is simulated; ``epsilon`` is a text, "inf" for none."""

    scenario: str
    n: int
    epsilon: str
    method: str
    repeats: int


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
    people = scenario.people(PEOPLE, _rng(cell, -1))
    scores: list[list[tuple[float, float]]] = []
    for repeat in range(cell.repeats):
        trial = scenario.draw(cell.n, _rng(cell, repeat))
        answers = method.fit(scenario, trial, people, cell.epsilon, repeat)
        scores.append(
            [(100 * scenario.accuracy(people, a), scenario.value(people, a)) for a in answers]
        )
    table = np.array(scores)
    best = table[:, int(table[:, :, 0].mean(axis=0).argmax())]
    means = best.mean(axis=0)
    halves = 1.96 * best.std(axis=0, ddof=1) / np.sqrt(cell.repeats)
    return Result(cell, float(means[0]), float(halves[0]), float(means[1]), float(halves[1]))


def _rng(cell: Cell, repeat: int) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(cell.scenario.encode()), cell.n, repeat + 1])
