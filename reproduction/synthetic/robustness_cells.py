"""Cells of the robustness checks: every variant of one method, n and ε against the base."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from reproduction.artefact import Bench
from reproduction.published import published_gammas
from reproduction.summary import Summary
from reproduction.synthetic.repeats import METHODS
from reproduction.synthetic.variants import VARIANTS, Task, measured

NOTABLE = 3.0
"""Points of accuracy: a change is notable if its whole interval lies beyond this."""

CHANGED = [name for name in VARIANTS if name != "base"]


@dataclass(frozen=True)
class Cell:
    """One method, n and ε: accuracy in % and value of each variant and repeat, (variants, R)."""

    method: str
    n: int
    epsilon: str
    accuracy: FloatArray
    value: FloatArray

    def base(self, measure: str) -> Summary:
        """Return the mean without any change."""
        return Summary.of(getattr(self, measure)[0])

    def change(self, variant: str, measure: str = "accuracy") -> Summary:
        """Return the mean of variant minus base, paired over the same trials."""
        found: FloatArray = getattr(self, measure)
        return Summary.of(found[list(VARIANTS).index(variant)] - found[0])

    def notable(self, variant: str) -> bool:
        """Whether the whole interval of the change lies beyond 3 points, up or down."""
        change = self.change(variant)
        return abs(change.mean) - change.half > NOTABLE

    @property
    def name(self) -> str:
        """The cell in words."""
        return f"ε = {self.epsilon}, n = {self.n}"


def simulate(
    bench: Bench, sizes: Sequence[int], epsilons: Sequence[str], repeats: int
) -> list[Cell]:
    """Return all cells of both methods."""
    gammas = published_gammas()
    tasks = [
        Task(method, n, epsilon, gammas[epsilon, n], repeats)
        for method in METHODS
        for n in sizes
        for epsilon in epsilons
    ]
    found = bench.run(measured, tasks)
    cells = []
    for task, result in zip(tasks, found, strict=True):
        accuracies, values = np.asarray(result, dtype=np.float64)
        cells.append(Cell(task.method, task.n, task.epsilon, accuracies, values))
    return cells


def signed(change: Summary, digits: int = 1) -> str:
    """Return a change with its sign and half width; what rounds to 0 has no minus."""
    return f"{round(change.mean, digits) + 0.0:+.{digits}f} ± {change.half:.{digits}f}"
