from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.ledger.entry import CURRENCIES, Amounts, Total

FRACTIONS = st.integers(0, 10**9).map(lambda units: Fraction(units, 10**6))
AMOUNTS = st.builds(Amounts, FRACTIONS, FRACTIONS, FRACTIONS, FRACTIONS)


def test_each_currency_has_its_limit_and_mu_its_square() -> None:
    total = Total.of("0.3", "1e-6", "0.5", "0.2")
    expected = (Fraction(3, 10), Fraction(1, 10**6), Fraction(1, 2), Fraction(1, 25))
    assert total.limits.parts == expected
    assert str(total) == "epsilon = 0.3, delta = 0.000001, rho = 0.5, mu = 0.2"
    assert str(Total.of(mu=1)) == "mu = 1"


def test_what_a_release_costs_and_who_pays() -> None:
    both, rho_only = Total.of(rho=1, mu=1), Total.of(rho=1)
    assert both.amounts(Budget.of("0.1", "1e-9")).parts[:2] == (
        Fraction(1, 10),
        Fraction(1, 10**9),
    )
    assert both.amounts(Budget.zcdp("0.1")) == Amounts(rho=Fraction(1, 10))
    assert both.amounts(Budget.gdp("0.1")) == Amounts(mu_squared=Fraction(1, 100))
    assert rho_only.amounts(Budget.gdp("0.1")) == Amounts(rho=Fraction(1, 200))
    assert Total.of(mu=1).purse(Budget.zcdp("0.1")) == "rho"  # never paid as mu


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"delta": "1e-6"},
        {"rho": 1, "delta": "1e-6"},
        {"epsilon": -1},
        {"epsilon": "inf"},
        {"epsilon": "nan"},
        {"epsilon": 1, "delta": 1},
        {"rho": 1e13},
        {"mu": 1e-9},
        {"epsilon": "1." + "1" * 40},
        {"epsilon": True},
        {"epsilon": "one"},
    ],
)
def test_a_total_that_is_none_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        Total.of(**written)


def test_equal_totals_are_written_alike() -> None:
    assert Total.of("2.0").plain() == Total.of(2).plain()
    assert Total.of(2).plain() == {"epsilon": "2", "delta": "0", "rho": "0", "mu": "0"}
    small = Total.of(epsilon=1, delta="1e-30", mu="1e-8")
    assert Total.from_plain(small.plain()) == small
    assert "E" not in "".join(small.plain().values())


@pytest.mark.parametrize("plain", [None, {}, {"epsilon": "1"}, "epsilon = 1"])
def test_only_whole_totals_are_read_back(plain: object) -> None:
    with pytest.raises(ParameterError):
        Total.from_plain(plain)


@settings(max_examples=50)
@given(AMOUNTS, AMOUNTS)
def test_amounts_add_subtract_and_compare_by_currency(one: Amounts, other: Amounts) -> None:
    assert one + other == other + one
    assert (one + other) - other == one
    assert one.fits(one + other)
    assert one.fits(one.largest(other))
    assert one.fits(other) == all(a <= b for a, b in zip(one.parts, other.parts, strict=True))


@settings(max_examples=50)
@given(AMOUNTS)
def test_what_is_shown_is_rounded_to_the_safe_side(amounts: Amounts) -> None:
    low, high = amounts.decimals(up=False), amounts.decimals(up=True)
    for name, exact in zip(CURRENCIES, amounts.parts, strict=True):
        power = 2 if name == "mu" else 1
        assert Fraction(low[name]) ** power <= exact <= Fraction(high[name]) ** power
        assert high[name] - low[name] <= Decimal("1.1e-5") * high[name]


def test_an_exact_root_is_shown_exactly() -> None:
    found = Amounts(mu_squared=Fraction(9, 100)).decimals(up=True)
    assert found["mu"] == Decimal("0.3")
    assert str(Amounts(mu_squared=Fraction(2)).decimals(up=False)["mu"]) == "1.41421"
    assert str(Amounts(mu_squared=Fraction(2)).decimals(up=True)["mu"]) == "1.41422"


def test_what_is_missing_is_shown_below_zero() -> None:
    found = (Amounts() - Amounts(rho=Fraction(1, 2), mu_squared=Fraction(2))).decimals(up=False)
    assert (str(found["rho"]), str(found["mu"])) == ("-0.5", "-1.41422")
