import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.mechanisms.output_perturbation import ProductLaplace, SphericalLaplace
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import SeededBits

MECHANISM = ProductLaplace()


@given(st.floats(1e-100, 1e100), st.integers(1, 1000), st.floats(1e-6, 1e9))
def test_scale_and_grid_follow_from_the_exact_square(delta: float, p: int, epsilon: float) -> None:
    budget = Budget.of(epsilon)
    noise = MECHANISM.noise_for(delta, p, budget)
    square = p * (Fraction(delta) / budget.exact_epsilon) ** 2
    assert Fraction(noise.scale) ** 2 >= square > Fraction(math.nextafter(noise.scale, 0.0)) ** 2
    grid = Fraction(2) ** noise.exponent
    assert grid**2 <= square / 1024**2 < (2 * grid) ** 2


@pytest.mark.parametrize(
    ("delta", "p", "exponent"),
    [(1.0, 1, -10), (1.0, 4, -9), (1.0, 3, -10), (math.nextafter(1.0, 0.0), 4, -10), (0.5, 64, -8)],
)
def test_the_grid_is_exact_at_powers_of_two(delta: float, p: int, exponent: int) -> None:
    assert MECHANISM.noise_for(delta, p, Budget.of(1)).exponent == exponent


def test_in_one_dimension_both_laplace_mechanisms_have_one_scale() -> None:
    budget = Budget.of("0.3")
    assert (
        MECHANISM.noise_for(0.7, 1, budget).scale
        == SphericalLaplace().noise_for(0.7, 1, budget).scale
    )


@pytest.mark.parametrize("p", [1, 2, 5, 50])
def test_the_scale_pays_for_the_worst_shift(p: int) -> None:
    # log-density ratio Σ(|z_j| − |z_j − v_j|)/b is at most ‖v‖₁/b, and ‖v‖₁ = √p‖v‖₂ at worst.
    noise = MECHANISM.noise_for(1.0, p, Budget.of("0.3"))
    worst = math.sqrt(p) / noise.scale
    assert worst <= 0.3 * (1 + 1e-15)
    assert worst >= 0.3 * (1 - 1e-15)


def test_a_seed_gives_the_formula_rounded() -> None:
    p, noise = 3, MECHANISM.noise_for(1.0, 3, Budget.of("0.7"))
    theta = [Fraction(k, 3) for k in range(p)]
    with mpmath.workdps(200):
        source = SeededBits(5)
        u = [mpmath.mpf(source.substream().bits(800)) / mpmath.mpf(2) ** 800 for _ in range(2 * p)]
        scale = mpmath.sqrt(3) / (mpmath.mpf(7) / 10)
        cell = mpmath.mpf(2) ** noise.exponent
        z = [scale * mpmath.log(u[2 * j] / u[2 * j + 1]) for j in range(p)]
        expected = tuple(
            int(mpmath.floor((mpmath.mpf(j) / 3 + z[j]) / cell + 0.5)) for j in range(p)
        )
    assert MECHANISM.release(theta, noise, SeededBits(5)) == expected
