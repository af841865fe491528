"""Noise times 0.7, and noise for W in place of 2W."""

import pytest

from dpwerm.audit.faults.small_noise import NAMES, SHARE, healthy, single_weight, small_noise, times


@pytest.mark.parametrize("name", ["spherical-laplace", "product-laplace"])
def test_the_pair_attains_the_sensitivity(name: str) -> None:
    assert healthy(name).moved == pytest.approx(1.0, abs=1e-5)
    assert small_noise(name).moved == pytest.approx(1 / SHARE, abs=1e-5)
    assert single_weight(name).moved == pytest.approx(2.0, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_every_noise_of_a_plan_shrinks(name: str) -> None:
    plan = healthy(name).plan
    less = times(plan, SHARE)
    assert less.noise.scale == SHARE * plan.noise.scale
    if plan.inside is not None and less.inside is not None:
        sizes = [
            1 / inside.rate if inside.rate else inside.sigma
            for inside in (plan.inside, less.inside)
        ]
        assert sizes[1] == pytest.approx(SHARE * (sizes[0] or 0.0))
    assert less.budget == plan.budget


@pytest.mark.parametrize("name", NAMES)
def test_one_weight_in_place_of_two_halves_the_noise(name: str) -> None:
    right, wrong = healthy(name).plan, single_weight(name).plan
    if right.inside is None or wrong.inside is None:
        assert right.noise.scale == pytest.approx(2 * wrong.noise.scale)
    elif right.inside.rate and wrong.inside.rate:
        assert 2 * right.inside.rate == pytest.approx(wrong.inside.rate)
    else:
        assert (wrong.inside.sigma or 0) < 0.55 * (right.inside.sigma or 0)
