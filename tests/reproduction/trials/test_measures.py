import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from dpwerm.arrays import FloatArray
from reproduction.trials.measures import (
    allocation,
    association_log10,
    concordance,
    empirical_value,
    empirical_values,
    influence,
    majority,
    standard_error,
)

ARMS = st.lists(st.sampled_from([-1.0, 1.0]), min_size=4, max_size=30).map(np.array)


def of_counts(both: int, first: int, second: int, neither: int) -> tuple[FloatArray, FloatArray]:
    counts = [both, first, second, neither]
    one = np.repeat([-1.0, -1.0, 1.0, 1.0], counts)
    other = np.repeat([-1.0, 1.0, -1.0, 1.0], counts)
    return one, other


def test_a_majority_begins_at_one_half() -> None:
    repeats = np.array([[1.0, 1.0, -1.0], [-1.0, 1.0, -1.0]])
    assert majority(repeats).tolist() == [1.0, 1.0, -1.0]
    assert majority(repeats[:1]).tolist() == repeats[0].tolist()


def test_an_allocation_counts_the_second_arm_first() -> None:
    assert allocation(np.array([1.0, 1.0, -1.0])) == (2, 1)


@given(ARMS)
def test_a_rule_agrees_with_itself(arms: FloatArray) -> None:
    assert concordance(arms, arms) == 1.0
    assert concordance(arms, -arms) == 0.0
    assert sum(allocation(arms)) == len(arms)


def test_association_is_the_corrected_test_by_hand() -> None:
    one, other = of_counts(10, 5, 4, 21)
    # n(|ad − bc| − n/2)² over the product of the margins.
    statistic = 40 * (abs(10 * 21 - 5 * 4) - 20) ** 2 / (15 * 25 * 14 * 26)
    found = association_log10(one, other)
    assert found == pytest.approx(np.log10(chi2.sf(statistic, 1)))
    assert found == association_log10(other, one)


def test_without_two_arms_there_is_no_test() -> None:
    varied = np.array([1.0, -1.0, 1.0])
    assert association_log10(np.ones(3), varied) is None
    assert association_log10(varied, -np.ones(3)) is None


def test_the_value_is_eqn_14() -> None:
    recommended = np.array([1.0, 1.0, -1.0, -1.0])
    received = np.array([1.0, -1.0, -1.0, 1.0])
    benefit = np.array([3.0, 100.0, 6.0, 100.0])
    propensity = np.array([2 / 3, 1 / 3, 1 / 3, 2 / 3])
    assert empirical_value(recommended, received, benefit, propensity) == pytest.approx(
        (3.0 * 1.5 + 6.0 * 3.0) / 4.5
    )
    assert math.isnan(empirical_value(-received, received, benefit, propensity))


@given(ARMS, st.floats(-5, 5), st.floats(0.1, 3))
def test_the_value_moves_with_the_benefit(arms: FloatArray, shift: float, scale: float) -> None:
    received = np.where(np.arange(len(arms)) % 2 == 0, arms, -arms)
    benefit = np.linspace(0.0, 1.0, len(arms))
    propensity = np.full(len(arms), 0.5)
    value = empirical_value(arms, received, benefit, propensity)
    moved = empirical_value(arms, received, scale * benefit + shift, propensity)
    assert moved == pytest.approx(scale * value + shift)


def test_the_error_of_one_arm_is_that_of_its_mean() -> None:
    rng = np.random.default_rng(0)
    received = rng.choice([-1.0, 1.0], 4000, p=[1 / 3, 2 / 3])
    benefit = rng.normal(2.0, 1.5, 4000)
    propensity = np.where(received > 0, 2 / 3, 1 / 3)
    psi = influence(np.ones(4000), received, benefit, propensity)
    treated = benefit[received > 0]
    assert abs(psi.mean()) < 1e-12
    assert standard_error(psi) == pytest.approx(treated.std() / math.sqrt(len(treated)), rel=1e-2)


def test_the_error_of_a_value_is_its_spread_over_trials() -> None:
    """1,000 simulated trials: the estimated error is the true spread, within its own error."""
    rng = np.random.default_rng(1)
    values, errors = [], []
    for _ in range(1000):
        x = rng.uniform(-1, 1, 200)
        received = rng.choice([-1.0, 1.0], 200, p=[1 / 3, 2 / 3])
        propensity = np.where(received > 0, 2 / 3, 1 / 3)
        benefit = 1.0 + received * x + rng.normal(size=200)
        rule = np.where(x > 0.2, 1.0, -1.0)
        facts = (rule, received, benefit, propensity)
        values.append(empirical_value(*facts))
        errors.append(standard_error(influence(*facts)))
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.08)


def test_a_tiny_p_keeps_its_logarithm() -> None:
    arms = np.where(np.arange(4000) % 2 == 0, 1.0, -1.0)
    found = association_log10(arms, arms)
    assert found is not None
    assert found < -800
    assert association_log10(arms, np.ones(4000)) is None


def test_values_of_many_rules_are_those_of_each() -> None:
    rng = np.random.default_rng(1)
    arms = np.where(rng.random((5, 40)) < 0.5, 1.0, -1.0)
    received = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    arms[0] = -received
    benefit, propensity = rng.random(40), np.full(40, 0.5)
    many = empirical_values(arms, received, benefit, propensity)
    each = [empirical_value(one, received, benefit, propensity) for one in arms]
    assert np.isnan(many[0])
    assert many[1:] == pytest.approx(each[1:])
