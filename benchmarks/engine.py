"""Rules per second of the engine against one fit after the other, in one run.

The paper's method on the paper's problem: trials of n people, the ε and γ of Figure 1 and of the
supplement. One by one each rule is a fit of its own through the pipeline of a release; the engine
finds one optimum for each γ and shares it. All are timed in turn, so that load hits them alike.
Read the ratios. The last line spreads tasks over the processors.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpwerm.simulate.engine.run import processors, run
from dpwerm.simulate.scenarios import get_scenario
from reproduction.paper_method import paper_release
from reproduction.published import published_gammas
from reproduction.synthetic.simulated import Simulated, paper_encoding_of, paper_rules

V = 15.0
PROPENSITY = 0.5
CELLS = {
    "figure1": [
        (epsilon, gamma)
        for (epsilon, n), gamma in published_gammas().items()
        if n == 1000 and epsilon != "inf"
    ],
    "supplement": [
        (epsilon, float(gamma))
        for gamma in range(1, 602, 20)
        for epsilon in ("0.5", "1", "5", "20", "150")
    ],
}
"""ε and γ of Figure 1 at n = 1,000, and those of the supplement's four scenarios."""


@dataclass(frozen=True)
class Task:
    """Trials of n people from a seed, fitted with the ε and γ of an artefact."""

    artefact: str
    n: int
    trials: int
    seed: int


def shared(task: Task) -> int:
    """Make the rules of every trial and budget through the engine; return how many."""
    rng = np.random.default_rng(task.seed)
    trials = Simulated.draw(get_scenario("paper"), task.trials, task.n, rng)
    return paper_rules(trials, CELLS[task.artefact], rng, benefit_bound=V).theta[..., 0].size


def one_by_one(task: Task) -> int:
    """Make the same rules by one fit after the other."""
    rng = np.random.default_rng(task.seed)
    trials = Simulated.draw(get_scenario("paper"), task.trials, task.n, rng)
    encoding = paper_encoding_of(trials.scenario)
    rows, trial = trials.encoded(encoding), trials.trial()
    made = 0
    for X, people in zip(rows, trials.rows, strict=True):
        for epsilon, gamma in CELLS[task.artefact]:
            paper_release(
                X,
                trial.arm[people],
                trial.outcome[people],
                np.full(task.n, PROPENSITY),
                encoding=encoding,
                benefit_bound=V,
                smallest_propensity=PROPENSITY,
                gamma=gamma,
                epsilon=epsilon,
                rng=rng,
            )
            made += 1
    return made


def speed(call: Callable[[], int], repeats: int) -> float:
    """Return rules per second, the best of some repeats."""
    best = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        made = call()
        best = max(best, made / (time.perf_counter() - start))
    return best


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    print("artefact         n   one by one   engine   ratio     (rules per second, one processor)")
    for artefact in CELLS:
        for n in (200, 1000, 2500):
            slow = speed(partial(one_by_one, Task(artefact, n, 1, 1)), arguments.repeats)
            fast = speed(partial(shared, Task(artefact, n, 100, 1)), arguments.repeats)
            print(f"{artefact:10} {n:7,d} {slow:12,.0f} {fast:8,.0f} {fast / slow:7.0f}")
    tasks = [Task("figure1", 1000, 2000, seed) for seed in range(6 * processors())]
    times = []
    for workers in (1, processors()):
        start = time.perf_counter()
        run(shared, tasks, workers=workers)
        times.append(time.perf_counter() - start)
    print(
        f"{processors()} processes, their start included: {times[0] / times[1]:.2f} times as fast"
    )


if __name__ == "__main__":
    main()
