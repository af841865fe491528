"""The precision is put back, also after an exception and between threads."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from flint import ctx

from dpwerm.balls import precision


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
