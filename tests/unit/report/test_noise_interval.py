"""The stated reach of the noise is that of the law it is stated for."""

import math

import numpy as np
import pytest

from dpwerm.report.noise_interval import LAWS

P = 5


@pytest.mark.parametrize("coverage", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("dimension", [1, 2, 5, 40])
def test_spherical_laplace_covers_as_stated(dimension: int, coverage: float) -> None:
    rng = np.random.default_rng(1)
    draws = 200_000
    direction = rng.normal(size=(draws, dimension))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    noise = 3.0 * rng.gamma(dimension, size=draws) * direction[:, 0]
    inside = np.mean(np.abs(noise) <= LAWS["spherical-laplace"](3.0, dimension, coverage))
    # Five standard errors of a proportion; the seed is fixed.
    assert inside == pytest.approx(coverage, abs=5 * math.sqrt(0.25 / draws))


def test_the_other_laws_at_known_points() -> None:
    assert LAWS["product-laplace"](2.0, P, 0.95) == pytest.approx(2.0 * math.log(20.0))
    assert LAWS["gaussian"](2.0, P, 0.95) == pytest.approx(2.0 * 1.959963984540054)
    assert LAWS["none"](2.0, P, 0.95) == 0.0
