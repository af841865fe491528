"""J of a loss that tapers: its value, its shape, its rounding, and what breaks the theorem."""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.mechanisms.calibrations import inside_of, rate_of
from tests.unit.mechanisms.densities import ROUNDING
from tests.unit.mechanisms.pages import PROOFS, rows_of
from tests.unit.mechanisms.perturbed_cases import facts
from tests.unit.mechanisms.residual_densities import (
    FAR,
    Case,
    Person,
    calibrated_for,
    neighbours,
    opposite,
    people_of,
    worst,
)

from dpwerm.errors import ParameterError
from dpwerm.exact import precision
from dpwerm.features.composed import Product
from dpwerm.features.domain import Interval
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.contract import Calibration, check_run
from dpwerm.mechanisms.objective_perturbation import TAPERED
from dpwerm.mechanisms.perturbed import gamma_floor
from dpwerm.mechanisms.tapered import jacobian_above, jacobian_at, largest_shift
from dpwerm.objective.losses import Loss
from dpwerm.objective.objective import Objective
from dpwerm.objective.residual_losses import ExpHuber, Huber
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.sensitivity import Facts

fractions = st.fractions(Fraction(1, 10**6), 10**4, max_denominator=10**6)
terms = st.sampled_from([1, 2])


def number(exact: Fraction) -> mpmath.mpf:
    return mpmath.mpf(exact.numerator) / exact.denominator


def reference(g: Fraction, u: Fraction) -> mpmath.mpf:
    """Largest gs + log(1 + u(1 − s)) over s in [0, 1], less g: at an end, or where it is flat."""
    a, b = number(g), number(u)
    inner = min(max(1 - 1 / a + 1 / b, mpmath.mpf(0)), mpmath.mpf(1))
    return max(a * s + mpmath.log1p(b * (1 - s)) for s in (0, inner, 1)) - a


def value(g: Fraction, u: Fraction) -> mpmath.mpf:
    """J(g, u) of the library, to 256 bits."""
    with precision(256):
        return mpmath.mpf(jacobian_at(g, u).str(70, radius=False))


@given(fractions, fractions)
@settings(deadline=None)
def test_the_value_is_the_largest_cost_of_one_record(g: Fraction, u: Fraction) -> None:
    with mpmath.workdps(60):
        exact = reference(g, u)
        assert abs(value(g, u) - exact) < mpmath.mpf(10) ** -50
        assert 0 <= exact <= mpmath.log1p(number(u))
        above = jacobian_above(g, u)
        assert above >= exact - mpmath.mpf(10) ** -50
        assert above <= exact * (1 + mpmath.mpf(2) ** -51) + mpmath.mpf(10) ** -50


@pytest.mark.parametrize(("g", "u"), [(1, 2), (3, 2), (Fraction(1, 2), 3), (Fraction(1, 10), 3)])
def test_the_value_on_a_fine_grid_of_shares(g: float, u: float) -> None:
    s = np.linspace(0, 1, 200_001)
    largest = float((g * s + np.log1p(u * (1 - s))).max()) - float(g)
    assert float(value(Fraction(g), Fraction(u))) == pytest.approx(largest, abs=1e-9)


@pytest.mark.parametrize("u", [Fraction(1, 7), Fraction(1), Fraction(40)])
def test_the_pieces_meet_where_they_should(u: Fraction) -> None:
    hair = Fraction(1, 10**20)
    assert value(u, u) == 0
    assert value(u + hair, u) == 0
    with mpmath.workdps(60):
        assert 0 < value(u - hair, u) < mpmath.mpf(10) ** -30
        low = u / (1 + u)
        edge = mpmath.log1p(number(u)) - number(low)
        for g in (low - hair, low, low + hair):
            assert abs(value(g, u) - edge) < mpmath.mpf(10) ** -19
        tiny = Fraction(1, 10**30)
        assert abs(value(tiny, u) - mpmath.log1p(number(u))) < mpmath.mpf(10) ** -25


@given(fractions, st.lists(fractions, min_size=2, max_size=6), terms)
@settings(deadline=None)
def test_the_whole_cost_does_not_fall_with_the_shift_and_j_does_not_rise(
    u: Fraction, shifts: list[Fraction], k: int
) -> None:
    with mpmath.workdps(60):
        ordered = sorted(shifts)
        values = [value(g, u) for g in ordered]
        costs = [k * number(g) + one for g, one in zip(ordered, values, strict=True)]
        hair = mpmath.mpf(10) ** -50
        assert all(b >= a - hair for a, b in pairwise(costs))
        assert all(b <= a + hair for a, b in pairwise(values))


@given(fractions, st.fractions(Fraction(1, 1000), 100, max_denominator=10**6), terms)
@settings(deadline=None, max_examples=200)
def test_the_largest_shift_is_within_epsilon_and_the_next_double_is_not(
    u: Fraction, epsilon: Fraction, k: int
) -> None:
    shift = largest_shift(u, epsilon, k)
    with mpmath.workdps(70):
        if shift == 0:
            assert mpmath.log1p(number(u)) >= number(epsilon)
            return
        assert k * number(shift) + reference(shift, u) <= number(epsilon)
        if shift == epsilon / k:
            assert u <= shift
            return
        more = Fraction(math.nextafter(float(shift), math.inf))
        # For k = 1 the cost is flat, log(1 + u), up to u/(1 + u): further on it must exceed ε.
        assert k * number(more) + reference(more, u) > number(epsilon)


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("u", [Fraction(3, 10), Fraction(6, 10), Fraction(1)])
def test_twice_the_shift_costs_too_much_and_half_of_u_too_little(u: Fraction, k: int) -> None:
    epsilon = Fraction(99, 100)
    shift = largest_shift(u, epsilon, k)
    with mpmath.workdps(30):
        assert k * number(2 * shift) + reference(2 * shift, u) > 1.3 * number(epsilon)
        if shift < u:
            more = largest_shift(u / 2, epsilon, k)
            assert k * number(more) + reference(more, u) > number(epsilon)


# -- the calibration -------------------------------------------------------------------------------


def tapered_facts(gamma: float, taper: float | None) -> Facts:
    return replace(facts(), gamma=gamma, taper=taper)


@pytest.mark.parametrize("name", ["objective-block", "objective-l2"])
@pytest.mark.parametrize("gamma", [2.0, 4.0, 8.0, 110.0])
def test_the_rate_is_the_shift_over_wlk(name: str, gamma: float) -> None:
    """u = W c_t r²/γ and β = g/(W L κ), with W = 3, L = 1.25, c_t = 0.3125, r = 1.75."""
    mechanism = MECHANISMS[name]
    calibration = mechanism.calibrate(tapered_facts(gamma, 0.3125), Budget.of(1))
    inside = inside_of(calibration)
    u = 3 * Fraction(5, 16) * Fraction(7, 4) ** 2 / Fraction(gamma)
    shift = largest_shift(u, Fraction(99, 100), 2)
    exact = shift / (3 * Fraction(5, 4) * Fraction(inside.kappa))
    assert Fraction(rate_of(calibration)) <= exact
    assert rate_of(calibration) == pytest.approx(float(exact), rel=1e-14)
    assert inside.jacobian == jacobian_above(shift, u)
    plain = inside_of(mechanism.calibrate(tapered_facts(gamma, None), Budget.of(1)))
    assert inside.jacobian <= plain.jacobian
    assert rate_of(calibration) > (plain.rate or 0)


def test_nothing_is_paid_from_the_free_gamma_on() -> None:
    free = 2 * 3 * 0.3125 * 1.75**2 / 0.99
    block = MECHANISMS["objective-block"]
    paid = [
        inside_of(block.calibrate(tapered_facts(times * free, 0.3125), Budget.of(1))).jacobian
        for times in (0.5, 0.999, 1.001, 2.0)
    ]
    assert paid[0] > paid[1] > 0
    assert paid[2] == paid[3] == 0


def test_a_taper_above_the_smoothness_never_costs_more_than_none() -> None:
    """Both bounds hold, so the better one is taken; the smallest γ is that of c."""
    block = MECHANISMS["objective-block"]
    floor = gamma_floor(tapered_facts(1.0, None), Budget.of(1))
    for gamma in (1.001 * floor, 1.3 * floor, 2 * floor, 50 * floor):
        rates = [
            rate_of(block.calibrate(tapered_facts(gamma, taper), Budget.of(1)))
            for taper in (None, 0.625, 0.3125)
        ]
        assert rates[0] <= rates[1] <= rates[2]
    with pytest.raises(ParameterError, match="needs gamma of at least"):
        block.calibrate(tapered_facts(0.999 * floor, 0.3125), Budget.of(1))


def test_the_claim_and_its_page_are_those_of_the_theorem_used() -> None:
    for name, norm in (("objective-block", "block"), ("objective-l2", "l2")):
        mechanism = MECHANISMS[name]
        plain, tapered = (mechanism.claim(tapered_facts(8.0, one)) for one in (None, 0.3125))
        assert plain == (mechanism.statement, "docs/proofs/objective-perturbation.md")
        assert tapered == (TAPERED.format(norm), "docs/proofs/tapered-losses.md")
        assert len(tapered[0]) <= 1000  # the length of a claim in a certificate
        assert (PROOFS.parents[1] / tapered[1]).is_file()
    gaussian = MECHANISMS["objective-gaussian"]
    assert gaussian.claim(tapered_facts(8.0, 0.3125)) == (gaussian.statement, gaussian.proof)


def run_with(loss: Loss, taper: float | None) -> None:
    block, domain = MECHANISMS["objective-block"], Product((Interval(1.0), Interval(1.0)))
    known = replace(
        facts(Relation.ADD_REMOVE),
        domain=domain,
        lipschitz=0.5,
        smoothness=1.0,
        weight_bound=1.0,
        taper=taper,
    )
    calibration = block.calibrate(known, Budget.of(1))
    nothing = np.zeros(0)
    rows = MemoryRows(np.zeros((0, 1)), nothing, nothing, 1.0, np.ones(2))
    check_run(block, Objective(rows, loss, known.gamma), calibration)


def test_a_loss_that_does_not_taper_is_refused_with_a_tapered_calibration() -> None:
    run_with(ExpHuber(0.5), 1.0)
    run_with(ExpHuber(0.5), 2.0)
    run_with(ExpHuber(0.5), None)
    run_with(Huber(0.5), None)
    for loss, taper in ((Huber(0.5), 1.0), (ExpHuber(0.5), 0.5)):
        with pytest.raises(ParameterError, match="does not taper"):
            run_with(loss, taper)


# -- what breaks it --------------------------------------------------------------------------------

CLAIM, T = 1.0, 0.4
SMOOTH, SHARP = ExpHuber(T), Huber(T)
LINE = Case(Interval(1.5), lambda b: abs(b[:, 0]) / 1.5, ((1.5,), (-1.5,)))
SQUARE = LINE.domain.radius**2
FREE = 2 * SQUARE / 0.99
"""The γ from which on J = 0 at ε_in = 0.99."""


def calibration_of(gamma: float, relation: Relation = Relation.REPLACE_ONE) -> Calibration:
    return calibrated_for(LINE, SMOOTH, gamma, CLAIM, relation=relation)


def far_apart(relation: Relation = Relation.REPLACE_ONE) -> list[tuple[list[Person], list[Person]]]:
    return [opposite(LINE.domain.longest, relation, FAR)]


def without_jacobian() -> float:
    """Huber's loss, which does not taper, with β = ε_in/(2WLκ)."""
    return worst(LINE, SHARP, calibration_of(FREE), far_apart())


def below_the_free_gamma() -> float:
    """J = 0 at an eighth of the γ that it needs."""
    calibration = calibration_of(FREE)
    weak = replace(calibration, facts=replace(calibration.facts, gamma=FREE / 8))
    return worst(LINE, SMOOTH, weak, far_apart())


def with_double_rate() -> float:
    """2β."""
    calibration = calibration_of(FREE)
    return worst(LINE, SMOOTH, calibration, far_apart(), 2 * rate_of(calibration))


def with_half_taper() -> float:
    """J from u/2: half of W, of c_t or of sup xᵀM⁻¹x."""
    calibration = calibration_of(0.6 * SQUARE)
    half = Fraction(SQUARE) / Fraction(calibration.facts.gamma) / 2
    shift = float(largest_shift(half, Fraction(99, 100), 2))
    return worst(LINE, SMOOTH, calibration, far_apart(), shift / T)


BREAKS: dict[str, Callable[[], float]] = {
    "Huber's loss without $J$": without_jacobian,
    r"$J = 0$ below $\gamma = k W c_t r^2/\varepsilon_{\mathrm{in}}$": below_the_free_gamma,
    r"$\beta$ is doubled": with_double_rate,
    "$u$ is halved": with_half_taper,
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_wrong_constant_is_found(name: str) -> None:
    assert BREAKS[name]() > CLAIM + ROUNDING


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("gamma", [0.6 * SQUARE, FREE / 8 * 5, FREE, 4 * FREE])
def test_the_right_constants_pass_the_same_search(gamma: float, relation: Relation) -> None:
    calibration = calibration_of(gamma, relation)
    people = people_of(LINE, (1.0, -1.0, FAR, -FAR))
    people += [Person(one.row / 2, one.target, 0.3) for one in people]
    pairs = far_apart(relation) + neighbours(people, relation, people[2:4], len(people))
    found = worst(LINE, SMOOTH, calibration, pairs)
    assert 0.99 * 0.99 * CLAIM <= found <= 0.99 * CLAIM + ROUNDING


def test_the_page_has_these_numbers_and_no_others() -> None:
    table = {row[0]: float(row[2]) for row in rows_of("tapered-losses", "Broken")}
    assert table.keys() == BREAKS.keys()
    for name, found in table.items():
        assert BREAKS[name]() == pytest.approx(found, abs=0.005)
