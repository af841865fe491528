"""Rounding goes the way that keeps a bound true, and no further."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.exact import decimal_of, floor_log2, round_down, round_up, sqrt_up

rationals = st.fractions(min_value=Fraction(1, 10**12), max_value=10**12)


@given(rationals)
def test_round_up_is_the_smallest_double_not_below(value: Fraction) -> None:
    up = round_up(value)
    assert Fraction(up) >= value
    assert Fraction(math.nextafter(up, -math.inf)) < value


@given(rationals)
def test_round_down_mirrors_round_up(value: Fraction) -> None:
    assert round_down(value) == -round_up(-value)
    assert Fraction(round_down(value)) <= value


@given(rationals)
def test_sqrt_up_is_the_smallest_double_whose_square_is_not_below(value: Fraction) -> None:
    root = sqrt_up(value)
    assert Fraction(root) ** 2 >= value
    assert Fraction(math.nextafter(root, 0.0)) ** 2 < value


def test_sqrt_up_of_a_square_is_exact() -> None:
    assert sqrt_up(Fraction(49)) == 7.0
    assert sqrt_up(Fraction(0)) == 0.0


@pytest.mark.parametrize("root", [1e-170, 1e-161, 1e160, 5e-324])
def test_sqrt_up_where_the_square_is_no_double(root: float) -> None:
    assert sqrt_up(Fraction(root) ** 2) == root


@given(rationals)
def test_floor_log2_brackets(value: Fraction) -> None:
    e = floor_log2(value)
    assert Fraction(2) ** e <= value < Fraction(2) ** (e + 1)


def test_floor_log2_at_powers_of_two() -> None:
    for e in (-70, -1, 0, 1, 53, 200):
        assert floor_log2(Fraction(2) ** e) == e


def test_a_written_tenth_is_one_tenth() -> None:
    assert decimal_of(0.1) == decimal_of("0.1") == Decimal("0.1")
