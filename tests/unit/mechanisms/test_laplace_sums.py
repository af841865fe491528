import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.laplace_sums import UNIT, LaplaceSums, exact_sums, whole_shares
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import SeededBits

REPLACE, ADD = Relation.REPLACE_ONE, Relation.ADD_REMOVE


def flat(cells: list[int], shares: list[list[int]], count: int) -> list[int]:
    sums = exact_sums(np.array(cells, dtype=np.int64), np.array(shares, dtype=np.int64), count)
    return [one for cell in sums for one in cell]


def distance(one: list[int], other: list[int]) -> Fraction:
    return Fraction(sum(abs(a - b) for a, b in zip(one, other, strict=True)), UNIT)


@st.composite
def rows(draw: st.DrawFn) -> tuple[int, list[int]]:
    first = draw(st.integers(0, UNIT))
    second = draw(st.integers(0, UNIT - first))
    return draw(st.integers(-1, 2)), [first, second]


@given(st.lists(rows(), min_size=1, max_size=6), rows())
def test_one_person_moves_all_sums_together_by_at_most_the_sensitivity(
    data: list[tuple[int, list[int]]], other: tuple[int, list[int]]
) -> None:
    def sums(people: list[tuple[int, list[int]]]) -> list[int]:
        if not people:
            return [0] * 6
        return flat([cell for cell, _ in people], [shares for _, shares in people], 3)

    noise = {relation: LaplaceSums(6, relation, Budget.of(1)) for relation in Relation}
    assert distance(sums(data), sums([*data[:-1], other])) <= noise[REPLACE].sensitivity
    assert distance(sums(data), sums(data[:-1])) <= noise[ADD].sensitivity


@pytest.mark.parametrize(("relation", "other"), [(REPLACE, [1]), (ADD, [-1])])
def test_the_sensitivity_is_attained_so_half_of_it_would_be_wrong(
    relation: Relation, other: list[int]
) -> None:
    before = flat([0, 0], [[UNIT, 0], [0, UNIT]], 2)
    after = flat([0, *other], [[UNIT, 0], [0, UNIT]], 2)
    noise = LaplaceSums(4, relation, Budget.of("0.5"))
    assert distance(before, after) == noise.sensitivity
    # The log-density ratio of the two noisy releases is ‖S − S'‖₁/scale at its worst: exactly ε.
    assert distance(before, after) / noise.exact_scale == Fraction(1, 2)


@given(st.decimals("0.000001", "1000000000", places=6))
def test_scale_and_grid_follow_from_exact_fractions(epsilon: object) -> None:
    budget = Budget.of(str(epsilon))
    noise = LaplaceSums(3, REPLACE, budget)
    assert noise.exact_scale == 2 / budget.exact_epsilon
    assert Fraction(noise.scale) >= noise.exact_scale
    assert Fraction(math.nextafter(noise.scale, 0.0)) < noise.exact_scale
    grid = Fraction(2) ** noise.exponent
    assert grid <= noise.exact_scale / 1024 < 2 * grid


def test_sums_are_exact_where_doubles_are_not() -> None:
    n, share = 3_000_000, UNIT // 3
    cells = np.zeros(n, dtype=np.int64)
    cells[0] = 1
    sums = exact_sums(cells, np.full((n, 2), share, dtype=np.int64), 2)
    assert sums == [[(n - 1) * share] * 2, [share] * 2]


@pytest.mark.parametrize("shares", [[-1, 0], [UNIT + 1, 0], [UNIT, 1], [2**62, 2**62]])
def test_rows_that_are_too_heavy_are_refused(shares: list[int]) -> None:
    with pytest.raises(ParameterError, match="at most 1"):
        flat([0], [shares], 1)


@given(st.floats(0, 1), st.integers(0, UNIT))
def test_whole_shares_never_exceed_what_is_left(share: float, most: int) -> None:
    (found,) = whole_shares(np.array([share]), np.array([most])).tolist()
    assert 0 <= found <= min(most, Fraction(share) * UNIT)
    assert found == most or Fraction(share) * UNIT < found + 1


def test_a_seed_gives_the_formula_rounded() -> None:
    noise = LaplaceSums(3, ADD, Budget.of("0.7"))
    sums = [0, UNIT // 3, 5 * UNIT + 1]
    with mpmath.workdps(200):
        source = SeededBits(5)
        u = [mpmath.mpf(source.substream().bits(800)) / mpmath.mpf(2) ** 800 for _ in range(6)]
        cell = mpmath.mpf(2) ** noise.exponent
        scale = mpmath.mpf(10) / 7
        z = [scale * mpmath.log(u[2 * j] / u[2 * j + 1]) for j in range(3)]
        expected = tuple(
            int(mpmath.floor((mpmath.mpf(sums[j]) / UNIT + z[j]) / cell + 0.5)) for j in range(3)
        )
    assert noise.release(sums, SeededBits(5)) == expected


def test_without_noise_the_sums_are_as_they_are() -> None:
    noise = LaplaceSums(2, REPLACE, Budget.of("inf"))
    assert (noise.scale, noise.exponent) == (0.0, -32)
    assert noise.release([7, UNIT], SeededBits(0)) == (7, UNIT)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(ParameterError, match="delta = 0"):
        LaplaceSums(1, REPLACE, Budget.of(1, "1e-6"))
    with pytest.raises(ParameterError, match="dimension"):
        LaplaceSums(0, REPLACE, Budget.of(1))
    with pytest.raises(ParameterError, match="2 sums, not 1"):
        LaplaceSums(2, REPLACE, Budget.of(1)).release([1], SeededBits(0))
