import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.mechanisms.output_perturbation import SphericalLaplace
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import SeededBits

MECHANISM = SphericalLaplace()
HALVES = (Fraction(-1, 2), Fraction(1, 2))


@given(st.floats(1e-100, 1e100), st.integers(1, 1000), st.floats(1e-6, 1e9))
def test_scale_and_grid_follow_from_the_exact_ratio(delta: float, p: int, epsilon: float) -> None:
    budget = Budget.of(epsilon)
    noise = MECHANISM.noise_for(delta, p, budget)
    exact = Fraction(delta) / budget.exact_epsilon
    assert Fraction(noise.scale) >= exact > Fraction(math.nextafter(noise.scale, 0.0))
    assert Fraction(2) ** noise.exponent <= exact / 1024 < Fraction(2) ** (noise.exponent + 1)


@pytest.mark.parametrize(("delta", "exponent"), [(1.0, -10), (math.nextafter(1.0, 0.0), -11)])
def test_the_grid_is_exact_at_powers_of_two(delta: float, exponent: int) -> None:
    assert MECHANISM.noise_for(delta, 3, Budget.of(1)).exponent == exponent


def test_the_grid_is_exact_where_epsilon_is_no_binary_number() -> None:
    # 0.1/0.1 as written is above 1 for the double 0.1, which exceeds a tenth.
    assert MECHANISM.noise_for(0.1, 1, Budget.of("0.1")).exponent == -10
    assert MECHANISM.noise_for(math.nextafter(0.1, 0.0), 1, Budget.of("0.1")).exponent == -11


def test_a_seed_gives_this_release_on_every_machine() -> None:
    noise = MECHANISM.noise_for(1.0, 2, Budget.of("0.7"))
    assert MECHANISM.release([Fraction(0), Fraction(1, 3)], noise, SeededBits(11)) == reference()


def reference() -> tuple[int, ...]:
    """Return what the formula gives at 200 digits from the same bits."""
    with mpmath.workdps(200):
        source = SeededBits(11)
        u = [mpmath.mpf(source.substream().bits(800)) / mpmath.mpf(2) ** 800 for _ in range(4)]
        radius = -mpmath.log(u[0] * u[1]) / (mpmath.mpf(7) / 10)
        turn = 2 * mpmath.pi * u[3]
        z = [radius * mpmath.cos(turn), radius * mpmath.sin(turn)]
        theta = [mpmath.mpf(0), mpmath.mpf(1) / 3]
        return tuple(int(mpmath.floor((t + x) * 1024 + 0.5)) for t, x in zip(theta, z, strict=True))


def log_mass(k: int, center: Fraction, scale: Fraction, exponent: int) -> Any:
    """Return the log-probability of cell k for p = 1, where the law is Laplace's."""
    edges = [((k + half) * Fraction(2) ** exponent - center) / scale for half in HALVES]
    low, high = (mpmath.mpf(edge.numerator) / edge.denominator for edge in edges)
    if low >= 0:
        return mpmath.log((mpmath.exp(-low) - mpmath.exp(-high)) / 2)
    if high <= 0:
        return mpmath.log((mpmath.exp(high) - mpmath.exp(low)) / 2)
    return mpmath.log(1 - (mpmath.exp(-high) + mpmath.exp(low)) / 2)


@given(
    st.sampled_from(["0.1", "0.3", "1", "4.7"]),
    st.floats(1e-6, 1e6),
    st.fractions(-3, 3, max_denominator=2**20),
)
@settings(max_examples=30, deadline=None)
def test_the_released_integers_are_private_and_use_the_whole_budget(
    epsilon: str, delta: float, start: Fraction
) -> None:
    # The exact probabilities of the grid cells for two centres that are Δ apart.
    budget = Budget.of(epsilon)
    noise = MECHANISM.noise_for(delta, 1, budget)
    scale = Fraction(delta) / budget.exact_epsilon
    one = start * Fraction(delta)
    other = one + Fraction(delta)
    around = [int(x / Fraction(2) ** noise.exponent) for x in (one, other)]
    cells = {k + 97 * j for k in around for j in range(-60, 61)}
    with mpmath.workdps(60):
        limit = mpmath.mpf(epsilon)
        ratios = [
            log_mass(k, one, scale, noise.exponent) - log_mass(k, other, scale, noise.exponent)
            for k in cells
        ]
        assert max(ratios) <= limit + mpmath.mpf(10) ** -40
        assert min(ratios) >= -limit - mpmath.mpf(10) ** -40
        assert max(ratios) >= 0.99 * limit
        assert min(ratios) <= -0.99 * limit
