"""Sums that hold for budgets chosen after seeing releases, and one that does not."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from dpwerm.arrays import FloatArray
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger.entry import Total

Z = np.linspace(-12.0, 12.0, 100_001)
WEIGHTS = np.exp(-(Z**2) / 2) / math.sqrt(2 * math.pi) * (Z[1] - Z[0])


def gaussian_delta(mu: float, epsilon: FloatArray | float) -> FloatArray:
    """Return δ(ε) of N(0, 1) against N(μ, 1)."""
    middle = np.asarray(epsilon) / mu
    return np.asarray(ndtr(mu / 2 - middle) - np.exp(epsilon + log_ndtr(-mu / 2 - middle)))


def gaussian_epsilon(mu: float, delta: float) -> float:
    return float(brentq(lambda epsilon: float(gaussian_delta(mu, epsilon)) - delta, 0.0, 300.0))


def gaussian_mu(epsilon: float, delta: float) -> float:
    return float(brentq(lambda mu: float(gaussian_delta(mu, epsilon)) - delta, 1e-3, 50.0))


def response_delta(spent: float, epsilon: FloatArray) -> FloatArray:
    """Return δ(ε) of a randomised response that costs ``spent``, for any sign of ε."""
    truth = 1 / (1 + math.exp(-spent))
    told = truth * np.maximum(0.0, -np.expm1(epsilon - spent))
    return told + (1 - truth) * np.maximum(0.0, -np.expm1(epsilon + spent))


def two_steps(first: float, then: list[Callable[[FloatArray], FloatArray]], at: float) -> float:
    """Return δ(at) of N(0, 1) against N(first, 1), followed by what tells most after that loss."""
    loss = first**2 / 2 + first * Z
    return float(WEIGHTS @ np.max([step(at - loss) for step in then], axis=0))


@pytest.mark.parametrize(
    ("epsilon", "delta", "first", "times"),
    [(2.0, 1e-6, 0.02, 1.87), (4.0, 1e-6, 0.02, 1.98), (1.0, 1e-2, 0.1, 1.42)],
)
def test_one_formula_over_mixed_currencies_is_no_filter(
    epsilon: float, delta: float, first: float, times: float
) -> None:
    """Admitting while E + ε_G(M; δ) ≤ ε lets δ be exceeded: after a large loss take pure ε."""
    rest = math.sqrt(gaussian_mu(epsilon, delta) ** 2 - first**2)
    pure = epsilon - gaussian_epsilon(first, delta)
    more_noise, response = (
        lambda left: gaussian_delta(rest, left),
        lambda left: response_delta(pure, left),
    )
    assert two_steps(first, [more_noise], epsilon) == pytest.approx(delta, rel=1e-6)
    assert two_steps(first, [response], epsilon) < delta
    adaptive = two_steps(first, [more_noise, response], epsilon)
    assert adaptive == pytest.approx(times * delta, rel=1e-2)


@pytest.mark.parametrize("first", [0.05, 0.3, 0.8, 1.0])
@pytest.mark.parametrize("pure", [0.1, 1.0, 3.0])
def test_purses_hold_against_the_same_attack(first: float, pure: float) -> None:
    """With fixed purses ε and μ = 1 the analyst gains nothing by waiting for the first loss."""
    rest = math.sqrt(1.0 - first**2)
    for above in (0.0, 0.5, 2.0):
        then = [lambda left: response_delta(pure, left)]
        if rest:
            then.append(lambda left: gaussian_delta(rest, left))
            then.append(lambda left: _response_and_noise(pure, rest, left))
        found = two_steps(first, then, pure + above)
        assert found <= float(gaussian_delta(1.0, above)) * (1 + 1e-6)


def _response_and_noise(pure: float, mu: float, epsilon: FloatArray) -> FloatArray:
    truth = 1 / (1 + math.exp(-pure))
    told = truth * gaussian_delta(mu, epsilon - pure)
    return told + (1 - truth) * gaussian_delta(mu, epsilon + pure)


@settings(max_examples=50)
@given(st.lists(st.integers(1, 20), min_size=1, max_size=6))
def test_the_sum_of_epsilon_is_attained(tenths: list[int]) -> None:
    """Randomised responses reach e^Σε exactly, so half the sum would be caught."""
    total = Total.of("12")
    costs = [Budget.of(f"{one / 10:g}") for one in tenths]
    told = [1 / (1 + math.exp(-float(cost.epsilon))) for cost in costs]
    worst = math.log(math.prod(one / (1 - one) for one in told))
    assert worst == pytest.approx(float(sum(total.amounts(cost).epsilon for cost in costs)))


def test_the_sum_of_delta_is_attained_to_first_order() -> None:
    """Releases that say everything with probability δ do so at least once with almost Σδ."""
    shares = [Fraction(1, 10**6), Fraction(3, 10**6)]
    once = 1 - math.prod(1 - share for share in shares)
    assert Fraction(999_999, 10**6) * sum(shares) < once <= sum(shares)


@pytest.mark.parametrize("alpha", [1.5, 2.0, 10.0])
def test_the_sum_of_rho_is_attained(alpha: float) -> None:
    """Rényi's divergence of Gaussian noise is αρ, and adds up over independent releases."""
    mus = (0.3, 0.4)
    divergences = []
    for mu in mus:
        ratio = np.exp((alpha - 1) * (mu**2 / 2 + mu * Z))
        divergences.append(math.log(WEIGHTS @ ratio) / (alpha - 1))
    paid = sum(Total.of(rho=1).amounts(Budget.gdp(str(mu))).rho for mu in mus)
    assert sum(divergences) == pytest.approx(alpha * float(paid))


def test_squares_of_mu_add_up_when_the_second_is_chosen_after_the_first() -> None:
    """Σμx is N(0, Σμ²) if Σμ² is fixed, however each μ depends on what came before.

    The second step has μ = √3/2 after a first answer above 0, and is two steps of √(3/8) after one
    below it. The characteristic function of the whole is that of μ = 1.
    """
    first = 0.5
    for t in (0.5, 1.0, 3.0):
        wave = np.exp(1j * t * first * Z)
        one = math.exp(-(t**2) * 0.75 / 2)
        two = math.exp(-(t**2) * 0.375 / 2) ** 2
        whole = WEIGHTS @ (wave * np.where(Z > 0, one, two))
        assert whole == pytest.approx(math.exp(-(t**2) / 2), abs=1e-9)


def test_rho_cannot_be_paid_as_mu() -> None:
    """A randomised response of ε = 1 is ½-zCDP, but tells more apart than 1-GDP allows."""
    truth = 1 / (1 + math.exp(-1.0))
    for alpha in (1.01, 1.5, 2.0, 5.0, 50.0):
        power = truth**alpha * (1 - truth) ** (1 - alpha) + (1 - truth) ** alpha * truth ** (
            1 - alpha
        )
        assert math.log(power) / (alpha - 1) <= alpha / 2
    apart = 2 * truth - 1
    allowed = 2 * float(ndtr(0.5)) - 1
    assert apart > 1.2 * allowed


def test_partitions_do_not_add_up_because_nobody_is_in_two() -> None:
    """Neighbours differ in one partition: the laws of what the others released are the same."""
    epsilon = {"north": 1.0, "south": 0.7}
    told = {partition: 1 / (1 + math.exp(-one)) for partition, one in epsilon.items()}

    def law(bits: dict[str, int], said: tuple[int, ...]) -> float:
        answers = zip(told, said, strict=True)
        return math.prod(
            told[partition] if bits[partition] == answer else 1 - told[partition]
            for partition, answer in answers
        )

    for changed in epsilon:
        worst = max(
            math.log(
                law({"north": 0, "south": 0}, said)
                / law({"north": 0, "south": 0} | {changed: 1}, said)
            )
            for said in itertools.product((0, 1), repeat=2)
        )
        assert worst == pytest.approx(epsilon[changed])
