"""The precision is put back, also after an exception and between threads."""

from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from flint import arb, ctx

from dpwerm.exact import fraction_of, precision


def test_the_precision_is_put_back() -> None:
    before = ctx.prec
    with precision(200):
        assert ctx.prec == 200
        with precision(300):
            assert ctx.prec == 300
        assert ctx.prec == 200
    assert ctx.prec == before


def test_also_after_an_exception() -> None:
    before = ctx.prec
    with pytest.raises(ZeroDivisionError), precision(200):
        raise ZeroDivisionError
    assert ctx.prec == before


def test_also_between_threads() -> None:
    before = ctx.prec

    def work(bits: int) -> bool:
        with precision(bits):
            return all(ctx.prec == bits for _ in range(1000))

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(100, 140)))
    assert ctx.prec == before


def test_an_exact_ball_is_a_fraction() -> None:
    with precision(100):
        assert fraction_of(arb(0.1)) == Fraction(0.1)
        assert fraction_of(arb(0)) == 0
        third = arb(1) / 3
        assert fraction_of(third.lower()) <= Fraction(1, 3) <= fraction_of(third.upper())
