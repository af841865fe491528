"""Gaussian noise in zCDP, GDP and (ε, δ): each constant is held to the definition of its notion."""

import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.gaussian import Gaussian
from dpwerm.mechanisms.output_perturbation import SphericalLaplace
from dpwerm.privacy.budget import Budget, GaussianBudget, only_budget

MECHANISM = Gaussian()
SENSITIVITY = 0.7
PARAMETERS = ["1e-8", "0.001", "0.1", "0.5", "3", "40", "1e6"]


def sigma_of(budget: GaussianBudget) -> float:
    return MECHANISM.noise_for(SENSITIVITY, 3, budget).scale


def renyi(order: float, sigma: float) -> Any:
    """Return D_α of N(0, σ²) from N(Δ, σ²) by integrating its definition."""
    delta, s, a = mpmath.mpf(SENSITIVITY), mpmath.mpf(sigma), mpmath.mpf(order)

    def integrand(x: Any) -> Any:
        p, q = mpmath.npdf(x, 0, s), mpmath.npdf(x, delta, s)
        return p**a * q ** (1 - a)

    peak = (1 - a) * delta
    ends = [peak + k * s for k in (-40, -10, -3, 0, 3, 10, 40)]
    return mpmath.log(mpmath.quad(integrand, ends)) / (a - 1)


@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 7.0])
@pytest.mark.parametrize("rho", ["0.001", "0.1", "2"])
def test_the_divergence_of_every_order_is_rho_times_the_order(rho: str, order: float) -> None:
    with mpmath.workdps(40):
        found = renyi(order, sigma_of(Budget.zcdp(rho)))
        claimed = mpmath.mpf(rho) * mpmath.mpf(order)
        # Tight from below, so that a constant off by a factor of two cannot pass either way.
        assert claimed * (1 - mpmath.mpf(10) ** -14) <= found
        assert found <= claimed * (1 + mpmath.mpf(10) ** -25)


@pytest.mark.parametrize("alarms", ["0.001", "0.05", "0.4"])
@pytest.mark.parametrize("mu", ["0.01", "0.5", "3"])
def test_no_test_of_two_neighbours_beats_that_of_mu(mu: str, alarms: str) -> None:
    sigma = sigma_of(Budget.gdp(mu))
    with mpmath.workdps(40):
        # The best test of 0 against Δ speaks up above a threshold (Neyman and Pearson).
        level = mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * mpmath.mpf(alarms))
        threshold = level * mpmath.mpf(sigma)
        misses = mpmath.ncdf(threshold, mpmath.mpf(SENSITIVITY), mpmath.mpf(sigma))
        promised = mpmath.ncdf(level - mpmath.mpf(mu))
        assert promised * (1 - mpmath.mpf(10) ** -25) <= misses
        assert misses <= promised * (1 + mpmath.mpf(10) ** -13)


@given(
    st.floats(1e-100, 1e100),
    st.sampled_from(PARAMETERS),
    st.sampled_from(["rho", "mu"]),
)
def test_sigma_is_the_smallest_double_that_will_do(
    sensitivity: float, parameter: str, symbol: str
) -> None:
    budget = only_budget(**{symbol: parameter})
    noise = MECHANISM.noise_for(sensitivity, 2, budget)
    number, delta = Fraction(parameter), Fraction(sensitivity)

    def cost(sigma: float) -> Fraction:
        mu = delta / Fraction(sigma)
        return mu**2 / 2 if symbol == "rho" else mu

    assert cost(noise.scale) <= number < cost(math.nextafter(noise.scale, 0.0))
    grid = Fraction(2) ** noise.exponent
    assert grid <= Fraction(noise.scale) / 1024 < 2 * grid


def test_two_notions_of_the_same_noise() -> None:
    assert sigma_of(Budget.zcdp("0.125")) == sigma_of(Budget.gdp("0.5")) == 2 * SENSITIVITY


@pytest.mark.parametrize("budget", [Budget.of(1, "1e-6"), Budget.zcdp("0.1"), Budget.gdp("0.3")])
def test_what_the_noise_has_in_both_notions_is_rounded_up(budget: Any) -> None:
    noise = MECHANISM.noise_for(SENSITIVITY, 3, budget)
    both = MECHANISM.rho_and_mu(noise)
    assert both is not None
    mu = Fraction(SENSITIVITY) / Fraction(noise.scale)
    for found, exact in zip(both, (mu**2 / 2, mu), strict=True):
        assert Fraction(found) >= exact > Fraction(math.nextafter(found, 0.0))


def test_the_mu_of_epsilon_and_delta_is_the_inverse_multiplier() -> None:
    both = MECHANISM.rho_and_mu(MECHANISM.noise_for(SENSITIVITY, 3, Budget.of(1, "1e-6")))
    assert both is not None
    rho, mu = both
    # σ/Δ = 4.2246788893268353 for this budget, solved for with another library.
    assert mu == pytest.approx(1 / 4.2246788893268353, rel=1e-8)
    assert rho == pytest.approx(mu**2 / 2, rel=1e-15)


def test_other_noise_says_nothing_of_rho_and_mu() -> None:
    other = SphericalLaplace()
    assert other.rho_and_mu(other.noise_for(1.0, 2, Budget.of(1))) is None


def test_only_gaussian_speaks_in_other_notions() -> None:
    for budget in (Budget.zcdp("0.1"), Budget.gdp("0.5")):
        for name, mechanism in MECHANISMS.items():
            mechanism.check_notion(Budget.of(1))
            if name == "gaussian":
                mechanism.check_notion(budget)
                continue
            words = f"mechanism {name} needs epsilon; use gaussian for"
            with pytest.raises(ParameterError, match=words):
                mechanism.check_notion(budget)
