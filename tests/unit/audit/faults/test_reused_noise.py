"""Two releases with one seed."""

import numpy as np
import pytest

from dpwerm.audit.faults.reused_noise import TwoReleases, without_last


def test_the_difference_of_two_releases_has_no_noise() -> None:
    target = TwoReleases("reused", shared=True)
    (pair,) = target.pairs()
    grid = 2.0**target.fit.plan.noise.exponent
    for data, expected in zip(pair.both, (1 / 20, -1 / 20), strict=True):
        found = target.outputs(data, 1000, (1,))
        assert found[:, 0] - found[:, 1] == pytest.approx(expected, abs=1.01 * grid)


def test_with_noise_of_their_own_they_are_independent() -> None:
    target = TwoReleases("fresh", shared=False)
    (pair,) = target.pairs()
    found = target.outputs(pair.first, 20_000, (1,))
    assert abs(np.corrcoef(found[:, 0], found[:, 1])[0, 1]) < 0.03


def test_the_second_release_does_not_know_the_last_person() -> None:
    target = TwoReleases("reused", shared=True)
    (pair,) = target.pairs()
    first, second = (target.fit.centre(without_last(data)) for data in pair.both)
    assert np.array_equal(first, second)
