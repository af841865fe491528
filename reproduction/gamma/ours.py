"""Our rules, everything automatic, on the training sets of the baseline: no D₀ is needed for γ.

Hyperparameters come from the study file, ε and n. γ is then multiplied by a range of factors,
the rest as it was, to see how much depends on it.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.plan.expected import Settled, settle
from dpwerm.privacy.budget import Budget
from reproduction.artefact import Bench
from reproduction.gamma.curves import (
    Cell,
    Curve,
    Task,
    curve_of,
    moments,
    parts,
    split,
    workbench,
)
from reproduction.gamma.lines import BASELINE, Extent
from reproduction.synthetic.simulated import Rules, accuracy, rules_of


@dataclass(frozen=True)
class OurTask:
    """Some repeats of our method at one n and ε, γ multiplied by each factor."""

    n: int
    epsilon: str
    factors: tuple[float, ...]
    repeats: int
    part: int


@dataclass(frozen=True, eq=False)
class Ours:
    """The automatic γ, and accuracy over a range of γ around it."""

    automatic: float
    curve: Curve

    @property
    def place(self) -> int:
        """Where on the curve the automatic γ is."""
        return int(np.argmin(np.abs(self.curve.gammas - self.automatic)))

    @property
    def mean(self) -> float:
        """Accuracy in % at the automatic γ."""
        return float(self.curve.mean[self.place])

    @property
    def half(self) -> float:
        """The half width of its 95 % interval."""
        return float(self.curve.half[self.place])


@lru_cache(maxsize=32)
def settled_at(n: int, epsilon: str) -> Settled:
    """Return the automatic hyperparameters of the baseline's study."""
    return settle(BASELINE.scenario.study(), Budget.of(epsilon), n)


def simulate(task: OurTask) -> dict[str, Any]:
    """Return the γ that are possible, with Σ accuracy and Σ accuracy² over the repeats for each.

    Noise inside the objective needs a γ above a floor; a smaller one is left out.
    """
    trials, people, rng = split(Task(BASELINE.name, task.n, (), (), task.repeats, task.part))
    settled = settled_at(task.n, task.epsilon)
    rules = rules_of(settled, trials.trial(), trials.rows, rng, factors=task.factors)
    theta = np.stack(list(rules.values()))
    found = accuracy(Rules(settled.encoding, theta, settled.threshold).second(people), people)
    return {
        "automatic": settled.spec.gamma,
        "gamma": [settled.spec.gamma * factor for factor in rules],
        "moments": moments(found[..., 0]),
    }


def our_curves(bench: Bench, extent: Extent) -> dict[Cell, Ours]:
    """Return our accuracy in each cell, at the automatic γ and around it."""
    tasks = [
        OurTask(n, epsilon, extent.factors, repeats, part)
        for part, repeats in enumerate(parts(extent.repeats))
        for n in extent.sizes
        for epsilon in extent.budgets
    ]
    sums: dict[Cell, FloatArray] = {}
    gammas: dict[Cell, tuple[float, list[float]]] = {}
    results = workbench(bench).run(simulate, tasks, shared="gamma-ours")
    for task, result in zip(tasks, results, strict=True):
        cell = task.n, task.epsilon
        sums[cell] = sums.get(cell, 0.0) + np.array(result["moments"])
        gammas[cell] = result["automatic"], result["gamma"]
    return {
        cell: Ours(automatic, curve_of(possible, sums[cell], extent.repeats))
        for cell, (automatic, possible) in gammas.items()
    }
