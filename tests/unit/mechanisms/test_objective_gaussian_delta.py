"""Objective perturbation with Gaussian noise against its exact δ, for p = 1 by quadrature.

    δ(ε) = ∫ (p_D(θ) − e^ε p_D'(θ))₊ dθ

σ, ε_in and all constants come from the library's calibration.
"""

import math
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm
from tests.unit.mechanisms.calibrations import calibration_of, inside_of, sigma_of
from tests.unit.mechanisms.densities import (
    Blocks,
    Pair,
    Setting,
    log_density,
    normal,
    opposite,
    quadrature,
    random_pairs,
)
from tests.unit.mechanisms.pages import rows_of

from dpwerm.objective.losses import HuberisedHinge, Logistic
from dpwerm.privacy.budget import Relation

NAME = "objective-gaussian"
LINE: Blocks = ((1, 1.5),)
RELATIONS = list(Relation)
LOSSES = [HuberisedHinge(0.5), HuberisedHinge(0.1), Logistic()]
BUDGETS = [("0.2", "1e-3"), ("1", "1e-6"), ("3", "0.01")]


def exact_delta(setting: Setting, pair: Pair, sigma: float, epsilon: float) -> float:
    """Return the smallest δ that is true of the pair at ε, the larger of both directions."""
    theta, weights = quadrature(setting, pair, 12 * sigma)
    constant = sigma * math.sqrt(2 * math.pi)
    one, other = (
        np.exp(log_density(setting, data, theta, normal(sigma))) / constant for data in pair
    )
    assert math.isclose(float(weights @ one), 1, rel_tol=1e-5)
    directions = [one - math.exp(epsilon) * other, other - math.exp(epsilon) * one]
    return max(float(weights @ np.maximum(excess, 0)) for excess in directions)


def with_room(setting: Setting, epsilon: str, times: float) -> Setting:
    """Return the setting with γ at so many times the value where nothing would be left of ε."""
    return replace(setting, gamma=times * setting.curvature / math.expm1(0.99 * float(epsilon)))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_no_neighbours_exceed_delta(
    relation: Relation, loss: HuberisedHinge | Logistic, epsilon: str, delta: str
) -> None:
    setting = Setting(loss, LINE, 2.0, 1.0, relation)
    for times in (1.1, 3.0, 30.0):
        roomy = with_room(setting, epsilon, times)
        calibration = calibration_of(roomy, NAME, Decimal(epsilon), Decimal(delta))
        inside = float(inside_of(calibration).epsilon_inside)
        for pair in [opposite(roomy), *random_pairs(roomy, 3, 3)]:
            assert exact_delta(roomy, pair, sigma_of(calibration), inside) <= float(delta)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_opposite_people_use_up_what_the_union_bound_leaves(
    relation: Relation, epsilon: str, delta: str
) -> None:
    # One of 2k sides of the union bound is attained when the loss is straight wherever b is likely.
    setting = with_room(Setting(HuberisedHinge(0.5), LINE, 2.0, 1.0, relation), epsilon, 3000)
    calibration = calibration_of(setting, NAME, Decimal(epsilon), Decimal(delta))
    inside, sigma = float(inside_of(calibration).epsilon_inside), sigma_of(calibration)
    share = exact_delta(setting, opposite(setting), sigma, inside) / float(delta)
    assert share * 2 * relation.terms == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_half_the_noise_is_found(relation: Relation, epsilon: str, delta: str) -> None:
    setting = with_room(Setting(HuberisedHinge(0.5), LINE, 2.0, 1.0, relation), epsilon, 3000)
    calibration = calibration_of(setting, NAME, Decimal(epsilon), Decimal(delta))
    inside, sigma = float(inside_of(calibration).epsilon_inside), sigma_of(calibration)
    assert exact_delta(setting, opposite(setting), sigma / 2, inside) > 2 * float(delta)


def tail(e: float, s: float) -> float:
    """Return H(e) = E(1 − exp(e − s²/2 − sN))₊ for a standard normal N."""
    value = norm.cdf(s / 2 - e / s) - math.exp(e) * norm.cdf(-s / 2 - e / s)
    return float(value)


@pytest.mark.parametrize("s", [0.05, 0.5, 2.0])
@pytest.mark.parametrize("e", [-0.5, 0.01, 0.3, 2.0, 6.0])
def test_the_folded_normal_costs_at_most_twice_the_normal(e: float, s: float) -> None:
    # Equal to it once e ≥ s²/2, below it otherwise; so the bound itself needs no such condition.
    x = np.linspace(0, 14, 200_001)
    integrand = np.maximum(-np.expm1(e - s**2 / 2 - s * x), 0) * norm.pdf(x)
    folded = 2 * float(np.trapezoid(integrand, x))
    twice = 2 * tail(e, s)
    assert folded <= twice * (1 + 1e-6) + 1e-12
    assert (folded >= twice * (1 - 1e-5) - 1e-12) == (e >= s**2 / 2)


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_sigma_is_the_smallest_that_the_proof_allows(
    relation: Relation, epsilon: str, delta: str
) -> None:
    setting = with_room(Setting(Logistic(), LINE, 2.0, 1.0, relation), epsilon, 3)
    calibration = calibration_of(setting, NAME, Decimal(epsilon), Decimal(delta))
    left = float(inside_of(calibration).epsilon_inside) - math.log1p(
        setting.curvature / setting.gamma
    )
    shift = relation.terms * setting.weight_bound * setting.radius
    sides = 2 * relation.terms
    assert sides * tail(left, shift / sigma_of(calibration)) <= float(delta) * (1 + 1e-6)
    assert sides * tail(left, shift / (0.999 * sigma_of(calibration))) > float(delta)


def kifer_smith_thakurta(epsilon: float, delta: float) -> float:
    """Return σ/ζ of their Algorithm 1."""
    return math.sqrt(8 * math.log(2 / delta) + 4 * epsilon) / epsilon


def redberg_koskela_wang(epsilon: float, delta: float, share: float) -> float:
    """Return σ/L of their bound δ = 2H(e), e = ε + log(1 − β/λ) ≥ s²/2, for β/λ = ``share`` < 1."""
    left = epsilon + math.log1p(-share)
    return 1 / float(brentq(lambda s: 2 * tail(left, s) - delta, 1e-6, math.sqrt(2 * left)))


def test_the_page_compares_with_earlier_noise_as_it_is() -> None:
    rows, delta = rows_of("objective-gaussian", r"$\varepsilon$"), "1e-6"
    assert len(rows) >= 4
    base = Setting(Logistic(), LINE, 2.0, 1.0, Relation.ADD_REMOVE)
    for epsilon, first, *shown in rows:
        earlier = kifer_smith_thakurta(float(epsilon), float(delta))
        assert float(first) == pytest.approx(earlier, rel=0.005)
        for times, (theirs, ours) in zip((1, 10), (shown[:2], shown[2:]), strict=True):
            # The first needs γ ≥ 2Wcr²/ε, the second γ > Wcr².
            share = float(epsilon) / (2 * times)
            setting = replace(base, gamma=base.curvature / share)
            calibration = calibration_of(setting, NAME, Decimal(epsilon), Decimal(delta))
            sigma = sigma_of(calibration) / (setting.weight_bound * setting.radius)
            assert float(ours) == pytest.approx(sigma, rel=0.005)
            if share >= 1:
                assert theirs == "none"
            else:
                inside = float(inside_of(calibration).epsilon_inside)
                found = redberg_koskela_wang(inside, float(delta), share)
                assert float(theirs) == pytest.approx(found, rel=0.005)
                assert sigma < found
