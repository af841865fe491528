import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.exact import precision
from dpwerm.mechanisms.gaussian import (
    MULTIPLIER_BITS,
    Gaussian,
    delta_ball,
    noise_multiplier,
    suffices,
)
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import SeededBits

MECHANISM = Gaussian()
GRID = [
    (epsilon, delta)
    for epsilon in ("1e-6", "0.01", "0.3", "1", "5", "50", "1e9")
    for delta in ("1e-30", "1e-6", "0.01", "0.5", "0.999999")
]


def number(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def oracle(multiplier: Fraction, epsilon: Fraction) -> Any:
    """Return δ by integrating the privacy loss, another formula than the library's.

    The loss of N(0, σ²) against N(Δ, σ²) is N(μ²/2, μ²), μ = Δ/σ, and
    δ = E(1 − e^(ε − loss))₊.
    """
    mu, eps = 1 / number(multiplier), number(epsilon)

    def integrand(t: Any) -> Any:
        # t standard normal deviations above the point where the loss is ε
        z = (eps - mu**2 / 2) / mu + t
        return mpmath.npdf(z) * -mpmath.expm1(-mu * t)

    start = (eps - mu**2 / 2) / mu
    peak = max(mpmath.mpf(0), -start)
    width = 1 / max(mpmath.mpf(1), start)
    points = [0, peak] if peak > 0 else [mpmath.mpf(0)]
    points += [peak + width * k for k in (1, 4, 16, 64, 200)]
    if peak > 20:
        points = [0, peak - 20, *points[1:]]
    return mpmath.quad(integrand, points)


@pytest.mark.parametrize(("epsilon", "delta"), GRID)
def test_the_multiplier_suffices_and_the_next_smaller_does_not(epsilon: str, delta: str) -> None:
    budget = Budget.of(epsilon, delta)
    eps, allowed = budget.exact_epsilon, budget.exact_delta
    m = noise_multiplier(eps, allowed)
    octave = Fraction(2) ** math.ceil(math.log2(m) - 1e-12)
    step = octave / 2 / 2**MULTIPLIER_BITS
    assert (m / step).denominator == 1
    assert octave / 2 < m <= octave
    with mpmath.workdps(60):
        assert closed_form(m, eps) <= number(allowed)
        assert closed_form(m - step, eps) > number(allowed)


def closed_form(multiplier: Fraction, epsilon: Fraction) -> Any:
    """Return δ(m) in another library."""
    m, eps = number(multiplier), number(epsilon)
    with mpmath.extradps(40):
        return mpmath.ncdf(1 / (2 * m) - eps * m) - mpmath.exp(eps) * mpmath.ncdf(
            -1 / (2 * m) - eps * m
        )


@pytest.mark.parametrize("epsilon", ["0.01", "0.3", "1", "5", "50"])
@pytest.mark.parametrize("delta", ["1e-10", "1e-6", "0.01", "0.5"])
def test_epsilon_to_sigma_to_delta_and_back(epsilon: str, delta: str) -> None:
    budget = Budget.of(epsilon, delta)
    m = noise_multiplier(budget.exact_epsilon, budget.exact_delta)
    with mpmath.workdps(30):
        found = oracle(m, budget.exact_epsilon)
        assert found <= number(budget.exact_delta) * (1 + mpmath.mpf(10) ** -12)
        assert found >= number(budget.exact_delta) * (1 - mpmath.mpf(10) ** -5)


# σ/Δ solved for with the integral of the privacy loss at 40 digits, apart from the library.
TABLE: list[tuple[str, str, float]] = [
    ("0.1", "1e-6", 36.304690426195785),
    ("1", "1e-6", 4.2246788893268353),
    ("5", "1e-6", 0.98004900030920991),
    ("1", "1e-5", 3.7306316348159418),
    ("0.5", "0.1", 1.5562878953734973),
]


@pytest.mark.parametrize(("epsilon", "delta", "multiplier"), TABLE)
def test_known_values(epsilon: str, delta: str, multiplier: float) -> None:
    budget = Budget.of(epsilon, delta)
    found = float(noise_multiplier(budget.exact_epsilon, budget.exact_delta))
    assert multiplier * (1 - 1e-15) <= found <= multiplier * (1 + 2**-29)


@given(st.floats(1e-3, 1e3), st.floats(1e-3, 1e2))
@settings(max_examples=60)
def test_the_cost_is_enclosed(multiplier: float, epsilon: float) -> None:
    m, eps = Fraction(multiplier), Budget.of(epsilon).exact_epsilon
    with mpmath.workdps(80):
        text = mpmath.nstr(closed_form(m, eps), 60)
    with precision(300):
        ball = delta_ball(m, eps)
        assert abs(float(ball) - float(text)) <= 1e-14 + 1e-12 * abs(float(text))
        assert ball >= 0 or ball.contains(0)


@given(st.floats(1e-3, 20), st.floats(1e-9, 0.9), st.floats(1.001, 2))
@settings(max_examples=40, deadline=None)
def test_more_privacy_needs_more_noise(epsilon: float, delta: float, factor: float) -> None:
    here = Budget.of(epsilon, delta)
    m = noise_multiplier(here.exact_epsilon, here.exact_delta)
    more = Budget.of(repr(epsilon / factor), delta)
    assert noise_multiplier(more.exact_epsilon, more.exact_delta) > m
    stricter = Budget.of(epsilon, repr(delta / factor))
    assert noise_multiplier(stricter.exact_epsilon, stricter.exact_delta) > m


def test_it_beats_the_classical_calibration() -> None:
    m = noise_multiplier(Fraction(1, 2), Fraction(1, 10**6))
    classical = math.sqrt(2 * math.log(1.25e6)) / 0.5
    assert 0.5 * classical < m < classical


@given(st.floats(1e-100, 1e100))
def test_sigma_is_rounded_up_and_sets_the_grid(sensitivity: float) -> None:
    noise = MECHANISM.noise_for(sensitivity, 4, Budget.of(1, "1e-6"))
    exact = noise_multiplier(Fraction(1), Fraction(1, 10**6)) * Fraction(sensitivity)
    assert Fraction(noise.scale) >= exact > Fraction(math.nextafter(noise.scale, 0.0))
    grid = Fraction(2) ** noise.exponent
    assert grid <= Fraction(noise.scale) / 1024 < 2 * grid


def test_an_undecidable_cost_counts_as_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    eps, m = Fraction(1), Fraction(3)
    assert suffices(m, eps, Fraction(1, 100))
    monkeypatch.setattr("dpwerm.mechanisms.gaussian._FIRST_BITS", 2)
    monkeypatch.setattr("dpwerm.mechanisms.gaussian._LAST_BITS", 4)
    assert not suffices(m, eps, Fraction(1, 100))


def test_the_precision_is_as_before() -> None:
    before = ctx.prec
    noise_multiplier(Fraction(17, 13), Fraction(1, 7**9))
    assert ctx.prec == before


@pytest.mark.parametrize(
    ("budget", "text"),
    [(Budget.of(1), "delta above 0"), (Budget.of("inf"), "finite epsilon")],
)
def test_other_budgets_are_refused(budget: Budget, text: str) -> None:
    with pytest.raises(ParameterError, match=text):
        MECHANISM.noise_for(1.0, 2, budget)


def test_a_seed_gives_the_formula_rounded() -> None:
    noise = MECHANISM.noise_for(1.0, 3, Budget.of(1, "1e-6"))
    theta = [Fraction(k, 3) for k in range(3)]
    with mpmath.workdps(200):
        source = SeededBits(5)
        u = [mpmath.mpf(source.substream().bits(800)) / mpmath.mpf(2) ** 800 for _ in range(4)]
        radii = [mpmath.sqrt(-2 * mpmath.log(u[k])) for k in (0, 2)]
        z = [
            radii[0] * mpmath.cos(2 * mpmath.pi * u[1]),
            radii[0] * mpmath.sin(2 * mpmath.pi * u[1]),
            radii[1] * mpmath.cos(2 * mpmath.pi * u[3]),
        ]
        cell = mpmath.mpf(2) ** noise.exponent
        expected = tuple(
            int(mpmath.floor((mpmath.mpf(j) / 3 + mpmath.mpf(noise.scale) * x) / cell + 0.5))
            for j, x in enumerate(z)
        )
    assert MECHANISM.release(theta, noise, SeededBits(5)) == expected
