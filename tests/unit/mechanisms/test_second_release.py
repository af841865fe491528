"""The second release: what the solver's offset within τ gives away, and what is left of it.

A solver may return any point within τ of θ*, and which one may depend on the data. Here it does
so as badly as it can. p = 1, and everything is integrated over θ* exactly.
"""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from tests.unit.mechanisms.calibrations import EPSILON, calibration_of, inside_of, law_of
from tests.unit.mechanisms.densities import ROUNDING, Setting, log_density, margin_gamma, opposite

from dpwerm.arrays import FloatArray
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.privacy.budget import Budget, Relation

HINGE = HuberisedHinge(0.5)
LINE = ((1, 1.75),)
CLAIM = float(EPSILON)

Move = Callable[[FloatArray], FloatArray]
"""Where the solver stops, for θ* in units of τ from a centre."""


def pull(u: FloatArray) -> FloatArray:
    return u - np.clip(u, -1, 1)


def push(u: FloatArray) -> FloatArray:
    return u + np.sign(u)


def even(u: FloatArray) -> FloatArray:
    return 2 * np.round(u / 2)


def odd(u: FloatArray) -> FloatArray:
    return 2 * np.floor(u / 2) + 1


MOVES = [(pull, push), (push, pull), (even, odd), (odd, even)]


def setting_of(relation: Relation) -> Setting:
    return Setting(HINGE, LINE, 3.0, margin_gamma(HINGE, LINE, 3.0), relation)


def log_ratios(
    setting: Setting, calibration: Calibration, moves: tuple[Move, Move], scale: float
) -> FloatArray:
    """Return log-ratios of the densities of θ̃ + Laplace noise at points around a centre.

    The centre lies where the two densities of θ* differ by e^ε_in; ``scale`` and everything else
    is in units of τ. What is further away than 40 scales counts less than e^−40.
    """
    reach = math.ceil(40 * scale)
    edges = np.arange(-reach, reach + 1, dtype=float)
    nodes, weights = np.polynomial.legendre.leggauss(2)
    u = ((edges[1:] + edges[:-1])[:, None] / 2 + nodes / 2).ravel()
    kink = (1 - HINGE.h) / setting.radius
    theta = kink + calibration.tolerance * (u + reach + 1)
    at = np.concatenate([np.linspace(-3, 3, 25), np.linspace(-3 * scale, 3 * scale, 9)])
    logs = []
    for data, move in zip(opposite(setting), moves, strict=True):
        stop = move(u)
        assert np.abs(stop - u).max() <= 1 + ROUNDING
        star = log_density(setting, data, theta[:, None], law_of(setting, calibration))
        kernel = np.exp(-np.abs(at[:, None] - stop) / scale)
        logs.append(np.log(kernel @ (np.tile(weights, len(edges) - 1) * np.exp(star))))
    difference: FloatArray = logs[0] - logs[1]
    return difference


def noise_scale(calibration: Calibration) -> float:
    """Return the scale of the calibration's own second noise in units of τ."""
    return calibration.noise.scale / calibration.tolerance


@pytest.mark.parametrize("relation", list(Relation))
def test_the_second_noise_is_made_for_twice_the_tolerance(relation: Relation) -> None:
    for name in ("objective-l2", "objective-block", "objective-gaussian"):
        delta = EPSILON / 10**6 if name == "objective-gaussian" else EPSILON * 0
        calibration = calibration_of(setting_of(relation), name, delta=delta)
        inside, noise = inside_of(calibration), calibration.noise
        assert noise.mechanism == "spherical-laplace"
        assert noise.exact_sensitivity >= 2 * Fraction(calibration.tolerance)
        assert noise.budget == Budget(inside.epsilon_outside)
        assert calibration.budget == Budget(inside.epsilon_inside + inside.epsilon_outside, delta)


def test_without_it_the_published_integers_tell_neighbours_apart() -> None:
    # θ̃ is rounded to even multiples of τ for D and to odd ones for D', each within τ of θ*.
    calibration = calibration_of(setting_of(Relation.REPLACE_ONE), "objective-l2")
    tau, grid = Fraction(calibration.tolerance), Fraction(2) ** calibration.noise.exponent

    def cells(parity: int) -> set[int]:
        return {math.floor((2 * k + parity) * tau / grid + Fraction(1, 2)) for k in range(5000)}

    assert grid < tau
    assert not cells(0) & cells(1)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("moves", MOVES)
def test_with_it_every_offset_stays_within_epsilon(
    relation: Relation, moves: tuple[Move, Move]
) -> None:
    setting = setting_of(relation)
    calibration = calibration_of(setting, "objective-l2")
    worst = np.abs(log_ratios(setting, calibration, moves, noise_scale(calibration))).max()
    assert worst <= CLAIM + ROUNDING


@pytest.mark.parametrize("relation", list(Relation))
def test_pulling_for_one_and_pushing_for_the_other_uses_the_whole_of_epsilon(
    relation: Relation,
) -> None:
    setting = setting_of(relation)
    calibration = calibration_of(setting, "objective-l2")
    inside = inside_of(calibration)
    worst = np.abs(log_ratios(setting, calibration, (pull, push), noise_scale(calibration))).max()
    assert worst >= float(inside.epsilon_inside) + 0.98 * float(inside.epsilon_outside)


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("part", [10, 2])
def test_a_second_noise_too_small_is_found(relation: Relation, part: int) -> None:
    setting = setting_of(relation)
    calibration = calibration_of(setting, "objective-l2")
    worst = np.abs(
        log_ratios(setting, calibration, (pull, push), noise_scale(calibration) / part)
    ).max()
    assert worst > CLAIM + 0.5 * (part - 1) * float(inside_of(calibration).epsilon_outside)
