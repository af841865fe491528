import math
import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.mechanisms.perturbed_cases import facts

from dpwerm.errors import ParameterError
from dpwerm.features.domain import Interval
from dpwerm.mechanisms.perturbed import Shares, epsilon_left, gamma_floor, jacobian
from dpwerm.privacy.budget import Budget

FACTS = facts()
CURVATURE = 3 * Fraction(5, 16) * Fraction(7, 4) ** 2
sizes = st.floats(1e-6, 1e6)


def number(exact: Fraction) -> mpmath.mpf:
    return mpmath.mpf(exact.numerator) / exact.denominator


def sized(w: float, c: float, r: float) -> dict[str, Any]:
    """Return W, c and r as facts, with an interval of that radius."""
    return {"weight_bound": w, "smoothness": c, "domain": Interval(r)}


def shares(epsilon: float | str) -> Shares:
    return Shares.of("m", Budget.of(epsilon))


def test_the_jacobian_is_the_logarithm_rounded_up() -> None:
    with mpmath.workdps(60):
        exact = mpmath.log1p(number(CURVATURE / 110))
        assert math.nextafter(jacobian(FACTS), 0.0) < exact <= jacobian(FACTS)


@given(sizes, sizes, sizes, sizes, st.floats(1e-3, 1e3))
@settings(deadline=None)
def test_what_is_left_is_exact_to_one_rounding_down(
    w: float, c: float, r: float, gamma: float, epsilon: float
) -> None:
    chosen = replace(FACTS, **sized(w, c, r), gamma=gamma)
    growth = Fraction(w) * Fraction(c) * Fraction(r) ** 2 / Fraction(gamma)
    part = shares(epsilon)
    with mpmath.workdps(80):
        exact = number(Fraction(part.inside)) - mpmath.log1p(number(growth))
        if exact <= 0:
            with pytest.raises(ParameterError, match="needs"):
                epsilon_left("m", chosen, part)
            return
        left = epsilon_left("m", chosen, part)
        assert left <= exact < math.nextafter(left, math.inf)


@given(sizes, sizes, st.floats(1e-3, 1e3), st.floats(1e-3, 100))
@settings(deadline=None)
def test_the_floor_is_the_first_gamma_that_leaves_anything(
    w: float, c: float, r: float, epsilon: float
) -> None:
    budget, part = Budget.of(epsilon), shares(epsilon)
    chosen = replace(FACTS, **sized(w, c, r))
    floor = gamma_floor(chosen, budget)
    if floor > 1e12:
        with pytest.raises(ParameterError, match="needs a gamma above"):
            epsilon_left("m", replace(chosen, gamma=1e12), part)
        return
    assert epsilon_left("m", replace(chosen, gamma=floor), part) > 0
    if floor > 1e-12:
        below = replace(chosen, gamma=math.nextafter(floor, 0.0))
        with pytest.raises(ParameterError, match="needs gamma of at least") as caught:
            epsilon_left("m", below, part)
        shown = re.search(r"at least ([\d.e+-]+) for", str(caught.value))
        assert shown is not None
        told = float(shown[1])
        assert floor <= told <= 1.002 * floor
        assert told > 1e12 or epsilon_left("m", replace(chosen, gamma=told), part) > 0


def test_the_floor_has_this_value() -> None:
    # Wcr²/(e^0.99 − 1), from the formula.
    floor = gamma_floor(FACTS, Budget.of(1))
    assert floor == pytest.approx(float(CURVATURE) / math.expm1(0.99), rel=1e-14)


def test_twice_the_floor_leaves_half_of_a_small_epsilon() -> None:
    floor = gamma_floor(FACTS, Budget.of("0.01"))
    left = epsilon_left("m", replace(FACTS, gamma=2 * floor), shares("0.01"))
    assert left == pytest.approx(0.5 * 0.0099, rel=0.01)


@pytest.mark.parametrize("epsilon", ["100", "1000000000"])
def test_a_large_epsilon_leaves_every_gamma(epsilon: str) -> None:
    assert gamma_floor(FACTS, Budget.of(epsilon)) == 1e-12
