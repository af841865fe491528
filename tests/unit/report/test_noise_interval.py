"""The stated reach of the noise is that of the law it is stated for."""

import math

import numpy as np
import pytest

from dpwerm.learn.certificate import certify
from dpwerm.learn.release import Release
from dpwerm.learn.specification import Specification
from dpwerm.privacy.budget import Budget
from dpwerm.report.noise_interval import LAWS, effect_reach, half_width
from dpwerm.study.encoding import Encoding

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


def test_nothing_is_stated_where_the_law_depends_on_the_data() -> None:
    encoding = Encoding.of_numbers(["a"], [(0.0, 1.0)])
    for mechanism, stated in (("spherical-laplace", True), ("objective-l2", False)):
        spec = Specification(Budget.of(1), 100.0, 3.0, mechanism=mechanism)
        certificate, _ = certify(spec, encoding, 10, secure=True, library="x")
        release = Release(encoding, (0, 0), certificate)
        assert (half_width(release) is not None) is stated
        assert (effect_reach(release) is not None) is stated


def test_the_reach_in_an_effect_is_stretched_for_numbers_only() -> None:
    encoding = Encoding.of_numbers(["a", "b"], [(0.0, 1.0), (0.0, 3.0)]).changed(saturation=2.0)
    spec = Specification(Budget.of(1), 100.0, 3.0, mechanism="product-laplace")
    certificate, _ = certify(spec, encoding, 10, secure=True, library="x")
    release = Release(encoding, (0, 0, 0), certificate)
    one, several = half_width(release, 0.9), effect_reach(release, 0.9)
    assert one is not None
    assert several is not None
    assert several.tolist() == [one, 1.375 * one, 1.375 * one]
