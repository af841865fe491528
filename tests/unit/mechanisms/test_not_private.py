from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.output_perturbation import NotPrivate
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import OperatingSystemBits

MECHANISM = NotPrivate()
NO_PRIVACY = Budget.of("inf")


class NoBits(OperatingSystemBits):
    def bits(self, count: int) -> int:
        raise AssertionError


@given(st.floats(1e-100, 1e100), st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5))
def test_theta_is_rounded_to_a_fine_grid_and_no_bit_is_drawn(
    sensitivity: float, theta: list[float]
) -> None:
    noise = MECHANISM.noise_for(sensitivity, len(theta), NO_PRIVACY)
    grid = Fraction(2) ** noise.exponent
    assert grid <= Fraction(sensitivity) / 2**40 < 2 * grid
    assert noise.scale == 0
    released = MECHANISM.release([Fraction(t) for t in theta], noise, NoBits())
    for k, t in zip(released, theta, strict=True):
        assert abs(k * grid - Fraction(t)) <= grid / 2


@pytest.mark.parametrize("budget", [Budget.of(1), Budget.of(1e9), Budget.of("inf", "1e-6")])
def test_a_promise_is_refused(budget: Budget) -> None:
    with pytest.raises(ParameterError, match="mechanism none needs"):
        MECHANISM.noise_for(1.0, 2, budget)
