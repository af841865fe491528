"""What the proof of objective perturbation needs: each condition, dropped, breaks the claim.

The densities, neighbours and search are those of the tests that hold. Every number found here
stands in a table of the proof page, and the table has no other.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.unit.mechanisms.calibrations import (
    EPSILON,
    PURE,
    calibration_of,
    inside_of,
    law_of,
    rate_of,
)
from tests.unit.mechanisms.densities import (
    ROUNDING,
    Blocks,
    Pair,
    Penalty,
    Records,
    Setting,
    corner_pairs,
    largest_log_ratio,
    margin_gamma,
    opposite,
    perturbation,
    ridge,
    uneven_ridge,
)
from tests.unit.mechanisms.pages import rows_of

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.privacy.budget import Relation

HINGE, W = HuberisedHinge(0.5), 2.0
UNIT: Blocks = ((1, 1.0),)
SQUARE: Blocks = ((1, 1.0), (1, 1.0))
CLAIM = float(EPSILON)


def wide(blocks: Blocks, times: float, loss: HuberisedHinge = HINGE) -> Setting:
    """Return W = 2 and γ = times·W r²/(1 − h)."""
    return Setting(loss, blocks, W, times * margin_gamma(loss, blocks, W))


def ratio(
    setting: Setting,
    pairs: list[Pair],
    name: str = "objective-l2",
    rate: Callable[[float], float] = lambda beta: beta,
    penalty: Penalty = ridge,
) -> float:
    """Return the largest log-ratio with the library's β, or with what is made of it."""
    calibration = calibration_of(setting, name)
    law = law_of(setting, calibration, rate(rate_of(calibration)))
    return largest_log_ratio(setting, pairs, law, penalty)


def without_jacobian(name: str) -> float:
    """β = ε_in/(2WLκ)."""
    setting = wide(SQUARE, 1)
    inside = inside_of(calibration_of(setting, name))
    whole = float(inside.epsilon_inside) / (2 * W * inside.kappa)
    return ratio(setting, [opposite(setting)], name, rate=lambda _: whole)


def with_half_kappa(name: str) -> float:
    """β from κ/2: the rate that a calibration for rows half as large would have."""
    setting = wide(SQUARE, 1)
    inside = inside_of(calibration_of(setting, name))
    left = float(inside.epsilon_inside) - inside.jacobian
    half = left / (2 * W * (inside.kappa / 2))
    return ratio(setting, [opposite(setting)], name, rate=lambda _: half)


def with_double_rate(name: str) -> float:
    """2β."""
    setting = wide(SQUARE, 1)
    return ratio(setting, [opposite(setting)], name, rate=lambda beta: 2 * beta)


def with_a_cheap_intercept(name: str) -> float:
    """The intercept is penalised with γ/1000."""
    setting = wide(SQUARE, 4)
    return ratio(setting, corner_pairs(setting), name, penalty=uneven_ridge([1e-3, 1.0]))


def weights_that_move_together(setting: Setting, n: int) -> Pair:
    """Return n people, and the same with the last one replaced and all other weights gone."""
    rows = np.ones((n, 1))
    other = rows.copy()
    other[-1] = -1
    return Records(rows, np.full(n, W)), Records(other, np.append(np.zeros(n - 1), W))


def with_moving_weights() -> float:
    """C ≠ 0, not paid for."""
    setting = wide(UNIT, 10)
    return ratio(setting, [weights_that_move_together(setting, 10)])


def with_moving_weights_paid_in_the_rate_only() -> float:
    """C ≠ 0, paid for in the rate: 2WL becomes (n + 1)WL; the determinants still differ."""
    setting = wide(UNIT, 10, HuberisedHinge(0.05))
    pair = weights_that_move_together(setting, 10)
    return ratio(setting, [pair], rate=lambda beta: beta * 2 / 11)


def with_b_drawn_anew() -> float:
    """b is redrawn until θ* ≤ 1/2, a rule that does not even look at the data."""
    setting = wide(UNIT, 1)
    beta, pair = rate_of(calibration_of(setting, "objective-l2")), opposite(setting)
    edge = np.array([[0.5 + 1e-9]])

    def accepted(data: Records) -> float:
        b = float(perturbation(setting, data, edge)[0, 0])  # θ* ≤ edge exactly if b ≥ b(edge)
        return 0.5 * math.exp(-beta * b) if b >= 0 else 1 - 0.5 * math.exp(beta * b)

    one, other = (accepted(data) for data in pair)
    return ratio(setting, [pair]) + math.log(other / one)


def slow_growth(theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return gradient and curvature of ⅔(1 + θ²)^¾; the curvature is 1 at 0 and below elsewhere."""
    square = 1 + theta**2
    return theta * square**-0.25, square**-1.25 * (1 + theta**2 / 2)


def with_another_regulariser() -> float:
    """R grows like |θ|^1.5."""
    setting = wide(((1, 0.01),), 1)
    return ratio(setting, [opposite(setting)], penalty=slow_growth)


BREAKS: dict[str, Callable[[], float]] = {
    r"$\log(1 + W c r^2/\gamma)$ is left out of $\beta$": lambda: without_jacobian("objective-l2"),
    r"$\kappa$ is halved": lambda: with_half_kappa("objective-block"),
    r"$\beta$ is doubled": lambda: with_double_rate("objective-l2"),
    r"the intercept is penalised with $\gamma/1000$": lambda: with_a_cheap_intercept(
        "objective-l2"
    ),
    "the same, block norm": lambda: with_a_cheap_intercept("objective-block"),
    "weights depend on other people ($C > 0$)": with_moving_weights,
    r"$C$ is paid for in $\beta$ alone": with_moving_weights_paid_in_the_rate_only,
    "$b$ is drawn anew": with_b_drawn_anew,
    "another regulariser": with_another_regulariser,
}


@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("broken", [without_jacobian, with_half_kappa, with_double_rate])
def test_a_wrong_constant_is_found(name: str, broken: Callable[[str], float]) -> None:
    assert broken(name) > CLAIM + ROUNDING


@pytest.mark.parametrize("name", PURE)
def test_a_cheap_intercept_is_found(name: str) -> None:
    assert with_a_cheap_intercept(name) > 4.5
    setting = wide(SQUARE, 4)
    assert ratio(setting, corner_pairs(setting), name) <= CLAIM


def test_a_free_intercept_has_no_bound_at_all() -> None:
    setting = wide(SQUARE, 4)
    cheap = [
        ratio(setting, corner_pairs(setting), penalty=uneven_ridge([factor, 1.0]))
        for factor in (1e-3, 1e-6, 1e-9)
    ]
    assert np.all(np.diff(cheap) > 0.9 * math.log(1000))


def test_weights_that_depend_on_others_are_found() -> None:
    assert with_moving_weights() > CLAIM
    assert with_moving_weights_paid_in_the_rate_only() > CLAIM


def test_drawing_b_anew_is_found() -> None:
    assert with_b_drawn_anew() > CLAIM


def test_another_regulariser_is_found() -> None:
    assert with_another_regulariser() > CLAIM


@pytest.mark.parametrize("relation", list(Relation))
def test_the_right_constants_pass_the_same_search(relation: Relation) -> None:
    for blocks, times in ((UNIT, 1), (SQUARE, 1), (SQUARE, 4), (((1, 0.01),), 1)):
        setting = replace(wide(blocks, times), relation=relation)
        pairs = [opposite(setting), *corner_pairs(setting)]
        for name in PURE:
            assert ratio(setting, pairs, name) <= CLAIM


def test_the_page_states_these_numbers() -> None:
    table = {cells[0]: float(cells[-1]) for cells in rows_of("objective-perturbation", "Broken")}
    assert table.keys() == BREAKS.keys()
    for condition, value in table.items():
        assert value == pytest.approx(BREAKS[condition](), abs=0.06), condition
