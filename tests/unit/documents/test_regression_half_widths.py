"""The simulated half-widths of regressions are those of real releases, in what the score uses.

Real releases are made by the pipeline of a fit, with its exact noise from seeds, on trials that are
drawn like the simulated ones with another seed.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from dpwerm import PrivateTreatmentRule
from dpwerm.documents.half_widths import simulated_half_widths, why_not
from dpwerm.releases.release import Rule
from dpwerm.simulate.judged import SyntheticTrials
from dpwerm.simulate.synthetic import generator, random_trials

N, WIDTH, TRIALS, RELEASES = 150, 3, 30, 4
COVERAGE, NEAR = 0.8, (0.75, 1.33)
"""A quantile that few releases pin down, and where the true over the simulated one may lie."""

METHODS: dict[str, dict[str, Any]] = {
    "contrast": {"estimator": "contrast", "mechanism": "objective-block"},
    "arm-wise": {"estimator": "arm-wise", "mechanism": "objective-block", "main_penalty": 4.0},
    "cubes": {"estimator": "arm-wise", "mechanism": "objective-l2", "main_effect": "cubes"},
    "output": {"estimator": "arm-wise", "mechanism": "spherical-laplace"},
}


def estimator(method: str, seed: int | None, epsilon: float = 2) -> PrivateTreatmentRule:
    return PrivateTreatmentRule(
        epsilon,
        feature_bounds=(-1, 1),
        benefit_bounds=(-20, 20),
        propensity={"a": "2/3", "b": "1/3"},
        gamma=60.0,
        width=0.3,
        intercept_scale=0.5,
        saturation=1.5,
        random_state=seed,
        **METHODS[method],
    )


@lru_cache
def synthetic() -> SyntheticTrials:
    return random_trials(
        (0,) * WIDTH, count=TRIALS, rows=N, propensity=(1 / 3, 1 / 3), rng=generator(8, 1)
    )


def fitted(method: str, place: int, seed: int | None, epsilon: float = 2) -> Rule:
    drawn = synthetic()
    arms = ["b" if one > 0 else "a" for one in drawn.arm[place]]
    return (
        estimator(method, seed, epsilon).fit(drawn.X[place], arms, 20 * drawn.benefit[place]).rule_
    )


@pytest.mark.parametrize("method", METHODS)
def test_real_releases_have_the_simulated_half_widths(method: str) -> None:
    sizes = []
    for place in range(TRIALS):
        without = fitted(method, place, None, math.inf).release.effects
        seeds = range(100 * place, 100 * place + RELEASES)
        sizes += [np.abs(fitted(method, place, s).release.effects - without) for s in seeds]
    found = np.array(sizes)
    true = np.quantile(found[:, 0], COVERAGE), np.quantile(found[:, 1:], COVERAGE)
    stated = simulated_half_widths(fitted(method, 0, 1), coverage=COVERAGE)
    assert stated is not None
    assert stated.pointwise.shape == (1 + WIDTH,)
    ratios = np.array(true) / stated.pointwise[:2]
    assert np.all((ratios > NEAR[0]) & (ratios < NEAR[1])), ratios
    for factor in (0.5, 2.0):
        assert not np.any((factor * ratios > NEAR[0]) & (factor * ratios < NEAR[1]))


def test_noise_outside_is_not_said_to_depend_on_the_data() -> None:
    inside = simulated_half_widths(fitted("contrast", 0, 1))
    outside = simulated_half_widths(fitted("output", 0, 1))
    assert inside is not None
    assert outside is not None
    assert "depends on the data" in inside.words
    assert "does not depend on the data" in outside.words
    assert why_not(fitted("output", 0, 1)) == ""
