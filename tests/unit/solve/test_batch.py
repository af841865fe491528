"""Many problems at once give the answers of the single solver, to the sum of the tolerances."""

import numpy as np
import pytest

from dpwerm.arrays import FloatArray
from dpwerm.problem.losses import HuberisedHinge, Logistic, MarginLoss
from dpwerm.problem.objective import Objective
from dpwerm.solve.batch import BatchProblems, minimise_batch, minimise_path
from dpwerm.solve.newton import minimise

LOSSES = [Logistic(), HuberisedHinge(0.5)]


def problems(B: int, n: int, d: int, intercept: float = 1.0, seed: int = 3) -> BatchProblems:
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, (B, n, d))
    y = np.where(X.sum(axis=2) + random.normal(size=(B, n)) > 0.2, 1.0, -1.0)
    return BatchProblems(X, y, random.uniform(0, 1, (B, n)), intercept)


def single(batch: BatchProblems, b: int, loss: MarginLoss, gamma: float) -> FloatArray:
    solution = minimise(Objective(batch.data(b), loss, gamma), 1e-12)
    return np.array([float(t) for t in solution.theta])


@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_the_same_answer_as_the_single_solver(loss: MarginLoss, intercept: float) -> None:
    batch = problems(7, 60, 3, intercept)
    gammas = np.geomspace(0.01, 100, 7)
    solution = minimise_batch(batch, loss, gammas, tolerance=1e-6)
    for b, gamma in enumerate(gammas.tolist()):
        gap = np.linalg.norm(solution.theta[b] - single(batch, b, loss, gamma))
        assert gap <= solution.distance[b] + 1e-12 <= 1.1e-6


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_a_path_gives_the_separate_answers(loss: MarginLoss) -> None:
    batch = problems(4, 50, 2)
    gammas = np.geomspace(30, 0.1, 6)
    path = minimise_path(batch, loss, gammas, tolerance=1e-7)
    for g, gamma in enumerate(gammas.tolist()):
        apart = minimise_batch(batch, loss, gamma, tolerance=1e-7)
        assert np.all(np.linalg.norm(path.theta[g] - apart.theta, axis=-1) <= 2e-7)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_many_tilts_share_the_rows(loss: MarginLoss) -> None:
    batch = problems(3, 40, 2)
    random = np.random.default_rng(8)
    tilt = random.normal(size=(3, 11, 3)) * random.choice([0.1, 3.0, 100.0], (3, 11, 1))
    gamma = np.geomspace(0.3, 20, 11)[None]
    solution = minimise_batch(batch, loss, gamma, tilt=tilt, tolerance=1e-7)
    assert solution.theta.shape == (3, 11, 3)
    for b, r in np.ndindex(3, 11):
        objective = Objective(batch.data(b), loss, gamma[0, r], tilt=(tilt[b, r],))
        alone = np.array([float(t) for t in minimise(objective, 1e-12).theta])
        gap = np.linalg.norm(solution.theta[b, r] - alone)
        assert gap <= solution.distance[b, r] + 1e-12 <= 1.1e-7
