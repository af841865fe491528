import builtins
import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.privacy.ledger.books import admitted

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.ledger.account import Account
from dpwerm.privacy.ledger.entry import Total
from dpwerm.privacy.ledger.pld import composed, composed_epsilon

PHI = NormalDist().cdf


def gaussian_delta(mu: float, epsilon: float) -> float:
    return PHI(mu / 2 - epsilon / mu) - math.exp(epsilon) * PHI(-mu / 2 - epsilon / mu)


def randomised_responses(epsilon: float, times: int, delta: float) -> float:
    """Return the ε of k equal pure releases at δ, by summing over the binomial law of answers."""
    truth = 1 / (1 + math.exp(-epsilon))

    def excess(total: float) -> float:
        return sum(
            math.comb(times, k)
            * truth**k
            * (1 - truth) ** (times - k)
            * max(0.0, -math.expm1(total - (2 * k - times) * epsilon))
            for k in range(times + 1)
        )

    low, high = 0.0, times * epsilon
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) <= delta else (middle, high)
    return high


def found(costs: Sequence[AnyBudget], delta: float) -> float:
    epsilon = composed_epsilon(costs, delta)
    assert epsilon is not None
    return epsilon


@pytest.mark.parametrize("times", [1, 3, 10])
def test_without_delta_pure_releases_add_up(times: int) -> None:
    assert found([Budget.of("0.1")] * times, 0.0) == pytest.approx(times / 10, rel=1e-12)
    assert found([Budget.of("0.1")] * times, 0.0) >= times / 10


@pytest.mark.parametrize("delta", [1e-6, 1e-3])
def test_equal_pure_releases_against_their_binomial_law(delta: float) -> None:
    expected = randomised_responses(0.1, 60, delta)
    assert found([Budget.of("0.1")] * 60, delta) == pytest.approx(expected, rel=5e-3)
    assert expected < 6


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-3])
def test_gaussian_releases_compose_to_the_root_of_their_squares(delta: float) -> None:
    costs = [Budget.gdp("0.3"), Budget.gdp("0.4"), Budget.zcdp("0.375")]
    epsilon = found(costs, delta)
    assert gaussian_delta(1.0, epsilon) == pytest.approx(delta, rel=1e-2)


@settings(max_examples=15, deadline=None)
@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(0, 3)), min_size=1, max_size=5),
    st.sampled_from([1e-6, 1e-3]),
)
def test_it_is_never_above_the_plain_sum(pairs: list[tuple[int, int]], delta: float) -> None:
    costs = [Budget.of(f"{tenths / 10:g}", f"{units}e-8") for tenths, units in pairs]
    assert found(costs, delta) <= math.fsum(float(cost.epsilon) for cost in costs) * (1 + 1e-12)


def test_loud_releases_are_added_plainly() -> None:
    quiet = found([Budget.gdp(1)], 1e-6)
    assert found([Budget.gdp(1), Budget.of(10**6)], 1e-6) == pytest.approx(10**6 + quiet)
    assert found([Budget.gdp(100), Budget.gdp(100)], 1e-6) == math.inf
    assert found([Budget.gdp(1)], 0.0) == math.inf
    assert found([Budget.of(1, "1e-6"), Budget.gdp(1)], 1e-6) == math.inf
    assert found([Budget.of(1, "1e-6")], 1e-6) == 1
    assert found([Budget.of(200, "1e-6")], 1e-7) == math.inf
    assert found([], 1e-6) == 0


def test_of_an_account_the_fullest_partition_counts() -> None:
    tenth = Budget.of("0.1")
    partitions = ("a", "b")
    account = admitted(Total.of(9), [(None, tenth), ("a", tenth), ("b", Budget.of(2))], partitions)
    shown = composed(account)
    assert shown is not None
    assert (shown.partition, shown.delta) == ("b", 0.0)
    assert shown.epsilon == pytest.approx(2.1)
    everybody = composed(admitted(Total.of(9), [(None, tenth)] * 2))
    assert everybody is not None
    assert everybody.partition is None
    assert everybody.epsilon == pytest.approx(0.2)


def test_a_part_in_rho_is_shown_at_a_delta_of_its_own() -> None:
    account = admitted(Total.of(1, "1e-6", rho=1), [(None, Budget.zcdp("0.125"))])
    shown = composed(account)
    assert shown is not None
    assert shown.delta == pytest.approx(2e-6)
    assert gaussian_delta(0.5, shown.epsilon) == pytest.approx(2e-6, rel=1e-2)
    with pytest.raises(ParameterError, match="delta"):
        composed(account, 1.0)


def test_an_empty_account_costs_nothing() -> None:
    shown = composed(Account("trial", "replace_one", Total.of(1, "1e-6")))
    assert shown is not None
    assert shown.epsilon == 0


def test_without_the_extra_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("dp_accounting"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    assert composed_epsilon([Budget.gdp(1)], 1e-6) is None
    assert composed(admitted(Total.of(rho=1), [(None, Budget.zcdp("0.1"))])) is None
