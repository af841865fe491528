"""Objective perturbation against its exact densities: no neighbours differ by more than ε_in.

Rate, norm, shares of ε and the smallest γ come from the library's calibration. A constant too small
in any of them breaks the first tests, one too large the tests of attainment.
"""

import math
from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest
from tests.unit.mechanisms.calibrations import (
    PURE,
    calibration_of,
    facts_of,
    inside_of,
    law_of,
    rate_of,
)
from tests.unit.mechanisms.densities import (
    ROUNDING,
    Blocks,
    Pair,
    Setting,
    block_norm,
    corner_pairs,
    corners,
    exponential,
    l2_norm,
    largest_log_ratio,
    log_density,
    margin_gamma,
    opposite,
    quadrature,
    random_pairs,
    random_people,
)

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.perturbed import gamma_floor
from dpwerm.objective.losses import HuberisedHinge, Logistic
from dpwerm.privacy.budget import Budget, Relation

LINE: Blocks = ((1, 1.75),)
PLANE: Blocks = ((1, 0.5), (1, 1.25))
LEVELS: Blocks = ((3, 1.0),)
MIXED: Blocks = ((1, 0.5), (3, 1.0))
SHAPES = [LINE, PLANE, LEVELS, MIXED]
RELATIONS = list(Relation)


def hinge(h: float, blocks: Blocks, relation: Relation, times: float = 1.0) -> Setting:
    loss = HuberisedHinge(h)
    return Setting(loss, blocks, 3.0, times * margin_gamma(loss, blocks, 3.0), relation)


def floor_of(setting: Setting, epsilon: Decimal) -> float:
    return gamma_floor(facts_of(setting), Budget(epsilon))


def claimed(setting: Setting, name: str, epsilon: Decimal) -> float:
    return float(inside_of(calibration_of(setting, name, epsilon)).epsilon_inside)


def found(setting: Setting, name: str, epsilon: Decimal, pairs: list[Pair]) -> float:
    """Return the largest log-ratio of the library's own mechanism."""
    return largest_log_ratio(
        setting, pairs, law_of(setting, calibration_of(setting, name, epsilon))
    )


@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("blocks", SHAPES)
@pytest.mark.parametrize(("h", "epsilon"), [(0.5, "1"), (0.2, "1.5"), (0.8, "0.3")])
def test_opposite_people_attain_the_bound(
    name: str, relation: Relation, blocks: Blocks, h: float, epsilon: str
) -> None:
    for times in (1.0, 4.0):
        setting = hinge(h, blocks, relation, times)
        allowed = claimed(setting, name, Decimal(epsilon))
        worst = found(setting, name, Decimal(epsilon), [opposite(setting)])
        assert worst <= allowed + ROUNDING
        assert worst >= 0.99 * allowed


@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("blocks", SHAPES)
def test_no_neighbours_exceed_the_bound(name: str, relation: Relation, blocks: Blocks) -> None:
    setting = hinge(0.5, blocks, relation, 1.5)
    generator = np.random.default_rng(11)
    pairs = corner_pairs(setting)[:8] + random_pairs(setting, 12, 3)
    pairs += corner_pairs(setting, random_people(setting, 3, generator))[:4]
    assert found(setting, name, Decimal(1), pairs) <= claimed(setting, name, Decimal(1)) + ROUNDING


@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("blocks", "times", "share"),
    [(LINE, 1.05, 0.3), (PLANE, 1.05, 0.95), (MIXED, 1.05, 0.95), (PLANE, 3.0, 0.4)],
)
def test_the_logistic_loss_stays_within_the_bound_and_comes_close_in_the_plane(
    name: str, relation: Relation, blocks: Blocks, times: float, share: float
) -> None:
    setting = Setting(Logistic(), blocks, 3.0, 1.0, relation)
    setting = replace(setting, gamma=times * floor_of(setting, Decimal(1)))
    allowed = claimed(setting, name, Decimal(1))
    pairs = corner_pairs(setting)[:8] + random_pairs(setting, 4, 1)
    worst = found(setting, name, Decimal(1), pairs)
    assert worst <= allowed + ROUNDING
    assert worst >= share * allowed


@pytest.mark.parametrize("blocks", SHAPES)
def test_kappa_is_the_largest_norm_of_a_row(blocks: Blocks) -> None:
    setting = hinge(0.5, blocks, Relation.REPLACE_ONE)
    people = random_people(setting, 1000, np.random.default_rng(2)).rows
    rows = np.concatenate([np.array(corners(setting)), people])
    for name, norm in zip(PURE, (l2_norm, block_norm(blocks)), strict=True):
        kappa = inside_of(calibration_of(setting, name)).kappa
        assert norm(rows).max() <= kappa * (1 + 1e-12)
        assert norm(rows).max() >= kappa * (1 - 1e-12)


@pytest.mark.parametrize("blocks", [LINE, MIXED])
@pytest.mark.parametrize("epsilon", ["0.2", "1", "3"])
def test_below_the_smallest_gamma_no_noise_is_enough(blocks: Blocks, epsilon: str) -> None:
    setting = hinge(0.5, blocks, Relation.REPLACE_ONE)
    floor = floor_of(setting, Decimal(epsilon))
    above, below = replace(setting, gamma=floor), replace(setting, gamma=0.999 * floor)
    allowed = claimed(above, "objective-l2", Decimal(epsilon))
    worst = found(above, "objective-l2", Decimal(epsilon), [opposite(above)])
    assert 0.99 * allowed <= worst <= allowed + ROUNDING
    with pytest.raises(ParameterError, match="gamma"):
        calibration_of(below, "objective-l2", Decimal(epsilon))
    # Even noise without limit leaves the determinants apart.
    limit = largest_log_ratio(below, [opposite(below)], exponential(1e-12, l2_norm))
    assert limit > allowed + 1e-6


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("loss", [HuberisedHinge(0.3), Logistic()])
def test_the_density_has_the_mass_one(relation: Relation, loss: HuberisedHinge | Logistic) -> None:
    # The change of variables holds across kinks: nothing is lost, nothing is counted twice.
    setting = Setting(loss, LINE, 3.0, 20.0, relation)
    calibration = calibration_of(setting, "objective-l2")
    rate = rate_of(calibration)
    for pair in [opposite(setting), *random_pairs(setting, 3, 8)]:
        theta, weights = quadrature(setting, pair, 40 / rate)
        for data in pair:
            density = (
                rate / 2 * np.exp(log_density(setting, data, theta, law_of(setting, calibration)))
            )
            assert math.isclose(float(weights @ density), 1, rel_tol=1e-5)
