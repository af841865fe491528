from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.perturbed import Shares
from dpwerm.privacy.budget import Budget


@given(st.integers(10**25, 10**30 - 1), st.integers(-29, -21))
def test_the_parts_are_exact_and_add_up(digits: int, exponent: int) -> None:
    shares = Shares.of("m", Budget.of(f"{digits}e{exponent}"))
    epsilon = Fraction(digits) * Fraction(10) ** exponent
    assert Fraction(shares.outside) * 100 == epsilon
    assert Fraction(shares.inside) + Fraction(shares.outside) == epsilon


def test_they_are_written_in_their_shortest_form() -> None:
    assert Shares.of("m", Budget.of(1)) == Shares(Decimal("0.99"), Decimal("0.01"))
    assert [str(part) for part in Shares.of("m", Budget.of(100))] == ["99", "1"]


@pytest.mark.parametrize("epsilon", ["inf", "0.00009999", "0.000001"])
def test_an_epsilon_without_a_hundredth_is_refused(epsilon: str) -> None:
    with pytest.raises(ParameterError, match=r"^mechanism m needs"):
        Shares.of("m", Budget.of(epsilon))
    assert Shares.of("m", Budget.of("0.0001")).outside == Decimal("0.000001")
