"""Noise times 0.7, for W in place of 2W, in doubles, and under one seed twice."""

import numpy as np
import pytest
from tests.faults import noise
from tests.faults.noise import (
    NAMES,
    SHARE,
    Draw,
    TwoReleases,
    by_logarithm,
    by_numpy,
    in_doubles,
    on_exact_grid,
    right_noise,
    single_weight,
    small_noise,
    times,
    without_last,
)

from dpwerm.audit.attack import audit
from dpwerm.audit.guesser import lowest_bit
from dpwerm.privacy.randomness import SeededBits


@pytest.mark.parametrize("name", ["spherical-laplace", "product-laplace"])
def test_the_pair_attains_the_sensitivity(name: str) -> None:
    assert right_noise(name).moved == pytest.approx(1.0, abs=1e-5)
    assert small_noise(name).moved == pytest.approx(1 / SHARE, abs=1e-5)
    assert single_weight(name).moved == pytest.approx(2.0, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_every_noise_of_a_plan_shrinks(name: str) -> None:
    calibration = right_noise(name).calibration
    less = times(calibration, SHARE)
    assert less.noise.scale == SHARE * calibration.noise.scale
    if calibration.inside is not None and less.inside is not None:
        sizes = [
            1 / inside.rate if inside.rate else inside.sigma
            for inside in (calibration.inside, less.inside)
        ]
        assert sizes[1] == pytest.approx(SHARE * (sizes[0] or 0.0))
    assert less.budget == calibration.budget


@pytest.mark.parametrize("name", NAMES)
def test_one_weight_in_place_of_two_halves_the_noise(name: str) -> None:
    right, wrong = right_noise(name).calibration, single_weight(name).calibration
    if right.inside is None or wrong.inside is None:
        assert right.noise.scale == pytest.approx(2 * wrong.noise.scale)
    elif right.inside.rate and wrong.inside.rate:
        assert 2 * right.inside.rate == pytest.approx(wrong.inside.rate)
    else:
        assert (wrong.inside.sigma or 0) < 0.55 * (right.inside.sigma or 0)


@pytest.mark.parametrize("draw", [by_logarithm, by_numpy])
def test_the_law_is_right_and_the_bits_are_not(draw: Draw) -> None:
    target = in_doubles("doubles", draw)
    first, second = (target.outputs(data, 20_000, (1,))[:, 0] for data in target.pair.both)
    assert target.moved == pytest.approx(1.0, abs=1e-5)
    assert np.abs(first).mean() == pytest.approx(target.calibration.noise.scale, rel=0.05)
    # The first coefficient is 0: its sums keep bits that no sum with the second one has.
    finest = lowest_bit(second).min()
    assert (lowest_bit(first) < finest).mean() > 0.1


def test_the_attack_is_on_the_bits() -> None:
    found = audit(in_doubles("doubles", by_logarithm), runs=40_000, confidence=0.999)
    assert "bit" in found.statistic
    assert found.lower > 4


def test_the_exact_release_has_no_such_bits_and_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "OperatingSystemBits", lambda: SeededBits(6))
    target = on_exact_grid()
    found = audit(target, runs=40_000, confidence=1 - 1e-6, exact_runs=3000)
    assert found.holds
    assert found.exact_lower is not None
    assert found.exact_lower > 0.5
    for data in target.pair.both:
        bits = lowest_bit(target.exact(data, 200)[:, 0])
        assert bits.min() >= target.calibration.noise.exponent


def test_real_releases_have_the_law_of_the_simulated_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(noise, "OperatingSystemBits", lambda: SeededBits(7))
    target = on_exact_grid()
    real = target.exact(target.pair.second, 2000)[:, 0]
    centre, scale = target.centre(target.pair.second)[0], target.calibration.noise.scale
    assert np.median(real) == pytest.approx(centre, abs=0.15 * scale)
    assert np.abs(real - centre).mean() == pytest.approx(scale, rel=0.15)


def test_the_difference_of_two_releases_has_no_noise() -> None:
    target = TwoReleases("reused", shared=True)
    (pair,) = target.pairs()
    grid = 2.0**target.fit.calibration.noise.exponent
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
