"""A solver that stops where it started, and the second noise that hides it."""

import numpy as np
import pytest

from dpwerm.audit.faults.coarse_solver import COARSE, GAMMA, CoarseSolver


def test_sometimes_the_answer_without_noise_is_released() -> None:
    target = CoarseSolver("coarse", second=False)
    (pair,) = target.pairs()
    inside = target.plan.inside
    assert inside is not None
    assert inside.rate is not None
    expected = 1 - np.exp(-inside.rate * GAMMA * COARSE)
    hits = target.score(target.outputs(pair.first, 200_000, (1,)), pair)
    assert (hits > 0).mean() == pytest.approx(expected, rel=0.2)
    assert (hits < 0).sum() == 0


def test_no_answer_is_further_off_than_the_tolerance() -> None:
    coarse = CoarseSolver("coarse", second=False)
    (pair,) = coarse.pairs()
    assert coarse.start(pair.first) == pytest.approx(2 / GAMMA, abs=1e-8)
    assert coarse.start(pair.second) == pytest.approx(0.0, abs=1e-8)
    outputs = coarse.outputs(pair.second, 5000, (2,))
    stopped = outputs[:, 0] == coarse.start(pair.second)
    assert np.abs(outputs[~stopped]).min() >= COARSE * (1 - 1e-6)


def test_the_second_noise_covers_the_tolerance_twice() -> None:
    target = CoarseSolver("covered", second=True)
    noise = target.second_noise
    assert noise.sensitivity == pytest.approx(2 * COARSE)
    assert noise.scale == pytest.approx(2 * COARSE / 0.01)
    (pair,) = target.pairs()
    # A point of the grid may be hit by chance, no start of a solver any more often.
    assert np.abs(target.score(target.outputs(pair.first, 5000, (1,)), pair)).mean() < 2e-3
