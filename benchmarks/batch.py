"""Fits per second of the batch solver against scikit-learn's logistic regression, on one core.

Same rows, weights and objective: the intercept is a column of ones under the same ridge, C = 1/γ,
scikit-learn's own solver and tolerance. Ours includes checking the rows and proving each answer to
within τ = 1e-6·Δ₂. All are timed in turn, so that load hits them alike. Read the ratios.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.progress import track
from sklearn.linear_model import LogisticRegression

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses import HuberisedHinge, Logistic, Loss
from dpwerm.solve.batch import minimise_batch, minimise_path
from dpwerm.solve.batch_problems import BatchProblems

FITTED = 20
LOSSES: dict[str, Loss] = {"logistic": Logistic(), "huberised hinge": HuberisedHinge(0.5)}


@dataclass(frozen=True)
class Run:
    """Something to time and the number of fits it makes."""

    call: Callable[[], FloatArray]
    fits: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--columns", type=int, default=4)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--linear-terms", type=int, default=20)
    parser.add_argument("--gamma", type=float, default=10.0)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":
        sys.exit("set OPENBLAS_NUM_THREADS=1: the comparison is on one core")

    batch = simulate(arguments.sets, arguments.rows, arguments.columns)
    rows = np.pad(batch.X, ((0, 0), (0, 0), (1, 0)), constant_values=1.0)
    random = np.random.default_rng(4)
    path = np.geomspace(10 * arguments.gamma, arguments.gamma / 10, 20)
    size = 2 * np.sqrt(batch.dimension)
    linear_term = size * random.laplace(
        size=(arguments.sets, arguments.linear_terms, batch.dimension)
    )
    runs = {
        "fit": Run(lambda: peer(batch, rows, [arguments.gamma], FITTED), FITTED),
        "path": Run(lambda: peer(batch, rows, path.tolist(), 2), 2 * len(path)),
    }
    for name, loss in LOSSES.items():
        runs |= ours(name, batch, loss, arguments.gamma, path, linear_term)

    seconds, answers = best(runs, arguments.repeats)
    for kind in ("fit", "path"):
        print(f"scikit-learn {kind:28s} {1e6 * seconds[kind]:8.1f} µs")
        for name in LOSSES:
            spent = seconds[f"{name}, {kind}"]
            ratio = seconds[kind] / spent
            print(f"{name + ', ' + kind:41s} {1e6 * spent:8.1f} µs   {ratio:6.1f} × as fast")
    for name in LOSSES:
        spent = seconds[f"{name}, linear terms"]
        ratio = seconds["fit"] / spent
        print(
            f"{name + ', linear terms':41s} {1e6 * spent:8.1f} µs   "
            f"{ratio:6.1f} × as fast as one fit"
        )
    gap = np.abs(answers["logistic, fit"][:FITTED] - answers["fit"]).max()
    print(f"largest difference from scikit-learn in a coefficient: {gap:.1e}")


def ours(
    name: str,
    batch: BatchProblems,
    loss: Loss,
    gamma: float,
    path: FloatArray,
    linear_term: FloatArray,
) -> dict[str, Run]:
    """Return the three uses of the batch solver: one γ, a path of γ, many linear terms."""
    scale = 1e-6 * 2 * np.sqrt(batch.dimension)

    def fit() -> FloatArray:
        again = BatchProblems(batch.X, batch.targets, batch.weights, 1.0)
        return minimise_batch(again, loss, gamma, tolerance=scale / gamma).theta

    def along() -> FloatArray:
        again = BatchProblems(batch.X, batch.targets, batch.weights, 1.0)
        return minimise_path(again, loss, path, tolerance=scale / path).theta

    def perturbed() -> FloatArray:
        return minimise_batch(
            batch, loss, gamma, linear_term=linear_term, tolerance=scale / gamma
        ).theta

    sets, linear_terms = linear_term.shape[:2]
    return {
        f"{name}, fit": Run(fit, sets),
        f"{name}, path": Run(along, sets * len(path)),
        f"{name}, linear terms": Run(perturbed, sets * linear_terms),
    }


def peer(batch: BatchProblems, rows: FloatArray, gammas: list[float], sets: int) -> FloatArray:
    """Return scikit-learn's coefficients for some data sets, each γ from scratch."""
    found = [
        LogisticRegression(C=1 / gamma, fit_intercept=False)
        .fit(rows[b], batch.targets[b], sample_weight=batch.weights[b])
        .coef_[0]
        for b in range(sets)
        for gamma in gammas
    ]
    return np.array(found)


def simulate(sets: int, n: int, d: int) -> BatchProblems:
    """Return features in [−1, 1], noisy labels and weights in [0, 1]."""
    random = np.random.default_rng(20)
    X = random.uniform(-1, 1, (sets, n, d))
    slope = random.normal(size=(sets, d, 1))
    noise = random.normal(size=(sets, n))
    y = np.where((X @ slope)[:, :, 0] + noise > 0.2, 1.0, -1.0)
    return BatchProblems(X, y, random.uniform(0, 1, (sets, n)), 1.0)


def best(runs: dict[str, Run], repeats: int) -> tuple[dict[str, float], dict[str, FloatArray]]:
    """Return the shortest time per fit of each, and the answers."""
    seconds = dict.fromkeys(runs, float("inf"))
    answers = {}
    turns = [(name, run) for _ in range(repeats) for name, run in runs.items()]
    for name, run in track(turns, description="timing"):
        start = time.perf_counter()
        answers[name] = run.call()
        seconds[name] = min(seconds[name], (time.perf_counter() - start) / run.fits)
    return seconds, answers


if __name__ == "__main__":
    main()
