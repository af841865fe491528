"""Each sampler encloses what the same formula gives at 100 digits in another library."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.exact import precision
from dpwerm.features.domain import CrossPolytope
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sampling import (
    LazyUniforms,
    even,
    gamma_radius,
    gauss,
    laplace,
    sphere_direction,
)

DEEP = 700


def reference_uniforms(seed: int, count: int) -> list[Any]:
    source = SeededBits(seed)
    return [mpmath.mpf(source.substream().bits(DEEP)) / mpmath.mpf(2) ** DEEP for _ in range(count)]


def reference_gauss(u: Sequence[Any]) -> list[Any]:
    pairs = zip(u[::2], u[1::2], strict=True)
    return [
        mpmath.sqrt(-2 * mpmath.log(a)) * turn(2 * mpmath.pi * b)
        for a, b in pairs
        for turn in (mpmath.cos, mpmath.sin)
    ]


def reference_direction(u: Sequence[Any]) -> list[Any]:
    normals = reference_gauss(u)
    norm = mpmath.sqrt(sum(z * z for z in normals))
    return [z / norm for z in normals]


def reference_cross_polytope(u: Sequence[Any]) -> list[Any]:
    """k of k + 1 exponentials over their sum, each with its sign, from the same 2k uniforms."""
    *pairs, last = u[:-1]
    numbers = [mpmath.log(a / b) for a, b in zip(pairs[::2], pairs[1::2], strict=True)]
    total = sum(map(abs, numbers)) - mpmath.log(last)
    return [x / total for x in numbers]


CASES: dict[str, tuple[Callable[[list[arb]], list[arb]], Callable[[list[Any]], list[Any]]]] = {
    "gamma": (
        lambda u: [gamma_radius(u)],
        lambda u: [-sum(mpmath.log(one) for one in u)],
    ),
    "gauss": (gauss, reference_gauss),
    "direction": (lambda u: sphere_direction(gauss(u)), reference_direction),
    "laplace": (
        laplace,
        lambda u: [mpmath.log(a) - mpmath.log(b) for a, b in zip(u[::2], u[1::2], strict=True)],
    ),
    "cross-polytope": (
        lambda u: CrossPolytope(max(1, len(u) // 2 - 1), 1.0).point(u[:-1]),
        reference_cross_polytope,
    ),
}


@pytest.fixture(autouse=True)
def digits() -> Iterator[None]:
    with mpmath.workdps(100):
        yield


@pytest.mark.parametrize("name", CASES)
@given(seed=st.integers(0, 2**32), half=st.integers(1, 20), bits=st.sampled_from([8, 64, 200]))
@settings(max_examples=40)
def test_the_enclosure_holds_the_reference(name: str, seed: int, half: int, bits: int) -> None:
    sampler, reference = CASES[name]
    with mpmath.workdps(100):
        expected = reference(reference_uniforms(seed, 2 * half))
        texts = [mpmath.nstr(value, 90) for value in expected]
    with precision(bits + 32):
        balls = sampler(LazyUniforms(SeededBits(seed)).balls(0, 2 * half, bits))
    assert len(balls) == len(texts)
    with precision(400):
        for ball, text in zip(balls, texts, strict=True):
            assert ball.is_nan() or ball.overlaps(arb(text))


@pytest.mark.parametrize("name", CASES)
def test_64_bits_leave_little_open(name: str) -> None:
    sampler, _ = CASES[name]
    with precision(96):
        balls = sampler(LazyUniforms(SeededBits(1)).balls(0, 10, 64))
        assert all(ball.rad() < 1e-14 for ball in balls)


def test_a_direction_has_length_one() -> None:
    with precision(96):
        direction = sphere_direction(gauss(LazyUniforms(SeededBits(1)).balls(0, 10, 64)))
        length = sum((s * s for s in direction), start=arb(0))
        assert length.contains(1)
        assert length.rad() < 1e-12


def test_normals_come_in_pairs() -> None:
    assert [even(count) for count in (1, 2, 3, 100)] == [2, 2, 4, 100]
    with pytest.raises(ValueError, match="zip"):
        gauss([arb(0.5)])
