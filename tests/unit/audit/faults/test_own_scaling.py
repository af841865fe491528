"""Features scaled by the sample."""

import numpy as np
import pytest

from dpwerm.audit.faults.own_scaling import (
    CUT,
    LARGEST_OTHERS,
    NEAR,
    by_bounds,
    by_largest,
    chain,
    largest_pair,
    standard_pair,
    standardised,
)


def test_one_person_far_out_squeezes_the_others() -> None:
    pair = largest_pair()
    assert by_largest(pair.first.x)[:-1] == pytest.approx(1.0)
    assert by_largest(pair.second.x)[:-1] == pytest.approx(NEAR)
    moved = chain("largest", pair, by_largest).moved
    assert moved == pytest.approx(LARGEST_OTHERS * (1 - NEAR) / 2, rel=1e-4)


def test_standardised_features_stay_within_their_cut() -> None:
    pair = standard_pair()
    for people in pair.both:
        assert np.abs(standardised(people.x)).max() <= CUT
    assert chain("standard", pair, standardised, CUT).moved > 5


def test_public_bounds_move_one_row() -> None:
    for pair in (largest_pair(), standard_pair()):
        first, second = (by_bounds(people.x) for people in pair.both)
        assert (first[:-1] == second[:-1]).all()
        assert chain("bounds", pair, by_bounds).moved < 1
