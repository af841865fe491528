from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.exact import precision
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sampling import LazyUniforms


def inside(ball: arb, value: Fraction) -> bool:
    with precision(4000):
        return bool(ball.contains(fmpq(value.numerator, value.denominator)))


@given(st.integers(0, 2**64), st.lists(st.integers(1, 600), min_size=1, max_size=5))
def test_more_bits_narrow_the_same_number(seed: int, widths: list[int]) -> None:
    truth = Fraction(SeededBits(seed).substream().bits(2000), 2**2000)
    uniforms = LazyUniforms(SeededBits(seed))
    known = 0
    with precision(700):
        for bits in widths:
            known = max(known, bits)
            ball = uniforms.ball(0, bits)
            assert inside(ball, truth)
            assert 2 * ball.rad() <= arb((1, -known)) * (1 + arb((1, -20)))


@pytest.mark.parametrize("bits", [1, 7, 64])
def test_the_enclosure_is_the_interval_its_bits_leave_open(bits: int) -> None:
    value = SeededBits(4).substream().bits(bits)
    with precision(bits + 32):
        ball = LazyUniforms(SeededBits(4)).ball(0, bits)
    assert inside(ball, Fraction(value, 2**bits))
    assert inside(ball, Fraction(value + 1, 2**bits))
    assert not inside(ball, Fraction(10 * value - 1, 10 * 2**bits))
    assert not inside(ball, Fraction(10 * value + 11, 10 * 2**bits))


def test_each_uniform_has_a_stream_of_its_own() -> None:
    ahead, behind = LazyUniforms(SeededBits(9)), LazyUniforms(SeededBits(9))
    ahead.ball(0, 5000)
    assert str(ahead.ball(1, 64)) == str(behind.ball(1, 64))
    assert [str(ball) for ball in ahead.balls(2, 3, 64)] == [
        str(behind.ball(index, 64)) for index in (2, 3, 4)
    ]


def test_a_low_working_precision_widens_and_is_never_wrong() -> None:
    truth = Fraction(SeededBits(2).substream().bits(2000), 2**2000)
    with precision(10):
        assert inside(LazyUniforms(SeededBits(2)).ball(0, 500), truth)
