from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget, parted, total


def test_a_budget_is_the_decimal_a_person_wrote() -> None:
    budget = Budget.of(0.1, "1e-6")
    assert budget.exact_epsilon == Fraction(1, 10)
    assert budget.exact_delta == Fraction(1, 10**6)
    assert budget.is_private


@pytest.mark.parametrize("one", [1, 1.0, "1", "1.000", Decimal("1.0"), np.float64(1), np.int64(1)])
def test_equal_budgets_print_alike(one: float | str | Decimal) -> None:
    assert Budget.of(one) == Budget.of(1)
    assert repr(Budget.of(one)) == repr(Budget.of(1))


def test_round_numbers_keep_no_exponent() -> None:
    assert str(Budget.of(1e9).epsilon) == "1000000000"
    assert str(Budget.of(10).epsilon) == "10"


@pytest.mark.parametrize("infinite", [float("inf"), "inf", "Infinity", Decimal("Infinity")])
def test_an_infinite_epsilon_is_not_private(infinite: float | str | Decimal) -> None:
    budget = Budget.of(infinite)
    assert not budget.is_private
    assert budget.epsilon == Decimal("Infinity")
    with pytest.raises(ParameterError, match="infinite"):
        _ = budget.exact_epsilon


BAD_EPSILON = [0, -1, 0.0, -0.0, float("nan"), "nan", "sNaN", "-inf", float("-inf"), "text", ""]
BAD_EPSILON += ["1e-7", "1.1e9", "1e999999999", "1e-999999999", "1/2", "0,5", True, False, None]
BAD_EPSILON += ["0." + "1" * 31, "1" + "0" * 90, [1], 1j, np.True_, Fraction(1, 3), b"1"]


@pytest.mark.parametrize("value", BAD_EPSILON)
def test_other_epsilons_are_refused_by_name(value: float) -> None:
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        Budget.of(value)


def test_an_integer_too_long_to_print_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match=r"^epsilon must be"):
        Budget.of(10**5000)


BAD_DELTA = [1, 1.0, 1.5, -1e-9, float("nan"), float("inf"), "1e-31", "1e-999999", "x", True, None]
BAD_DELTA += ["0.9" + "1" * 30]


@pytest.mark.parametrize("value", BAD_DELTA)
def test_other_deltas_are_refused_by_name(value: float) -> None:
    with pytest.raises(ParameterError, match=r"^delta must be"):
        Budget.of(1, value)


def test_the_constructor_checks_too() -> None:
    with pytest.raises(ParameterError):
        Budget(Decimal(0))
    with pytest.raises(ParameterError):
        Budget(Decimal(1), Decimal(1))


def test_the_ends_of_the_range_are_allowed() -> None:
    assert Budget.of("1e-6").exact_epsilon == Fraction(1, 10**6)
    assert Budget.of("1e9", "1e-30").exact_delta == Fraction(1, 10**30)
    assert Budget.of("0." + "1" * 30).exact_epsilon == Fraction(int("1" * 30), 10**30)


@given(st.floats(1e-6, 1e9))
def test_a_float_keeps_its_printed_value(epsilon: float) -> None:
    assert float(Budget.of(epsilon).epsilon) == epsilon
    assert Budget.of(str(epsilon)) == Budget.of(epsilon)


DECIMALS = st.decimals("0.000001", "1000", places=12)


@given(DECIMALS, DECIMALS)
def test_a_total_is_the_exact_sum(first: Decimal, second: Decimal) -> None:
    found = total(Budget(first, Decimal("1e-30")), Budget(second, Decimal("1e-6")))
    assert isinstance(found, Budget)
    assert found.exact_epsilon == Fraction(first) + Fraction(second)
    assert found.exact_delta == Fraction(1, 10**30) + Fraction(1, 10**6)


def test_a_total_with_no_promise_is_no_promise() -> None:
    for pair in ((Budget.of(1), Budget.of("inf")), (Budget.of("inf"), Budget.of(1, "1e-6"))):
        assert total(*pair) == Budget.of("inf")


def test_totals_that_cannot_be_said_are_refused() -> None:
    with pytest.raises(ParameterError, match="only budgets in epsilon and delta can be added"):
        total(Budget.of(1), Budget.zcdp("0.1"))
    with pytest.raises(ParameterError, match="epsilon must be"):
        total(Budget.of("1e9"), Budget.of("1e9"))
    with pytest.raises(ParameterError, match="delta must be"):
        total(Budget.of(1, "0.5"), Budget.of(1, "0.5"))


def test_two_parts_cost_the_budget_together_exactly() -> None:
    whole = Budget.of("0.7", "1e-6")
    first, second = parted(whole, Decimal("0.3"), "tuning")
    assert (str(first), str(second)) == ("epsilon = 0.21", "epsilon = 0.49, delta = 0.000001")
    assert total(first, second) == whole
    odd, rest = parted(Budget.of("1"), Decimal(1) / 3, "tuning")
    assert odd.epsilon == Decimal("0.333333333")
    assert total(odd, rest) == Budget.of("1")
    nothing, still = parted(Budget.of("inf"), Decimal("0.3"), "tuning")
    assert not nothing.is_private
    assert not still.is_private
    with pytest.raises(ParameterError, match="for tuning or the rule"):
        parted(Budget.of("0.000001"), Decimal("0.3"), "tuning")
