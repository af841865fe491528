"""Scales, gaps and levels from the sample, and from what is declared."""

import numpy as np
import pytest
from tests.faults.features import (
    CUT,
    GAPS,
    LARGEST_OTHERS,
    NEAR,
    Levels,
    by_bounds,
    by_largest,
    imputed,
    largest_pair,
    scaled,
    standard_pair,
    standardised,
)


def test_one_person_far_out_squeezes_the_others() -> None:
    pair = largest_pair()
    assert by_largest(pair.first.x)[:-1] == pytest.approx(1.0)
    assert by_largest(pair.second.x)[:-1] == pytest.approx(NEAR)
    moved = scaled("largest", pair, by_largest).moved
    assert moved == pytest.approx(LARGEST_OTHERS * (1 - NEAR) / 2, rel=1e-4)


def test_standardised_features_stay_within_their_cut() -> None:
    pair = standard_pair()
    for people in pair.both:
        assert np.abs(standardised(people.x)).max() <= CUT
    assert scaled("standard", pair, standardised, CUT).moved > 5


def test_public_bounds_move_one_row() -> None:
    for pair in (largest_pair(), standard_pair()):
        first, second = (by_bounds(people.x) for people in pair.both)
        assert (first[:-1] == second[:-1]).all()
        assert scaled("bounds", pair, by_bounds).moved < 1


def test_one_value_fills_every_gap() -> None:
    target = imputed("mean", by_mean=True)
    for people, value in zip(target.pair.both, (1.0, -1.0), strict=True):
        assert set(target.prepare(people).X.ravel().tolist()) == {value}
    assert target.moved == pytest.approx(GAPS + 1, rel=1e-4)


def test_a_declared_default_fills_them_without_it() -> None:
    target = imputed("default", by_mean=False)
    first, second = (target.prepare(people).X[0] for people in target.pair.both)
    assert (first[:-1] == 0).all()
    assert (second[:-1] == 0).all()
    assert target.moved == pytest.approx(1.0, abs=1e-5)


def test_a_level_that_nobody_has_is_missing_from_the_release() -> None:
    target = Levels("found", declared=False)
    (pair,) = target.pairs()
    assert not target.outputs(pair.first, 100, (1,))[:, 2].any()
    assert target.outputs(pair.second, 100, (1,))[:, 2].all()


def test_declared_levels_have_noise_whoever_is_there() -> None:
    target = Levels("declared", declared=True)
    (pair,) = target.pairs()
    for data in pair.both:
        assert np.count_nonzero(target.outputs(data, 100, (1,)), axis=0).min() > 90
