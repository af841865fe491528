import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.features.domain import Interval
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Relation
from dpwerm.privacy.sensitivity import (
    Facts,
    default_tolerance,
    l2_sensitivity,
    objective_tolerance,
    total_sensitivity,
)
from dpwerm.privacy.weight_origin import KnownByDesign, WorstCase

# Constants that share no factor: a wrong power or a lost factor of any of them shows.
W, L, R, GAMMA, N = 3.0, 0.625, 1.75, 11.0, 8
REPLACE = Facts(W, L, 0.3125, Interval(R), GAMMA, Ridge(), Relation.REPLACE_ONE, N, KnownByDesign())
REMOVE = replace(REPLACE, relation=Relation.ADD_REMOVE, n=None)
WORST = replace(REPLACE, origin=WorstCase())
GRADIENT = Fraction(3) * Fraction(5, 8) * Fraction(7, 4)

DOUBLE = {"domain": Interval(2 * R)}
VALUES = [
    (REPLACE, 2 * GRADIENT / 11),
    (REMOVE, GRADIENT / 11),
    (WORST, 9 * GRADIENT / 11),
]


@pytest.mark.parametrize(("facts", "exact"), VALUES)
def test_the_formula_has_these_values(facts: Facts, exact: Fraction) -> None:
    value = Fraction(l2_sensitivity(facts))
    assert value >= exact
    assert value <= exact * (1 + Fraction(1, 2**52))


@pytest.mark.parametrize("facts", [REPLACE, REMOVE, WORST])
@pytest.mark.parametrize("name", ["weight_bound", "lipschitz", "radius", "gamma"])
def test_every_constant_enters_with_its_power(facts: Facts, name: str) -> None:
    power = -1 if name == "gamma" else 1
    doubled = replace(facts, **{name: 2 * getattr(facts, name)} if name != "radius" else DOUBLE)
    ratio = l2_sensitivity(doubled) / l2_sensitivity(facts)
    assert ratio == pytest.approx(2.0**power, rel=1e-15)


def test_replacing_costs_twice_what_removing_costs() -> None:
    assert l2_sensitivity(REPLACE) == pytest.approx(2 * l2_sensitivity(REMOVE), rel=1e-15)


def test_the_worst_case_grows_with_n() -> None:
    per_record = l2_sensitivity(replace(WORST, n=N + 1)) - l2_sensitivity(WORST)
    assert per_record == pytest.approx(W * L * R / GAMMA, rel=1e-12)


def test_worst_case_weights_are_refused_under_add_remove() -> None:
    with pytest.raises(ParameterError, match="not add_remove"):
        l2_sensitivity(replace(REMOVE, origin=WorstCase()))


positives = st.floats(1e-12, 1e12)


def facts_of(w: float, lipschitz: float, r: float, gamma: float, n: int) -> Facts:
    """Return facts of one column."""
    relation, domain = Relation.REPLACE_ONE, Interval(r)
    return Facts(w, lipschitz, 0.3125, domain, gamma, Ridge(), relation, n, KnownByDesign())


@given(positives, positives, positives, positives, st.integers(1, 10**12))
def test_rounding_never_makes_the_sensitivity_smaller(
    w: float, lipschitz: float, r: float, gamma: float, n: int
) -> None:
    product = Fraction(w) * Fraction(lipschitz) * Fraction(r) / Fraction(gamma)
    facts = facts_of(w, lipschitz, r, gamma, n)
    delta = l2_sensitivity(facts)
    assert Fraction(delta) >= 2 * product > Fraction(math.nextafter(delta, 0.0))
    worst = l2_sensitivity(replace(facts, origin=WorstCase()))
    assert Fraction(worst) >= (n + 1) * product > Fraction(math.nextafter(worst, 0.0))


@given(st.floats(1e-80, 1e80))
def test_the_default_tolerance_is_a_millionth_and_costs_two_of_it(delta: float) -> None:
    tau = default_tolerance(delta)
    assert Fraction(tau) * 10**6 <= Fraction(delta) < Fraction(math.nextafter(tau, 1e300)) * 10**6
    total = total_sensitivity(delta, tau)
    exact = Fraction(delta) + 2 * Fraction(tau)
    assert Fraction(total) >= exact > Fraction(math.nextafter(total, 0.0))


@given(positives, positives, positives, positives)
def test_objective_perturbation_solves_to_what_nobody_sees(
    w: float, lipschitz: float, r: float, gamma: float
) -> None:
    facts = facts_of(w, lipschitz, r, gamma, 5)
    moved = 2 * Fraction(w) * Fraction(lipschitz) * Fraction(r) / Fraction(gamma) / 10**8
    exact = min(moved, 1 / Fraction(r) / 10**6)
    tau = objective_tolerance(facts)
    assert Fraction(tau) <= exact < Fraction(math.nextafter(tau, math.inf))
    removed = replace(facts, relation=Relation.ADD_REMOVE, n=None)
    half = min(moved / 2, 1 / Fraction(r) / 10**6)
    assert objective_tolerance(removed) == pytest.approx(float(half), rel=1e-15)


def test_a_tiny_gamma_does_not_make_the_second_noise_large() -> None:
    facts = facts_of(1.0, 1.0, 2.0, 1e-9, 5)
    assert objective_tolerance(facts) == pytest.approx(5e-7)


def test_an_exact_solution_costs_nothing() -> None:
    assert total_sensitivity(0.1, 0.0) == 0.1


@pytest.mark.parametrize("tolerance", [-1e-9, math.nan, math.inf, True])
def test_a_tolerance_must_be_a_number_from_zero_on(tolerance: float) -> None:
    with pytest.raises(ParameterError, match=r"^tolerance must"):
        total_sensitivity(1.0, tolerance)


@pytest.mark.parametrize("delta", [0.0, -1.0, math.nan, math.inf, 1e101, 1e-101])
def test_a_sensitivity_must_be_positive(delta: float) -> None:
    with pytest.raises(ParameterError, match=r"^sensitivity must"):
        default_tolerance(delta)
    with pytest.raises(ParameterError, match=r"^sensitivity must"):
        total_sensitivity(delta, 0.0)
