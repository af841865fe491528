"""Time and memory of the certified solver against scikit-learn's logistic regression, in one run.

Same weighted rows, same penalty ½γ‖θ‖² on the summed objective (C = 1/γ), scikit-learn's own
tolerance; ours includes the certificate at τ = 1e-6·Δ₂. Read the ratios, not the seconds.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.solve.gradient import Solution
from dpwerm.solve.newton import minimise

SOLVERS = ("lbfgs", "newton-cholesky")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--gamma", type=float, default=1000.0)
    parser.add_argument("--h", type=float, default=0.5)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()

    X, y, w = simulate(arguments.rows, arguments.columns)
    bounds = np.ones(arguments.columns + 1)
    radius = float(np.sqrt(arguments.columns + 1))
    tolerance = 1e-6 * 2 * radius / arguments.gamma

    def ours() -> Solution:
        data = MemoryRows(X, y, w, 1.0, bounds)
        return minimise(Objective(data, HuberisedHinge(arguments.h), arguments.gamma), tolerance)

    def peer(solver: str) -> Callable[[], object]:
        model = LogisticRegression(C=1 / arguments.gamma, solver=solver)
        return lambda: model.fit(X, y, sample_weight=w)

    runs: dict[str, Callable[[], object]] = {"dpwerm": ours}
    runs |= {solver: peer(solver) for solver in SOLVERS}
    seconds = best(runs, arguments.repeats)
    for name, spent in seconds.items():
        print(f"{name:16s} {spent:8.3f} s   {spent / seconds['dpwerm']:6.2f} × ours")
    fastest = min(SOLVERS, key=lambda solver: seconds[solver])
    print(f"fastest peer {fastest}: ratio {seconds[fastest] / seconds['dpwerm']:.2f} (target 3)")

    solution, extra = peak_memory(ours)
    share = extra / X.nbytes
    print(
        f"peak extra memory {share:.3f} × X (target below 0.3), certified in {solution.bits} bits"
    )


def simulate(n: int, d: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return features in [−1, 1], noisy labels and weights in [0, 1]."""
    random = np.random.default_rng(20)
    X = random.uniform(-1, 1, (n, d))
    slope = random.normal(size=d)
    y = np.where(X @ slope + random.normal(size=n) > 0.2, 1.0, -1.0)
    return X, y, random.uniform(0, 1, n)


def best(runs: dict[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the shortest of several timings of each, taken in turn so that load hits all alike."""
    seconds = dict.fromkeys(runs, float("inf"))
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name] = min(seconds[name], time.perf_counter() - start)
    return seconds


def peak_memory(run: Callable[[], Solution]) -> tuple[Solution, int]:
    """Return the result and the most memory that NumPy and Python held at once while running."""
    tracemalloc.start()
    result = run()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return result, peak


if __name__ == "__main__":
    main()
