"""Intervals and cross-polytopes: bounds that hold for doubles, and points that fill them evenly."""

import math
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy import stats
from tests.unit.features.domains import exact_points

from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.exact import precision
from dpwerm.features.composed import Hull
from dpwerm.features.domain import CrossPolytope, Domain, Interval

SIMPLE: list[Domain] = [Interval(0.5), CrossPolytope(1, 0.5), CrossPolytope(3, 2.0)]
ALPHA = 1e-4
simple = pytest.mark.parametrize("domain", SIMPLE, ids=repr)


@simple
def test_the_longest_row_is_on_the_edge(domain: Domain) -> None:
    assert isinstance(domain, Domain)
    row = domain.longest
    assert np.linalg.norm(row) == domain.radius == math.sqrt(domain.radius_squared)
    assert domain.gauge(row) == 1.0
    assert domain.column_bounds.tolist() == [domain.radius] * domain.dimension
    assert domain.contains(row[None])
    assert not domain.contains(np.nextafter(row, 9.0)[None] * (row > 0))
    assert not domain.contains(np.full((1, domain.dimension), np.nan))
    np.testing.assert_array_equal(domain.pulled(row), row)
    assert domain.contains(domain.pulled(3 * row + 0.1)[None])


@pytest.mark.parametrize("width", [3, 5_000])
def test_a_pulled_row_is_a_row_of_the_set(width: int) -> None:
    """A length that rounds to 1 may be above it, and a long sum needs more room."""
    rng = np.random.default_rng(width)
    for domain in (CrossPolytope(width, 1.0), Hull((CrossPolytope(width, 1.0), Interval(1.0)))):
        for _ in range(200 if width == 3 else 3):
            row = rng.normal(size=domain.dimension)
            assert domain.contains(domain.pulled(row / np.abs(row).sum())[None])


def test_a_sum_that_rounds_to_the_bound_is_not_taken_for_it() -> None:
    domain = CrossPolytope(3, 1.0)
    assert domain.contains(np.array([[1.0, 0.0, 0.0], [0.25, -0.5, 0.125]]))
    assert not domain.contains(np.array([[1.0, 2.0**-60, 0.0]]))


@simple
def test_points_fill_the_set_evenly_exact_and_simulated(domain: Domain) -> None:
    p = domain.dimension
    draws = Draws.of((20_000,), p, np.random.default_rng(1))
    simulated = domain.simulated(draws, slice(0, p))
    exact = exact_points(domain)
    for points in (simulated, exact):
        # ‖V‖^p is uniform for a uniform point V; with a wrong width it is not.
        assert stats.kstest(domain.gauge(points) ** p, "uniform").pvalue > ALPHA
        assert stats.kstest(domain.gauge(points) ** (2 * p), "uniform").pvalue < ALPHA
    for j in range(p):
        assert stats.ks_2samp(simulated[:, j], exact[:, j]).pvalue > ALPHA


WRONG: list[Any] = [0.0, -1.0, 1e170, math.inf, math.nan, "1", None, True]


@pytest.mark.parametrize("bound", WRONG)
def test_a_bound_is_a_number_above_zero(bound: Any) -> None:
    for make in (Interval, lambda s: CrossPolytope(2, s)):
        with pytest.raises(ParameterError, match="the bound of a domain must be"):
            make(bound)


@pytest.mark.parametrize("width", [0, -1, True, 1.0, "2", None])
def test_a_width_is_a_whole_number_from_one_on(width: Any) -> None:
    with pytest.raises(ParameterError, match="the width of a domain"):
        CrossPolytope(width, 1.0)


def test_an_enclosure_of_the_norm_holds_it() -> None:
    with precision(96):
        assert CrossPolytope(2, 0.5).gauge_ball([arb(0.25), arb(-0.5)]).contains(arb(1.5))
