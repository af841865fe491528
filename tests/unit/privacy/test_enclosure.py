from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.exact import round_down, round_up
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sampling import LazyUniforms, ball, gauss, nearby_vector, settled

DEEP = 3000


def normals(scale: Fraction, count: int) -> Any:
    def sample(uniforms: LazyUniforms, m: int) -> list[arb]:
        return [ball(scale) * z for z in gauss(uniforms.balls(0, count, m))]

    return sample


def reference(seed: int, scale: Fraction, count: int) -> list[Any]:
    """The same normal numbers from the first 3,000 bits of the same uniforms."""
    source = SeededBits(seed)
    u = [mpmath.mpf(source.substream().bits(DEEP)) / mpmath.mpf(2) ** DEEP for _ in range(count)]
    factor = mpmath.mpf(scale.numerator) / scale.denominator
    return [
        factor * mpmath.sqrt(-2 * mpmath.log(a)) * turn(2 * mpmath.pi * b)
        for a, b in zip(u[::2], u[1::2], strict=True)
        for turn in (mpmath.cos, mpmath.sin)
    ]


@given(st.fractions(min_value=Fraction(1, 10**30), max_value=10**30))
def test_a_settled_number_is_the_nearest_double_on_its_side(x: Fraction) -> None:
    up = settled(lambda: ball(x).log1p(), round_up)
    down = settled(lambda: ball(x).log1p(), round_down)
    with mpmath.workdps(120):
        exact = mpmath.log1p(mpmath.mpf(x.numerator) / x.denominator)
        assert mpmath.mpf(down) < exact < mpmath.mpf(up)
    assert up == np.nextafter(down, np.inf)


def test_a_number_next_to_a_double_needs_more_bits() -> None:
    # log(1 + x) = x − x²/2 + …: it differs from the double x in the hundredth digit only.
    x = Fraction(1, 2**400)
    assert settled(lambda: ball(x).log1p(), round_up) == float(x)
    assert settled(lambda: ball(x).log1p(), round_down) == np.nextafter(float(x), 0)


@given(
    seed=st.integers(0, 2**32),
    size=st.integers(-60, 60),
    relative=st.integers(1, 400),
    start=st.sampled_from([1, 8, 64]),
)
@settings(max_examples=60, deadline=None)
def test_the_doubles_add_up_to_within_the_error(
    seed: int, size: int, relative: int, start: int
) -> None:
    scale = Fraction(10) ** size
    error = scale / 2**relative
    parts = nearby_vector(normals(scale, 4), error, SeededBits(seed), start)
    with mpmath.workdps(900):
        ideal = reference(seed, scale, 4)
        sums = [mpmath.fsum(float(part[j]) for part in parts) for j in range(4)]
        miss = mpmath.norm([a - b for a, b in zip(sums, ideal, strict=True)])
        assert miss <= mpmath.mpf(error.numerator) / error.denominator


def test_one_array_is_enough_for_a_coarse_error_and_more_are_taken_for_a_fine_one() -> None:
    counts = [
        len(nearby_vector(normals(Fraction(1), 2), Fraction(1, 2**bits), SeededBits(1)))
        for bits in (40, 90, 140)
    ]
    assert counts == [1, 2, 3]


def test_the_same_vector_whatever_the_first_precision() -> None:
    error = Fraction(1, 2**200)
    sums = [
        [sum((Fraction(float(part[j])) for part in parts), Fraction(0)) for j in range(2)]
        for start in (1, 64, 500)
        for parts in [nearby_vector(normals(Fraction(1), 2), error, SeededBits(9), start)]
    ]
    for other in sums[1:]:
        distance = sum((a - b) ** 2 for a, b in zip(sums[0], other, strict=True))
        assert distance <= (2 * error) ** 2


@pytest.mark.parametrize("bits", [53, 200])
def test_the_precision_is_left_alone(bits: int) -> None:
    before = ctx.prec
    nearby_vector(normals(Fraction(1), 2), Fraction(1, 2**bits), SeededBits(0))
    assert ctx.prec == before
