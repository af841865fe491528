r"""Accuracy on held-out people of D₀ as a function of γ: Algorithm 2 without its last line.

.. math:: \bar v(\gamma) = \frac1r \sum_{j=1}^r v(f^*_{j,\gamma}, D_{j,\text{valid}})

In each repeat D₀ is drawn anew and split 0.8 : 0.2; the training set has n people of the first
part, drawn with replacement if that part is smaller than n. Algorithm 2 prints n₀ for n there. All
γ and ε of one repeat share people and draws. The method is the paper's, with its V = 15 and W = 30
for every line: larger benefits are clipped.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from reproduction.artefact import Bench
from reproduction.gamma.lines import LINES, Extent, Line
from reproduction.synthetic.simulated import Simulated, accuracy, paper_rules

BENEFIT_BOUND = 15.0
TRAINING_SHARE = 0.8
AT_ONCE = 100
"""Repeats in one task; fixed, so that no result depends on the number of workers."""

BETWEEN = (3.0, 6.0, 10.0, 15.0)
"""Values of γ between the first two of the paper's grid, where curves of a large ε have peaks."""

SEED = 20265
QUANTILE = 1.96
Cell = tuple[int, str]
"""(n, ε)."""


@dataclass(frozen=True)
class Task:
    """Some repeats of one line at one n; ``single``: all of them on the same D₀."""

    line: str
    n: int
    budgets: tuple[str, ...]
    gammas: tuple[float, ...]
    repeats: int
    part: int
    single: bool = False


@dataclass(frozen=True, eq=False)
class Curve:
    """Mean accuracy in % at each γ, with the half width of its 95 % interval."""

    gammas: FloatArray
    mean: FloatArray
    half: FloatArray
    repeats: int

    @property
    def best(self) -> float:
        """The γ of the highest mean; of several the largest."""
        return float(self.gammas[np.flatnonzero(self.mean == self.highest)[-1]])

    @property
    def highest(self) -> float:
        """The highest mean."""
        return float(self.mean.max())

    def at(self, gamma: float) -> float:
        """Return the mean at γ, on a straight line between two values of the grid."""
        return float(np.interp(gamma, self.gammas, self.mean))


def merged(one: Curve, other: Curve) -> Curve:
    """Return both curves as one; where they share a γ they agree."""
    gammas, places = np.unique(np.concatenate([one.gammas, other.gammas]), return_index=True)
    mean, half = np.concatenate([one.mean, other.mean]), np.concatenate([one.half, other.half])
    return Curve(gammas, mean[places], half[places], one.repeats)


def split(task: Task) -> tuple[Simulated, Simulated, np.random.Generator]:
    """Return the training and validation people of each repeat, and the generator after them."""
    place, line = next((i, one) for i, one in enumerate(LINES) if one.name == task.line)
    rng = np.random.default_rng((SEED, place, task.n, task.part, int(task.single)))
    count = 1 if task.single else task.repeats
    whole = Simulated.draw(line.scenario, count, line.people, rng)
    order = rng.permuted(np.repeat(whole.rows, task.repeats // count, axis=0), axis=1)
    first = round(TRAINING_SHARE * line.people)
    return whole.of(training(order[:, :first], task.n, rng)), whole.of(order[:, first:]), rng


def training(people: IntArray, n: int, rng: np.random.Generator) -> IntArray:
    """Return n of the shuffled people (B, m) of each repeat, with replacement if n > m."""
    repeats, available = people.shape
    if n <= available:
        return people[:, :n]
    return np.take_along_axis(people, rng.integers(available, size=(repeats, n)), axis=1)


def simulate(task: Task) -> list[list[float]]:
    """Return Σ accuracy and Σ accuracy² over the repeats, for each ε and each γ of it."""
    trials, people, rng = split(task)
    cells = [(epsilon, gamma) for epsilon in task.budgets for gamma in task.gammas]
    rules = paper_rules(trials, cells, rng, benefit_bound=BENEFIT_BOUND)
    found = accuracy(rules.second(people), people)
    return moments(found[..., 0])


def moments(found: FloatArray) -> list[list[float]]:
    """Return sums and sums of squares over the repeats of accuracies (P, B), shape (2, P)."""
    both = np.stack([found.sum(axis=-1), (found**2).sum(axis=-1)])
    plain: list[list[float]] = np.round(both, 6).tolist()
    return plain


def curve_of(gammas: Sequence[float], sums: FloatArray, repeats: int) -> Curve:
    """Return the curve of Σ and Σ² (2, G) over that many repeats."""
    mean = sums[0] / repeats
    spread = np.sqrt(np.maximum(sums[1] / repeats - mean**2, 0.0) / max(repeats - 1, 1))
    return Curve(np.asarray(gammas), mean, QUANTILE * spread, repeats)


def parts(repeats: int) -> list[int]:
    """Return the sizes of the tasks that make up so many repeats."""
    whole, rest = divmod(repeats, AT_ONCE)
    return [AT_ONCE] * whole + [rest] * (rest > 0)


def workbench(bench: Bench) -> Bench:
    """Return the bench; a quick one works in this process, because starting others takes longer."""
    return replace(bench, workers=1) if bench.quick else bench


def curves(bench: Bench, lines: Iterable[Line], extent: Extent) -> dict[str, dict[Cell, Curve]]:
    """Return the curve of each line in each cell, by the line's name."""
    gammas = dict.fromkeys(extent.sizes, extent.gammas)
    return curves_at(bench, lines, extent, gammas)


def curves_at(
    bench: Bench, lines: Iterable[Line], extent: Extent, gammas: Mapping[int, tuple[float, ...]]
) -> dict[str, dict[Cell, Curve]]:
    """Return the same for other γ at each n, on the same people and draws."""
    tasks = [
        Task(line.name, n, extent.budgets, gammas[n], repeats, part)
        for line in lines
        for n in extent.sizes
        for part, repeats in enumerate(parts(extent.repeats))
    ]
    results = workbench(bench).run(simulate, tasks, shared="gamma-curves")
    sums: dict[tuple[str, int], FloatArray] = {}
    for task, result in zip(tasks, results, strict=True):
        key = task.line, task.n
        sums[key] = sums.get(key, 0.0) + np.array(result)
    found: dict[str, dict[Cell, Curve]] = {}
    for (name, n), both in sums.items():
        each = both.reshape(2, len(extent.budgets), len(gammas[n]))
        for place, epsilon in enumerate(extent.budgets):
            curve = curve_of(gammas[n], each[:, place], extent.repeats)
            found.setdefault(name, {})[n, epsilon] = curve
    return found


def refined(
    bench: Bench,
    lines: Iterable[Line],
    found: Mapping[str, Mapping[Cell, Curve]],
    extent: Extent,
    gammas: Mapping[int, tuple[float, ...]] | None = None,
) -> dict[str, dict[Cell, Curve]]:
    """Return the curves of these lines with points at other γ added, by default at ``BETWEEN``."""
    extra = curves_at(bench, lines, extent, gammas or dict.fromkeys(extent.sizes, BETWEEN))
    return {
        name: {cell: merged(found[name][cell], curve) for cell, curve in each.items()}
        for name, each in extra.items()
    }


def single_curves(bench: Bench, line: Line, extent: Extent) -> dict[Cell, list[Curve]]:
    """Return for each cell the curves that single data sets D₀ of a line give."""
    tasks = [
        Task(line.name, n, extent.budgets, extent.gammas, extent.single_repeats, part, single=True)
        for n in extent.sizes
        for part in range(extent.singles)
    ]
    found: dict[Cell, list[Curve]] = {}
    results = workbench(bench).run(simulate, tasks, shared="gamma-curves")
    for task, result in zip(tasks, results, strict=True):
        each = np.array(result).reshape(2, len(extent.budgets), len(extent.gammas))
        for place, epsilon in enumerate(extent.budgets):
            curve = curve_of(extent.gammas, each[:, place], task.repeats)
            found.setdefault((task.n, epsilon), []).append(curve)
    return found
