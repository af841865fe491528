"""Box noise: its scale, its law in formulas of uniforms, and what is refused."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpwerm.errors import ParameterError
from dpwerm.exact import precision
from dpwerm.mechanisms.box_sums import BoxSums, box
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source
from dpwerm.privacy.sampling import LazyUniforms

HALF = Budget.of("0.5")


def log_density(z: np.ndarray, scale: float) -> float:
    """Return log exp(−‖z‖_∞/s)/((2s)^m m!), written out from the proof page."""
    m = len(z)
    return float(-np.abs(z).max() / scale - m * math.log(2 * scale) - math.lgamma(m + 1))


@pytest.mark.parametrize("m", [1, 3])
def test_the_ratio_of_densities_is_epsilon_where_every_sum_moves_by_all_it_can(m: int) -> None:
    sums = BoxSums(m, Fraction(2), HALF)
    moved = np.full(m, float(sums.sensitivity))
    far = np.full(m, 50.0)
    ratio = log_density(far - moved, sums.scale) - log_density(far, sums.scale)
    assert ratio == pytest.approx(0.5)


@pytest.mark.parametrize("m", [1, 2])
def test_the_density_integrates_to_one(m: int) -> None:
    grid = np.linspace(-30, 30, 601)
    points = np.stack(np.meshgrid(*[grid] * m), axis=-1).reshape(-1, m)
    total = sum(math.exp(log_density(point, 1.0)) for point in points) * 0.1**m
    assert total == pytest.approx(1.0, abs=0.01)


def test_a_sample_is_the_formula_of_its_uniforms() -> None:
    uniforms = LazyUniforms(bit_source(3))
    with precision(200):
        found = [float(z.mid()) for z in box(2, Fraction(3))(uniforms, 100)]
        u = [float(one.mid()) for one in uniforms.balls(0, 5, 100)]
    radius = -3 * math.log(u[0] * u[1] * u[2])
    assert found == pytest.approx([radius * (2 * u[3] - 1), radius * (2 * u[4] - 1)])


def test_what_is_released_lies_on_the_grid_near_the_sums() -> None:
    sums = BoxSums(2, Fraction(2), Budget.of("1000"))
    released = sums.release([Fraction(5), Fraction(-7, 2)], bit_source(1))
    values = [k * 2.0**sums.exponent for k in released]
    assert values == pytest.approx([5, -3.5], abs=0.1)


def test_scale_and_mean_size_follow_from_sensitivity_and_epsilon() -> None:
    sums = BoxSums(4, Fraction(1, 2), HALF)
    assert (sums.exact_scale, sums.mean_size) == (Fraction(1), Fraction(5, 2))


def test_no_noise_no_sums_and_delta_are_refused() -> None:
    for made in (
        lambda: BoxSums(1, Fraction(0), HALF),
        lambda: BoxSums(1, Fraction(1), Budget.of("1", "1e-6")),
        lambda: BoxSums(2, Fraction(1), HALF).release([Fraction(0)], bit_source(1)),
    ):
        with pytest.raises(ParameterError):
            made()
