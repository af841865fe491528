"""Risks are plain means over rows, and the gaps are between the points that they name."""

import numpy as np
import pytest

from dpwerm.objective.losses import HuberisedHinge, Logistic
from dpwerm.solve.batch_problems import BatchProblems
from reproduction.bounds.risks import Sample, Trials, risk

B, R, N, D = 3, 2, 7, 2


def problems(seed: int, scale: float = 0.5) -> BatchProblems:
    rng = np.random.default_rng(seed)
    X, w = rng.uniform(-1, 1, (B, N, D)), rng.uniform(0, 1, (B, N))
    return BatchProblems(X, rng.choice([-1.0, 1.0], (B, N)), w, scale)


@pytest.mark.parametrize("scale", [0.0, 0.5])
def test_a_risk_is_a_mean_over_rows(scale: float) -> None:
    one, loss = problems(1, scale), HuberisedHinge(0.7)
    theta = np.random.default_rng(2).normal(size=(B, R, one.dimension))
    found = risk(one, loss.value, theta)
    for b, r in np.ndindex(B, R):
        z = one.data(b).scores(theta[b, r]) * one.targets[b]
        assert found[b, r] == pytest.approx(np.mean(one.weights[b] * loss.value(z)))


def test_gaps_are_between_the_points_that_they_name() -> None:
    trial, people, loss, lam = problems(1), problems(2), HuberisedHinge(0.7), 0.3
    rng = np.random.default_rng(3)
    best, hat, star = (rng.normal(size=(B, r, D + 1)) for r in (1, 1, R))
    found = Trials(Sample(trial, people, N), loss, lam, (best, hat, star))

    def smooth(theta: np.ndarray, data: BatchProblems = trial) -> np.ndarray:
        return risk(data, loss.value, theta)

    def hinge(theta: np.ndarray, data: BatchProblems = trial) -> np.ndarray:
        return risk(data, lambda z: np.maximum(1 - z, 0), theta)

    np.testing.assert_allclose(found.norms, np.linalg.norm(best[:, 0], axis=1))
    np.testing.assert_allclose(found.lengths, np.linalg.norm(star - hat, axis=2))
    np.testing.assert_allclose(found.regularising(), smooth(hat) - smooth(best))
    penalty = lam / 2 * ((star**2).sum(axis=2) - (hat**2).sum(axis=2))
    np.testing.assert_allclose(found.noise(), smooth(star) - smooth(hat) + penalty)
    np.testing.assert_allclose(found.corner(), smooth(best) - hinge(best))
    np.testing.assert_allclose(found.excess(), hinge(star) - hinge(best))
    np.testing.assert_allclose(found.population(), hinge(star, people) - hinge(best, people))
    gaps = [np.abs(smooth(one, people) - smooth(one)) for one in (best, star)]
    np.testing.assert_allclose(found.generalising(), 2 * np.maximum(*gaps))


def test_another_loss_is_its_own_measure() -> None:
    trial, people = problems(1), problems(2)
    theta = np.random.default_rng(3).normal(size=(B, 1, D + 1))
    found = Trials(Sample(trial, people, N), Logistic(), 0.3, (theta, theta, theta))
    assert not found.corner().any()
