"""A forgotten γ, a free intercept and a solver that stops where it started."""

import numpy as np
import pytest
from tests.faults.chain import HINGE, Chain, weighed
from tests.faults.solver import (
    COARSE,
    COARSE_GAMMA,
    FORGOTTEN,
    FREE,
    IGNORED_GAMMA,
    IGNORED_N,
    CoarseSolver,
    FreeIntercept,
    with_solver_gamma,
)

from dpwerm.audit.mechanisms import log_density
from dpwerm.objective.rows import MemoryRows


def test_the_effective_epsilon_is_that_of_the_reference_implementation() -> None:
    target = with_solver_gamma("ignored", FORGOTTEN)
    assert target.moved == pytest.approx(83, abs=0.5)
    assert (
        (target.calibration.facts.gamma, target.calibration.facts.n)
        == (IGNORED_GAMMA, IGNORED_N)
        == (1000.0, 20)
    )


def test_the_same_with_gamma_is_private() -> None:
    assert with_solver_gamma("heeded", None).moved < 1


def test_less_ridge_changes_nothing_more() -> None:
    assert with_solver_gamma("ignored", 1e-9).moved == pytest.approx(
        with_solver_gamma("ignored", FORGOTTEN).moved, rel=1e-4
    )


NAMES = ["objective-l2", "objective-block"]


@pytest.mark.parametrize("name", NAMES)
def test_with_the_whole_penalty_it_is_the_mechanism(name: str) -> None:
    whole = FreeIntercept("whole", name, 1.0)
    (pair,) = whole.pairs()
    library = Chain(name, pair, whole.calibration, lambda people: weighed(people, intercept=1.0))
    mine, its = (target.outputs(pair.first, 500, (3,)) for target in (whole, library))
    assert mine == pytest.approx(its, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_the_score_is_the_likelihood_ratio(name: str) -> None:
    whole = FreeIntercept("whole", name, 1.0)
    (pair,) = whole.pairs()
    outputs = whole.outputs(pair.first, 500, (4,))
    bounds = np.ones(2)
    one, other = (
        log_density(
            outputs,
            MemoryRows(people.x, people.arm, np.ones(1), 1.0, bounds),
            HINGE,
            whole.calibration,
        )
        for people in pair.both
    )
    assert whole.score(outputs, pair) == pytest.approx(one - other, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_log_ratio_keeps_its_bound_only_with_the_whole_penalty(name: str) -> None:
    largest = {}
    for share in (1.0, FREE):
        target = FreeIntercept("share", name, share)
        (pair,) = target.pairs()
        outputs = np.concatenate([target.outputs(data, 2000, (5,)) for data in pair.both])
        largest[share] = np.abs(target.score(outputs, pair)).max()
    assert largest[1.0] <= float(target.claim.epsilon)
    assert largest[FREE] > 3


def test_sometimes_the_answer_without_noise_is_released() -> None:
    target = CoarseSolver("coarse", second=False)
    (pair,) = target.pairs()
    inside = target.calibration.inside
    assert inside is not None
    assert inside.rate is not None
    expected = 1 - np.exp(-inside.rate * COARSE_GAMMA * COARSE)
    hits = target.score(target.outputs(pair.first, 200_000, (1,)), pair)
    assert (hits > 0).mean() == pytest.approx(expected, rel=0.2)
    assert (hits < 0).sum() == 0


def test_no_answer_is_further_off_than_the_tolerance() -> None:
    coarse = CoarseSolver("coarse", second=False)
    (pair,) = coarse.pairs()
    assert coarse.start(pair.first) == pytest.approx(2 / COARSE_GAMMA, abs=1e-8)
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
