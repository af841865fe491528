import threading
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.exact import precision
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sampling import LazyUniforms, ball, cell_of, laplace, release_on_grid

THIRD = Fraction(10, 3)
"""A scale that no binary number equals, as Δ/ε is for ε = 0.3."""


def two_laplace(uniforms: LazyUniforms, bits: int) -> list[arb]:
    return [ball(THIRD) * x for x in laplace(uniforms.balls(0, 4, bits))]


class Scripted:
    """Bits written down in advance, one string for each substream; a seed's bits afterwards."""

    secure = False
    receipt = None

    def __init__(self, strings: Sequence[str], seed: int = 0) -> None:
        self._strings = list(strings)
        self._seeded = SeededBits(seed)
        self._text = ""
        self.read = 0

    def bits(self, count: int) -> int:
        self.read += count
        head, self._text = self._text[:count], self._text[count:]
        rest = count - len(head)
        return (int(head, 2) if head else 0) << rest | self._seeded.bits(rest)

    def substream(self) -> "Scripted":
        child = Scripted([])
        child._seeded = self._seeded.substream()
        child._text = self._strings.pop(0) if self._strings else ""
        self.children = [*getattr(self, "children", []), child]
        return child


def reference(seed: int, center: Sequence[Fraction], exponent: int) -> tuple[int, ...]:
    """Return the rounding of the ideal number at 200 digits."""
    with mpmath.workdps(300):
        source = SeededBits(seed)
        u = [mpmath.mpf(source.substream().bits(900)) / mpmath.mpf(2) ** 900 for _ in range(4)]
        noise = [mpmath.mpf(10) / 3 * mpmath.log(u[i] / u[i + 1]) for i in (0, 2)]
        cell = mpmath.mpf(2) ** exponent
        return tuple(
            int(mpmath.floor((mpmath.mpf(c.numerator) / c.denominator + z) / cell + 0.5))
            for c, z in zip(center, noise, strict=True)
        )


fractions = st.builds(
    lambda k, e: Fraction(k) * Fraction(2) ** e, st.integers(-(2**80), 2**80), st.integers(-90, 20)
)


@given(
    st.integers(0, 2**32),
    fractions,
    fractions,
    st.integers(-300, 40),
    st.sampled_from([8, 64, 256]),
)
@settings(max_examples=200)
def test_the_result_is_the_rounding_of_the_ideal_number(
    seed: int, one: Fraction, other: Fraction, exponent: int, start: int
) -> None:
    # Grids down to 2^-300 of the scale force many rounds; above it all noise is in one cell.
    got = release_on_grid([one, other], two_laplace, exponent, SeededBits(seed), start)
    assert got == reference(seed, [one, other], exponent)


@given(st.integers(0, 2**32), st.integers(1, 300))
def test_the_result_does_not_depend_on_the_first_precision(seed: int, start: int) -> None:
    center = [Fraction(1, 3), Fraction(-7, 5)]
    usual = release_on_grid(center, two_laplace, -9, SeededBits(seed))
    assert release_on_grid(center, two_laplace, -9, SeededBits(seed), start) == usual


def test_a_source_goes_on_to_new_uniforms_in_the_next_release() -> None:
    center = [Fraction(0), Fraction(0)]
    source, early = SeededBits(5), SeededBits(5)
    first = release_on_grid(center, two_laplace, -9, source)
    assert release_on_grid(center, two_laplace, -9, early, 2) == first
    second = release_on_grid(center, two_laplace, -9, source)
    assert second != first
    assert release_on_grid(center, two_laplace, -9, early, 2) == second


def test_a_uniform_near_zero_is_extended_and_not_redrawn() -> None:
    # 200 zeros: -log U is at least 138, and unknown after 64 or 128 bits.
    source = Scripted(["0" * 200, "1" * 64], seed=3)
    result = release_on_grid([Fraction(0), Fraction(0)], two_laplace, -9, source)
    assert len(source.children) == 4
    assert [child.read for child in source.children] == [256] * 4
    assert result[0] / 2**9 == pytest.approx(-200 * 0.6931 * 10 / 3, abs=10)


def test_a_tie_is_decided_by_later_bits_of_the_same_uniform() -> None:
    # The noise is 2U - 1; U = 0.1000… leaves it at the edge of a cell until a 1 appears.
    def edge(uniforms: LazyUniforms, bits: int) -> list[arb]:
        return [2 * uniforms.ball(0, bits) - 1]

    half = Fraction(1, 2)
    above = Scripted(["1" + "0" * 500 + "1"])
    below = Scripted(["0" + "1" * 500 + "0"])
    assert release_on_grid([half], edge, 0, above) == (1,)
    assert release_on_grid([half], edge, 0, below) == (0,)
    assert above.children[0].read == below.children[0].read == 512


def test_every_coordinate_is_evaluated_anew_until_all_are_known() -> None:
    precisions: list[int] = []

    def watched(uniforms: LazyUniforms, bits: int) -> list[arb]:
        precisions.append(ctx.prec)
        return two_laplace(uniforms, bits)

    release_on_grid([Fraction(0), Fraction(0)], watched, -200, SeededBits(1))
    assert precisions == [96, 160, 288]


@given(fractions, st.integers(-100, 100))
def test_a_cell_and_the_place_in_it_are_exact(value: Fraction, exponent: int) -> None:
    whole, rest = cell_of(value, exponent)
    place = Fraction(int(rest.p), int(rest.q))
    assert 0 <= place < 1
    assert whole + place == value / Fraction(2) ** exponent + Fraction(1, 2)


def test_halves_are_rounded_up() -> None:
    assert [cell_of(Fraction(k, 2), 0)[0] for k in (-3, -1, 1, 3)] == [-1, 0, 1, 2]


def test_a_huge_center_costs_no_precision() -> None:
    reads: list[int] = []
    for center in (Fraction(0), Fraction(2) ** 3000 + Fraction(1, 3)):
        source = Scripted([], seed=2)
        release_on_grid([center] * 2, two_laplace, -9, source)
        reads.append(source.children[0].read)
    assert reads == [64, 64]


def test_the_precision_is_as_before() -> None:
    before = ctx.prec
    release_on_grid([Fraction(0)] * 2, two_laplace, -400, SeededBits(0))
    assert ctx.prec == before


def test_the_precision_is_as_before_after_an_exception() -> None:
    before = ctx.prec

    def broken(uniforms: LazyUniforms, bits: int) -> list[arb]:
        raise KeyError

    with pytest.raises(KeyError):
        release_on_grid([Fraction(0)], broken, 0, SeededBits(0))
    assert ctx.prec == before


def test_a_sampler_of_another_dimension_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        release_on_grid([Fraction(0)] * 3, two_laplace, -9, SeededBits(0))


def test_threads_do_not_disturb_each_other() -> None:
    before, center = ctx.prec, [Fraction(1, 3)] * 2
    expected = [release_on_grid(center, two_laplace, -150, SeededBits(s)) for s in range(40)]
    found: dict[int, Any] = {}

    def work(seeds: range) -> None:
        for seed in seeds:
            found[seed] = release_on_grid(center, two_laplace, -150, SeededBits(seed))

    threads = [threading.Thread(target=work, args=(range(k, 40, 4),)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[seed] for seed in range(40)] == expected
    assert ctx.prec == before


def test_a_fraction_is_enclosed_at_the_working_precision() -> None:
    for bits in (10, 100, 1000):
        with precision(bits):
            third = ball(Fraction(1, 3))
            assert (3 * third).contains(1)
            assert 0 < third.rad() < arb((1, -bits))
