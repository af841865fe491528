"""Synthetic trials at a declared scale have it, and are otherwise as they were drawn."""

from typing import Any

import numpy as np
import pytest

from dpwerm.arrays import FloatArray
from dpwerm.simulate.judged import SyntheticTrials
from dpwerm.simulate.scale import Scale
from dpwerm.simulate.synthetic import random_trials


def trials(widths: tuple[int, ...] = (0, 0, 1), **other: Any) -> SyntheticTrials:
    rng = np.random.default_rng(1)
    return random_trials(widths, count=24, rows=4000, propensity=(0.5, 0.5), rng=rng, **other)


def within_arms(found: SyntheticTrials) -> FloatArray:
    """Return the sd of the benefit within an arm, on average over the two, (B,)."""
    arms = [
        [u[arm == side].var() for side in (-1, 1)]
        for u, arm in zip(found.benefit, found.arm, strict=True)
    ]
    return np.asarray(np.sqrt(np.mean(arms, axis=1)))


@pytest.mark.parametrize("sd", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.8])
def test_the_benefit_and_the_difference_have_the_declared_sd(sd: float, share: float) -> None:
    found = trials(scale=Scale(sd, share * sd))
    np.testing.assert_allclose(2 * found.contrast.std(axis=1), share * sd, rtol=0.35, atol=1e-12)
    np.testing.assert_allclose(np.median(within_arms(found)), sd, rtol=0.05)
    assert np.abs(found.benefit).max() <= 1


def test_without_an_effect_the_share_of_each_trial_stays() -> None:
    plain, scaled = trials(), trials(scale=Scale(0.05))
    np.testing.assert_array_equal(scaled.X, plain.X)
    np.testing.assert_array_equal(scaled.arm, plain.arm)
    np.testing.assert_array_equal(scaled.best, plain.best)
    np.testing.assert_allclose(np.median(within_arms(scaled)), 0.05, rtol=0.05)


def test_where_people_do_not_differ_one_arm_is_better_for_all() -> None:
    found = trials(scale=Scale(0.2, 0.0))
    assert (found.contrast == found.contrast[:, :1]).all()
    assert (found.contrast[:, 0] != 0).mean() > 0.6


def test_bounds_that_fit_hold_nearly_everything() -> None:
    found = trials(scale=Scale(0.4, 0.2))
    assert (np.abs(found.benefit) == 1).mean() < 0.04


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_two_values_have_their_sd_from_the_share_of_yes(share: float) -> None:
    sd = 2 * np.sqrt(share * (1 - share))
    found = trials(scale=Scale(sd, 0.1 * sd), values=2)
    assert set(np.unique(found.benefit)) == {-1.0, 1.0}
    np.testing.assert_allclose(np.median(within_arms(found)), sd, rtol=0.06)


def test_a_few_points_scatter_no_more_than_declared() -> None:
    found = trials(scale=Scale(0.4, 0.2), values=5)
    np.testing.assert_allclose(np.median(within_arms(found)), 0.4, rtol=0.08)


def test_useless_features_stand_behind_and_change_nothing() -> None:
    found = trials(useless=(0, 3))
    assert found.X.shape[-1] == found.people.shape[-1] == 7
    assert np.abs(found.X).max() <= 1
    for X, f in zip(found.people, found.contrast, strict=True):
        with_ones = np.column_stack([X[:, :3], np.ones(len(X))])
        fitted = with_ones @ np.linalg.lstsq(with_ones, f, rcond=None)[0]
        np.testing.assert_allclose(fitted, f, atol=1e-9)


def test_averages_are_those_that_trials_are_planned_for() -> None:
    found = trials(scale=Scale(0.2, 0.0))
    sizes = np.abs(2 * found.contrast[:, 0]) / 0.2
    assert 0.02 < np.median(sizes) < 0.3
    assert sizes.max() < 1
    assert (sizes == 0).any()
