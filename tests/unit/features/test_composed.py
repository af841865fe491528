"""Products and hulls: norm and radius by rule, containment for doubles, points that fill them."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.unit.features.domains import exact_points, of_blocks

from dpwerm.arrays import FloatArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.exact import sqrt_up
from dpwerm.features.composed import Hull, Product
from dpwerm.features.domain import CrossPolytope, Domain, Face, Interval

ARM = of_blocks(((1, 0.5), (1, 1.0)))
ARMS = Hull((ARM, ARM))
"""A row x in the columns of the arm received."""

UNEVEN = Hull((Interval(2.0), CrossPolytope(2, 0.5)))
SHARED = Product((Hull((Interval(1.0), Interval(0.5))), Interval(1.5)))
"""Columns of the arm received, and a column that both arms share."""

DEEP = Hull((Product((Hull((Interval(1.0), Interval(2.0))), Interval(0.5))), Interval(1.0)))
COMPOSED: list[Domain] = [ARM, ARMS, UNEVEN, SHARED, DEEP]
every = pytest.mark.parametrize("domain", COMPOSED, ids=["arm", "arms", "uneven", "shared", "deep"])
ALPHA = 1e-4


def simulated(domain: Domain, count: int = 40_000) -> FloatArray:
    p = domain.dimension
    return domain.simulated(Draws.of((count,), p, np.random.default_rng(2)), slice(0, p))


def test_a_product_adds_squares_and_a_hull_takes_the_largest() -> None:
    assert ARM.radius_squared == Fraction(5, 4)
    assert ARMS.radius_squared == Fraction(5, 4)
    assert Product((ARM, ARM)).radius_squared == Fraction(5, 2)
    assert (UNEVEN.radius, UNEVEN.dimension) == (2.0, 3)
    assert SHARED.radius == sqrt_up(Fraction(13, 4))
    assert ARMS.column_bounds.tolist() == [0.5, 1.0, 0.5, 1.0]


def test_a_product_has_the_largest_norm_and_a_hull_the_sum() -> None:
    point = np.array([0.25, -0.25, 0.5, 1.0])
    assert Product((ARM, ARM)).gauge(point) == 1.0
    assert ARMS.gauge(point) == 1.5


@every
def test_every_allowed_row_has_norm_one_at_most_and_the_longest_has_the_radius(
    domain: Domain,
) -> None:
    row = domain.longest
    assert domain.gauge(row) == 1.0
    assert domain.contains(row[None])
    assert not domain.contains((1 + 1e-15) * row[None])
    assert math.isclose(np.linalg.norm(row), domain.radius, rel_tol=1e-15)
    points = simulated(domain)
    assert domain.contains(points * (1 - 1e-12))
    assert np.linalg.norm(points, axis=1).max() <= domain.radius
    outside = points[0] * (1.001 / domain.gauge(points[0]))
    assert not domain.contains(np.stack([0 * outside, outside]))
    assert domain.contains(domain.pulled(outside)[None])
    np.testing.assert_array_equal(domain.pulled(row), row)
    assert not domain.contains(np.full((1, domain.dimension), np.nan))


def test_rows_of_two_parts_are_in_the_hull_only_if_they_share_its_size() -> None:
    assert ARMS.contains(np.array([[0.5, 1.0, 0, 0], [0, 0, -0.5, 1.0], [0.25, 0.1, 0.2, 0.3]]))
    assert not ARMS.contains(np.array([[0.5, 1.0, 0, 1e-18]]))
    assert not ARMS.contains(np.array([[0.25, 0, 0.26, 0]]))


@every
def test_points_fill_the_set_evenly(domain: Domain) -> None:
    p = domain.dimension
    points = simulated(domain)
    exact = exact_points(domain)
    box = np.random.default_rng(3).uniform(-1, 1, (400_000, p)) * domain.column_bounds
    even = box[domain.gauge(box) <= 1]
    for found in (points, exact):
        assert stats.kstest(domain.gauge(found) ** p, "uniform").pvalue > ALPHA
    # Against points of the box that lie in the set: each column, and how columns hang together.
    for statistic in (*(lambda v, j=j: v[:, j] for j in range(p)), mixed, together):
        assert stats.ks_2samp(statistic(points), statistic(even)).pvalue > ALPHA
        assert stats.ks_2samp(statistic(exact), statistic(even)).pvalue > ALPHA
        assert stats.ks_2samp(2 * statistic(points), statistic(even)).pvalue < ALPHA


def mixed(points: FloatArray) -> FloatArray:
    return np.abs(points[:, 0] * points[:, -1])


def together(points: FloatArray) -> FloatArray:
    return np.asarray(np.abs(points).sum(axis=1))


def test_a_hull_in_a_hull_is_the_hull_of_all() -> None:
    nested, flat = Hull((Hull((ARM, Interval(2.0))), ARM)), Hull((ARM, Interval(2.0), ARM))
    points = np.random.default_rng(4).normal(size=(50, 5))
    np.testing.assert_allclose(nested.gauge(points), flat.gauge(points))
    assert nested.radius == flat.radius
    one, other = simulated(nested), simulated(flat)
    for j in range(5):
        assert stats.ks_2samp(one[:, j], other[:, j]).pvalue > ALPHA


def test_the_same_draws_give_the_same_points_whoever_asks_first() -> None:
    first, second = (Draws.of((7,), 4, np.random.default_rng(5)) for _ in range(2))
    DEEP.simulated(second, slice(0, 4))
    np.testing.assert_array_equal(
        ARMS.simulated(first, slice(0, 4)), ARMS.simulated(second, slice(0, 4))
    )


def test_what_is_drawn_later_does_not_depend_on_spare_draws() -> None:
    after = []
    for asks in (False, True):
        rng = np.random.default_rng(6)
        draws = Draws.of((3,), 4, rng)
        if asks:
            draws.spare(0)
        after.append(rng.normal(size=3))
    np.testing.assert_array_equal(after[0], after[1])


@pytest.mark.parametrize("parts", [(), (1.0,), (Interval(1.0), None)])
@pytest.mark.parametrize("make", [Product, Hull])
def test_only_domains_can_be_composed(make: Any, parts: Any) -> None:
    with pytest.raises(ParameterError, match="composed of domains"):
        make(parts)


# -- faces: which columns of a row can differ from 0 together, in pieces ---------------------------


def face(*pieces: tuple[tuple[int, ...], float]) -> Face:
    return tuple((columns, Fraction(square)) for columns, square in pieces)


def columns_of(one: Face) -> set[int]:
    return {j for columns, _ in one for j in columns}


def square_of(one: Face) -> Fraction:
    return sum((square for _, square in one), Fraction(0))


def test_an_interval_and_a_cross_polytope_are_one_face_of_one_piece() -> None:
    assert Interval(1.5).faces == (face(((0,), 2.25)),)
    assert CrossPolytope(3, 0.5).faces == (face(((0, 1, 2), 0.25)),)
    assert ARM.faces == (face(((0,), 0.25), ((1,), 1)),)


def test_a_hull_has_the_faces_of_its_parts_and_a_product_their_combinations() -> None:
    first, second = (((0,), 0.25), ((1,), 1)), (((2,), 0.25), ((3,), 1))
    assert ARMS.faces == (face(*first), face(*second))
    assert UNEVEN.faces == (face(((0,), 4)), face(((1, 2), 0.25)))
    assert SHARED.faces == (face(((0,), 1), ((2,), 2.25)), face(((1,), 0.25), ((2,), 2.25)))
    third, fourth = (((4,), 0.25), ((5,), 1)), (((6,), 0.25), ((7,), 1))
    assert Product((ARMS, ARMS)).faces == tuple(
        face(*one, *other) for one in (first, second) for other in (third, fourth)
    )
    assert DEEP.faces == (
        face(((0,), 1), ((2,), 0.25)),
        face(((1,), 4), ((2,), 0.25)),
        face(((3,), 1)),
    )


def extreme_rows(domain: Domain) -> FloatArray:
    """Return rows of every face: corners of boxes, one level at a time."""
    if isinstance(domain, Interval | CrossPolytope):
        signed = np.concatenate([np.eye(domain.dimension), -np.eye(domain.dimension)])
        return signed * domain.bound
    assert isinstance(domain, Product | Hull)
    parts = [extreme_rows(part) for part in domain.parts]
    if isinstance(domain, Product):
        return np.array([np.concatenate(rows) for rows in itertools.product(*parts)])
    ends = np.cumsum([0, *(part.shape[1] for part in parts)])
    found = [np.zeros((len(part), domain.dimension)) for part in parts]
    for row, part, start in zip(found, parts, ends[:-1], strict=True):
        row[:, start : start + part.shape[1]] = part
    return np.concatenate(found)


@every
def test_every_extreme_row_lies_in_a_face_and_reaches_its_radius(domain: Domain) -> None:
    rows = extreme_rows(domain)
    assert domain.contains(rows)
    np.testing.assert_allclose(domain.gauge(rows), 1.0)
    longest = dict.fromkeys(domain.faces, 0.0)
    for row in rows:
        used = set(np.flatnonzero(row))
        holding = [one for one in domain.faces if used <= columns_of(one)]
        assert len(holding) == 1
        # An extreme row is as long in each piece as any row can be.
        for columns, square in holding[0]:
            piece = row[list(columns)]
            assert piece @ piece == pytest.approx(float(square))
        longest[holding[0]] = max(longest[holding[0]], float(row @ row))
    for one, found in longest.items():
        assert found == pytest.approx(float(square_of(one)))
        assert len(columns_of(one)) == sum(len(columns) for columns, _ in one)
    assert max(map(square_of, domain.faces)) == domain.radius_squared


@every
def test_a_quadratic_form_is_largest_on_a_face(domain: Domain) -> None:
    """Points that mix the parts of a hull are no rows, and no worse: xᵀAx is convex."""
    random = np.random.default_rng(7)
    root = random.normal(size=(domain.dimension, domain.dimension))
    form = root.T @ root
    rows, points = extreme_rows(domain), simulated(domain, 5_000)
    most = np.einsum("np,pq,nq->n", rows, form, rows).max()
    assert np.einsum("np,pq,nq->n", points, form, points).max() <= most


def test_noise_of_each_arm_is_independent_and_at_the_full_rate() -> None:
    """exp(−β‖b‖) of a hull factorises: each arm's part has the law that it has alone."""
    count, rng = 40_000, np.random.default_rng(8)
    p = ARMS.dimension
    whole = simulated(ARMS, count) * rng.gamma(p + 1, size=(count, 1))
    alone = simulated(ARM, count) * rng.gamma(ARM.dimension + 1, size=(count, 1))
    for statistic in (lambda v: v[:, 0], lambda v: v[:, 1], ARM.gauge, together):
        for arm in (whole[:, :2], whole[:, 2:]):
            assert stats.ks_2samp(statistic(arm), statistic(alone)).pvalue > ALPHA
            assert stats.ks_2samp(2 * statistic(arm), statistic(alone)).pvalue < ALPHA
    sizes = [ARM.gauge(whole[:, :2]), ARM.gauge(whole[:, 2:])]
    assert stats.pearsonr(*sizes).pvalue > ALPHA
    boxed = Product((ARM, ARM))
    joint = simulated(boxed, count) * rng.gamma(p + 1, size=(count, 1))
    assert stats.pearsonr(ARM.gauge(joint[:, :2]), ARM.gauge(joint[:, 2:])).pvalue < ALPHA
