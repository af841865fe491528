import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.mechanisms.selection.laws import best_of_repeats, largest_log_ratio, sharp_cost
from tests.unit.mechanisms.selection.strings import WrittenBits

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.mechanisms.selection.repeats import COST, GeometricRepeats, below
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import SeededBits

MEANS = st.sampled_from([2, 3, 10, 100, 10**6])
EPSILONS = st.floats(0.01, 4)


@st.composite
def private_pairs(draw: st.DrawFn) -> tuple[float, FloatArray, FloatArray]:
    """Draw ε and two laws within e^ε of each other.

    Every such pair is randomised response at ε, followed by some random map of its answer.
    """
    epsilon, size = draw(EPSILONS), draw(st.integers(1, 6))
    weights = st.lists(st.integers(0, 1000), min_size=size, max_size=size).filter(any)
    zero, one = (np.array(draw(weights), dtype=np.float64) for _ in range(2))
    zero, one = zero / zero.sum(), one / one.sum()
    truth = 1 / (1 + math.exp(-epsilon))
    return epsilon, truth * zero + (1 - truth) * one, (1 - truth) * zero + truth * one


def worst_pair(epsilon: float) -> tuple[FloatArray, FloatArray]:
    """Return the pair that comes nearest to the bound: a rare middle outcome, the rest above it."""
    truth, rare = 1 / (1 + math.exp(-epsilon)), 1e-12
    zero, one = np.array([1 - rare, rare, 0]), np.array([0, 0, 1.0])
    return truth * zero + (1 - truth) * one, (1 - truth) * zero + truth * one


@settings(deadline=None)
@given(private_pairs(), MEANS)
def test_the_best_of_repeated_runs_costs_at_most_three_runs(
    pair: tuple[float, FloatArray, FloatArray], mean: int
) -> None:
    epsilon, one, other = pair
    stop = float(GeometricRepeats(mean).stop)
    loss = largest_log_ratio(best_of_repeats(one, stop), best_of_repeats(other, stop))
    assert loss <= sharp_cost(epsilon, stop) + 1e-9
    assert sharp_cost(epsilon, stop) < COST * epsilon


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0])
def test_three_is_approached_so_half_of_it_would_be_wrong(epsilon: float) -> None:
    one, other = worst_pair(epsilon)
    assert largest_log_ratio(one, other) <= epsilon + 1e-9
    for mean, reached in [(2, 1.4), (10, 1.8), (100, 2.6), (10**6, 2.999)]:
        stop = float(GeometricRepeats(mean).stop)
        loss = largest_log_ratio(best_of_repeats(one, stop), best_of_repeats(other, stop))
        assert loss == pytest.approx(sharp_cost(epsilon, stop), rel=1e-4)
        assert reached * epsilon < loss < COST * epsilon


def test_runs_that_are_cut_off_cost_far_more() -> None:
    # At most ten runs of randomised response at ε = 0.5: its lower answer wins only if all give it.
    most, stop, epsilon = 10, 1e-6, 0.5
    k = np.arange(1, most + 1)
    chances = np.append(stop * (1 - stop) ** (k[:-1] - 1), (1 - stop) ** (most - 1))
    less, more = (1 / (1 + math.exp(sign * epsilon)) for sign in (1, -1))
    assert math.log((chances @ more**k) / (chances @ less**k)) > 9 * epsilon


@settings(deadline=None)
@given(private_pairs(), st.sampled_from([2, 5]))
def test_the_law_of_the_best_follows_from_that_of_one_run(
    pair: tuple[float, FloatArray, FloatArray], mean: int
) -> None:
    _, one, _ = pair
    upto = one.cumsum()
    before = upto - one
    stop, k = 1 / mean, np.arange(1, 400)
    chances = stop * (1 - stop) ** (k - 1)
    summed = [float(chances @ (high**k - low**k)) for high, low in zip(upto, before, strict=True)]
    np.testing.assert_allclose(best_of_repeats(one, stop), summed, atol=1e-9)


def test_runs_that_tie_keep_the_law_of_one_run_within_the_tie() -> None:
    # Outcomes 1 and 2 have the same score; the first of the best runs is taken.
    one, score = [0.2, 0.3, 0.1, 0.4], [0, 1, 1, 2]
    for k in (1, 2, 3, 4):
        found = [0.0] * 4
        for runs in product(range(4), repeat=k):
            best = max(runs, key=lambda run: score[run])
            found[best] += math.prod(one[run] for run in runs)
        tied = 0.6**k - 0.2**k
        expected = [0.2**k, tied * 0.75, tied * 0.25, 1 - 0.6**k]
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("mean", [2, 3, 10, 1000])
def test_a_seed_gives_the_number_of_uniforms_up_to_the_first_below_q(mean: int) -> None:
    for seed in range(20):
        stream = SeededBits(seed).substream()
        expected = 1
        # For these seeds 64 bits decide each comparison.
        while Fraction(stream.bits(64), 2**64) >= Fraction(1, mean):
            expected += 1
        assert GeometricRepeats(mean).draw(SeededBits(seed)) == expected


def test_a_uniform_that_begins_like_the_fraction_is_read_on() -> None:
    third = "01" * 100
    assert below(Fraction(1, 3), WrittenBits(third + "00"))
    assert not below(Fraction(1, 3), WrittenBits(third + "1"))
    # 1/2 is 0.1000…: whatever follows, a uniform that begins so is not below it.
    assert not below(Fraction(1, 2), WrittenBits("1"))
    assert below(Fraction(1, 2), WrittenBits("0" + "1" * 63))


@settings(deadline=None)
@given(st.fractions(0, 1, max_denominator=10**6), st.integers(0, 2**64 - 1))
def test_comparisons_are_exact(probability: Fraction, word: int) -> None:
    bits = WrittenBits(f"{word:064b}" + "1" * 64)
    assert below(probability, bits) == (Fraction(word, 2**64) < probability)


@settings(deadline=None)
@given(st.decimals("0.000004", "100000000", places=9), MEANS)
def test_the_part_of_a_run_is_the_largest_of_nine_digits(epsilon: Decimal, mean: int) -> None:
    repeats, whole = GeometricRepeats(mean), Budget.of(str(epsilon))
    part = repeats.one_run(whole)
    digits = part.epsilon.adjusted() - 8
    assert part.epsilon == part.epsilon.quantize(Decimal(1).scaleb(digits))
    assert 3 * part.exact_epsilon <= whole.exact_epsilon
    assert 3 * (part.exact_epsilon + Fraction(10) ** digits) > whole.exact_epsilon
    assert repeats.total(part).exact_epsilon == 3 * part.exact_epsilon


def test_without_privacy_nothing_is_promised() -> None:
    repeats, none = GeometricRepeats(5), Budget.of(math.inf)
    assert repeats.total(none) == repeats.one_run(none) == none


@pytest.mark.parametrize("mean", [True, 2.0, "3", None])
def test_a_mean_is_a_whole_number(mean: object) -> None:
    with pytest.raises(ParameterError, match="whole number"):
        GeometricRepeats(mean)  # type: ignore[arg-type]


@pytest.mark.parametrize("mean", [1, 0, -2, 10**6 + 1])
def test_a_mean_has_its_range(mean: int) -> None:
    with pytest.raises(ParameterError, match="between 2 and 1000000"):
        GeometricRepeats(mean)


def test_budgets_that_cannot_be_shared_are_refused() -> None:
    repeats = GeometricRepeats(2)
    with pytest.raises(ParameterError, match="raise epsilon"):
        repeats.one_run(Budget.of("0.000002"))
    with pytest.raises(ParameterError, match="delta = 0"):
        repeats.one_run(Budget.of(1, "1e-6"))
    with pytest.raises(ParameterError, match="delta = 0"):
        repeats.total(Budget.of(1, "1e-6"))
