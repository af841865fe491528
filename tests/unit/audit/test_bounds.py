import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy import stats
from tests.unit.audit.laws import randomised_response

from dpwerm.arrays import FloatArray
from dpwerm.audit.guesser import guesses, rate_below
from dpwerm.errors import ParameterError

RUNS = 60
CONFIDENCE = 0.9


def rate_above(hits: ArrayLike, runs: ArrayLike, error: float) -> FloatArray:
    """Return the Clopper–Pearson upper bound on a rate, wrong with probability ≤ ``error``."""
    k, n = np.asarray(hits, float), np.asarray(runs, float)
    return 1.0 - rate_below(n - k, n, error)


def two_rates(
    hits: tuple[ArrayLike, ArrayLike],
    runs: tuple[ArrayLike, ArrayLike],
    *,
    delta: float,
    confidence: float,
) -> FloatArray:
    r"""Return lower bounds on ε from one event on the two data sets; 0 where nothing is shown.

    .. math:: \max\left(\log\frac{p_1^{low} - \delta}{p_0^{up}},
              \log\frac{1 - p_0^{up} - \delta}{1 - p_1^{low}}\right)

    each rate at half of the error; the event and its complement share the two bounds.
    """
    error = (1.0 - confidence) / 2
    low = rate_below(hits[0], runs[0], error)
    high = rate_above(hits[1], runs[1], error)
    with np.errstate(divide="ignore", invalid="ignore"):
        event = np.log(np.maximum(low - delta, 0.0) / high)
        rest = np.log(np.maximum(1.0 - high - delta, 0.0) / (1.0 - low))
    return np.maximum(np.fmax(event, rest), 0.0)


def test_clopper_and_pearson_have_their_known_values() -> None:
    interval = stats.binomtest(7, 50).proportion_ci(0.95, method="exact")
    assert rate_below(7, 50, 0.025) == pytest.approx(interval.low, rel=1e-9)
    assert rate_above(7, 50, 0.025) == pytest.approx(interval.high, rel=1e-9)
    assert rate_below(0, 50, 0.025) == 0
    assert rate_above(50, 50, 0.025) == 1
    assert rate_below(50, 50, 0.025) == pytest.approx(0.025 ** (1 / 50))


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 2.5])
def test_guesses_on_randomised_response_are_wrong_no_more_often_than_stated(epsilon: float) -> None:
    # Every run is guessed and right with probability q: the whole law can be summed.
    right = np.arange(RUNS + 1)
    chance = stats.binom.pmf(right, RUNS, randomised_response(epsilon))
    bound = guesses(right, RUNS, runs=RUNS, confidence=CONFIDENCE)
    wrong = float(chance[bound > epsilon].sum())
    # The law is discrete: the error is used to within one step of it.
    assert 0.3 * (1 - CONFIDENCE) < wrong <= 1 - CONFIDENCE


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.02), (1.0, 0.05), (2.0, 0.3)])
def test_guesses_of_an_approximate_mechanism_are_wrong_no_more_often_than_stated(
    epsilon: float, delta: float, sides: int
) -> None:
    # With probability δ the data set is told, else randomised response answers or nothing comes.
    told = delta * sides / 2
    answers = (1 - told) * 0.5 * sides / 2
    right_chance = told + answers * randomised_response(epsilon)
    made_chance = told + answers
    worst = 0.0
    for made in range(RUNS + 1):
        right = np.arange(made + 1)
        law = stats.binom.pmf(right, made, right_chance / made_chance)
        bound = guesses(right, made, runs=RUNS, sides=sides, delta=delta, confidence=CONFIDENCE)
        worst += stats.binom.pmf(made, RUNS, made_chance) * law[bound > epsilon].sum()
    assert worst <= 1 - CONFIDENCE


@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0.0), (1.5, 0.0), (1.0, 0.1)])
def test_two_rates_are_wrong_no_more_often_than_stated(epsilon: float, delta: float) -> None:
    rates = (
        delta + (1 - delta) * randomised_response(epsilon),
        (1 - delta) * (1 - randomised_response(epsilon)),
    )
    first, second = np.meshgrid(np.arange(RUNS + 1), np.arange(RUNS + 1), indexing="ij")
    chance = stats.binom.pmf(first, RUNS, rates[0]) * stats.binom.pmf(second, RUNS, rates[1])
    bound = two_rates((first, second), (RUNS, RUNS), delta=delta, confidence=CONFIDENCE)
    assert float(chance[bound > epsilon].sum()) <= 1 - CONFIDENCE


@given(st.integers(20, 2000), st.floats(0.2, 3.0), st.sampled_from([0.9, 0.99, 0.999, 1 - 1e-8]))
def test_one_binomial_is_never_looser_than_two(runs: int, epsilon: float, sure: float) -> None:
    # The same runs of randomised response, as they come on average.
    q = randomised_response(epsilon)
    hits, false = round(runs * q), runs - round(runs * q)
    one = guesses(2 * hits, 2 * runs, runs=2 * runs, confidence=sure)
    two = two_rates((hits, false), (runs, runs), delta=0.0, confidence=sure)
    assert one >= two - 1e-9


@given(st.integers(0, 500), st.integers(0, 500), st.floats(0.0, 0.2))
def test_more_right_guesses_never_show_less_and_a_delta_never_more(
    right: int, wrong: int, delta: float
) -> None:
    def bound(right: int, delta: float) -> float:
        made = right + wrong
        return float(guesses(right, made, runs=1000, delta=delta, confidence=0.99))

    assert bound(right + 1, delta) >= bound(right, delta)
    assert bound(right, delta) <= bound(right, 0.0)


def test_many_runs_come_near_the_truth() -> None:
    q = randomised_response(1.0)
    found = guesses(round(1e6 * q), 1e6, runs=10**6, confidence=0.999)
    assert 0.98 < found < 1.0


def test_nothing_is_shown_by_nothing() -> None:
    assert guesses(0, 0, runs=10, confidence=0.9) == 0
    assert guesses(3, 3, runs=100, delta=0.5, confidence=0.9) == 0
    assert two_rates((0, 0), (10, 10), delta=0.0, confidence=0.9) == 0
    assert math.isfinite(two_rates((10, 0), (10, 10), delta=0.0, confidence=0.9))


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, math.nan])
def test_a_confidence_lies_between_none_and_all(confidence: float) -> None:
    with pytest.raises(ParameterError, match=r"^confidence must"):
        guesses(1, 1, runs=1, confidence=confidence)
