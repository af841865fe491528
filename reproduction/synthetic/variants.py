r"""The changes under which the paper found its results robust, on one set of trials.

.. math:: \varepsilon' = \log\bigl(1 + \tfrac{n}{m}(e^\varepsilon - 1)\bigr)

is what a fit to m of n people may spend when the m are drawn in secret without replacement and
nothing else is fitted (Balle et al. 2018): the release is then ε-DP for all n people.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.simulate.synthetic import generator
from reproduction.paper_method import paper_benefit_bound, shifted
from reproduction.synthetic.repeats import PART, REPEATS, SEED, drawn, judged, random_numbers
from reproduction.synthetic.simulated import Rules, Simulated, our_rules, paper_rules

LEVELS = (3, 5)
FACTORS = (2.0, 5.0)
VARIANTS = {
    "base": "as in Figure 1",
    "scaled": "B/V, γ/V",
    "scaled-same-gamma": "B/V, same γ",
    "levels-3": "B in 3 levels",
    "levels-5": "B in 5 levels",
    "gamma-2": "γ × 2",
    "gamma-5": "γ × 5",
    "half": "half of the people",
}
"""What is changed, in the order in which results are kept; V is the largest benefit."""


@dataclass(frozen=True)
class Task:
    """One cell with all its variants. gamma: of the paper's method; ours chooses its own."""

    method: str
    n: int
    epsilon: str
    gamma: float
    repeats: int = REPEATS
    seed: int = SEED


def amplified(epsilon: str, n: int, m: int) -> str:
    """Return ε' for a secret sample of m of n people, rounded down at the sixth decimal."""
    larger = math.log1p(n / m * math.expm1(float(epsilon)))
    return f"{math.floor(larger * 1e6) / 1e6:.6f}"


def in_levels(benefit: FloatArray, bounds: tuple[float, float], count: int) -> FloatArray:
    """Return benefits within bounds moved to the nearest of evenly spaced levels, ends included."""
    width = (bounds[1] - bounds[0]) / (count - 1)
    return np.asarray(bounds[0] + width * np.round((benefit - bounds[0]) / width))


def halved(trials: Simulated, rng: np.random.Generator) -> Simulated:
    """Return half of each trial's people, drawn without replacement."""
    return trials.of(rng.permuted(trials.rows, axis=1)[:, : trials.n // 2])


def measured(task: Task) -> list[list[list[float]]]:
    """Return accuracy and value of each variant and repeat, (2, variants, R) as plain lists."""
    found = []
    for start in range(0, task.repeats, PART):
        trials, people = drawn(task.n, start, min(PART, task.repeats - start), task.seed)
        rules = (
            _papers(task, trials, start) if task.method == "paper" else _ours(task, trials, start)
        )
        found.append(np.concatenate([judged(one, people) for one in rules], axis=1))
    plain: list[list[list[float]]] = np.round(np.concatenate(found, axis=2), 6).tolist()
    return plain


def _papers(task: Task, trials: Simulated, start: int) -> list[Rules]:
    """Return the paper's rules in the order of the variants; benefits are shifted, then changed."""
    benefit = trials.trial().outcome[trials.rows]
    top = paper_benefit_bound(trials.scenario.bounds)
    whole = np.clip(shifted(benefit), 0.0, top)

    def learned(some: Simulated, epsilon: str, *gammas: float) -> Rules:
        cells = [(epsilon, gamma) for gamma in gammas]
        return paper_rules(some, cells, random_numbers(task.n, start, task.seed))

    epsilon, gamma = task.epsilon, task.gamma
    half = halved(trials, generator(task.seed, task.n, start, 3))
    bounds = (0.0, top)
    return [
        learned(trials, epsilon, gamma),
        learned(trials.with_benefit(whole / top, (0.0, 1.0)), epsilon, gamma / top, gamma),
        *(
            learned(trials.with_benefit(in_levels(whole, bounds, count), bounds), epsilon, gamma)
            for count in LEVELS
        ),
        learned(trials, epsilon, *(factor * gamma for factor in FACTORS)),
        learned(half, amplified(epsilon, task.n, half.n), gamma),
    ]


def _ours(task: Task, trials: Simulated, start: int) -> list[Rules]:
    """Return our rules in the order of the variants; bounds are declared, nothing is shifted."""
    bounds = trials.scenario.bounds
    benefit = np.clip(trials.trial().outcome[trials.rows], *bounds)
    top = bounds[1]

    def learned(some: Simulated, epsilon: str, *factors: float) -> Rules:
        return our_rules(some, epsilon, random_numbers(task.n, start, task.seed), factors=factors)

    epsilon = task.epsilon
    half = halved(trials, generator(task.seed, task.n, start, 3))
    scaled = trials.with_benefit(benefit / top, (bounds[0] / top, 1.0))
    return [
        learned(trials, epsilon, 1.0),
        # The automatic γ is scaled with the benefit, so the same γ is a factor.
        learned(scaled, epsilon, 1.0, top),
        *(
            learned(trials.with_benefit(in_levels(benefit, bounds, count), bounds), epsilon, 1.0)
            for count in LEVELS
        ),
        learned(trials, epsilon, *FACTORS),
        learned(half, amplified(epsilon, task.n, half.n), 1.0),
    ]
