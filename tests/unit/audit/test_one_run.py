"""The bound from one run: tight where it can be, never above the truth too often."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.special import expit
from scipy.stats import binom

from dpwerm.audit.pipeline import MOST_EPSILON, chance, one_run_lower
from dpwerm.errors import ParameterError


def false_alarms(law: np.ndarray, epsilon: float, delta: float, confidence: float) -> float:
    """Return how often the bound exceeds ε if v right guesses have probability law[v]."""
    most = len(law) - 1
    return sum(
        float(law[v])
        for v in range(most + 1)
        if one_run_lower(v, most, confidence=confidence, delta=delta) > epsilon
    )


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("m", [5, 40, 300])
def test_randomised_response_is_covered_and_tight(epsilon: float, m: int) -> None:
    # Each canary answers by itself: V is Binomial(m, q), so coverage is a sum and not a simulation.
    right = np.arange(m + 1)
    law = binom.pmf(right, m, expit(epsilon))
    error = 0.05
    found = false_alarms(law, epsilon, 0.0, 1 - error)
    assert found <= error
    # One right guess fewer would already be too frequent: nothing is given away.
    first = next(
        (v for v in range(m + 1) if one_run_lower(v, m, confidence=1 - error) > epsilon), m + 1
    )
    assert binom.sf(first - 2, m, expit(epsilon)) >= error


def test_the_bound_is_rejected_for_an_epsilon_that_is_too_small() -> None:
    m, epsilon = 2_000, 2.0
    typical = round(m * float(expit(epsilon)))
    found = one_run_lower(typical, m, confidence=0.95)
    assert 0.9 * epsilon < found < epsilon
    # A claim of half of it would be broken, and so would nearly all of it.
    assert chance(typical, m, 0.5 * epsilon) < 1e-12


@pytest.mark.parametrize("delta", [1e-3, 0.01, 0.1])
@pytest.mark.parametrize("m", [1, 2, 10, 60])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.0])
def test_coins_that_leak_are_covered(epsilon: float, delta: float, m: int) -> None:
    q = float(expit(epsilon))
    right = np.arange(m + 1)
    each = binom.pmf(right, m, (1 - delta) * q + delta)
    together = (1 - delta) * binom.pmf(right, m, q)
    together[m] += delta
    for law in (each, together):
        tails = np.cumsum(law[::-1])[::-1]
        bounds = [chance(int(v), m, epsilon, delta=delta) for v in right]
        assert np.all(tails <= np.array(bounds) * (1 + 1e-12))
        assert false_alarms(law, epsilon, delta, 0.9) <= 0.1


def test_the_chance_is_the_one_of_the_formula() -> None:
    m, r, v, epsilon, delta = 30, 12, 9, 0.7, 0.01
    q = float(expit(epsilon))
    modes = [max(binom.pmf(j, k, q) for j in range(k + 1)) for k in range(r)]
    expected = binom.sf(v - 1, r, q) + m * delta * (1 - q) * np.mean(modes)
    assert chance(v, r, epsilon, canaries=m, delta=delta) == pytest.approx(expected, rel=1e-9)


def test_the_term_for_delta_is_attained_by_one_canary() -> None:
    epsilon, delta = 1.0, 0.05
    q = float(expit(epsilon))
    assert chance(1, 1, epsilon, delta=delta) == pytest.approx(q * (1 - delta) + delta)


def largest_chance(m: int, r: int, v: int, epsilon: float, delta: float) -> float:
    """Return the largest P(V ≥ v) of any (ε, δ)-private guesser of r among m coins.

    A linear programme in P(t | s) and in the excess e of P(t | s) over e^ε P(t | s').
    """
    coins = list(itertools.product((-1, 1), repeat=m))
    told = [t for t in itertools.product((-1, 0, 1), repeat=m) if np.count_nonzero(t) == r]
    near = [(i, i ^ (1 << bit)) for i in range(len(coins)) for bit in range(m)]
    states, answers = len(coins), len(told)
    law, size = states * answers, states * answers + len(near) * answers
    gain = np.zeros(size)
    for (i, s), (j, t) in itertools.product(enumerate(coins), enumerate(told)):
        hits = sum(a == b for a, b in zip(s, t, strict=True))
        gain[i * answers + j] = (hits >= v) / states
    rows, limits = [], []
    for k, (i, other) in enumerate(near):
        for j in range(answers):
            row = np.zeros(size)
            row[i * answers + j], row[other * answers + j] = 1.0, -np.exp(epsilon)
            row[law + k * answers + j] = -1.0
            rows.append(row)
            limits.append(0.0)
        total = np.zeros(size)
        total[law + k * answers : law + (k + 1) * answers] = 1.0
        rows.append(total)
        limits.append(delta)
    sums = np.zeros((states, size))
    for i in range(states):
        sums[i, i * answers : (i + 1) * answers] = 1.0
    found = linprog(-gain, rows, limits, sums, np.ones(states), method="highs")
    assert found.success
    return float(gain @ np.asarray(found.x, dtype=float))


@pytest.mark.parametrize(("m", "r"), [(1, 1), (2, 2), (2, 1), (3, 3), (3, 2)])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 0.0), (0.1, 0.2), (1.0, 0.05), (2.5, 0.01)])
def test_no_private_guesser_does_better(m: int, r: int, epsilon: float, delta: float) -> None:
    for v in range(1, r + 1):
        best = largest_chance(m, r, v, epsilon, delta)
        bound = chance(v, r, epsilon, canaries=m, delta=delta)
        assert best <= bound + 1e-9
        if delta == 0.0 or m == 1 or (v == r and epsilon == 1.0):
            assert best == pytest.approx(bound, abs=1e-9)


@given(
    m=st.integers(1, 200),
    data=st.data(),
    delta=st.sampled_from([0.0, 1e-6, 1e-3]),
    confidence=st.sampled_from([0.9, 0.999]),
)
def test_more_right_guesses_never_lower_the_bound(
    m: int, data: st.DataObject, delta: float, confidence: float
) -> None:
    v = data.draw(st.integers(0, m - 1))
    fewer = one_run_lower(v, m, confidence=confidence, delta=delta)
    more = one_run_lower(v + 1, m, confidence=confidence, delta=delta)
    assert 0.0 <= fewer <= more <= MOST_EPSILON
    assert one_run_lower(v, m, confidence=confidence, delta=0.0) >= fewer
    assert one_run_lower(v, m, confidence=0.5, delta=delta) >= fewer


def test_canaries_without_a_guess_cost_only_where_delta_is_not_zero() -> None:
    assert chance(40, 50, 1.0, canaries=500) == chance(40, 50, 1.0)
    assert chance(40, 50, 1.0, canaries=500, delta=1e-4) > chance(40, 50, 1.0, delta=1e-4)


def test_nothing_is_shown_by_no_guess_or_by_bad_ones() -> None:
    assert one_run_lower(0, 0, confidence=0.95) == 0.0
    assert one_run_lower(20, 40, confidence=0.95) == 0.0


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"right": 3, "guesses": 2}, "right"),
        ({"right": 1, "guesses": 2, "canaries": 1}, "canaries"),
        ({"right": 1, "guesses": 2, "delta": 1.0}, "delta"),
    ],
)
def test_impossible_counts_are_refused(arguments: dict[str, float], named: str) -> None:
    with pytest.raises(ParameterError, match=named):
        one_run_lower(**arguments, confidence=0.9)  # type: ignore[arg-type]


def test_an_impossible_confidence_is_refused() -> None:
    with pytest.raises(ParameterError, match="confidence"):
        one_run_lower(1, 1, confidence=1.0)
