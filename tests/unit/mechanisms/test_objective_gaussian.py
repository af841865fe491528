"""The Gaussian mechanism inside: σ from its two conditions, and a whole run without a row."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from tests.unit.features.domains import Curved
from tests.unit.mechanisms.perturbed_cases import (
    P,
    empty,
    facts,
    normals,
    spherical,
    two_streams,
    uniforms,
)

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.contract import Calibration
from dpwerm.mechanisms.objective_perturbation import ObjectiveGaussian, inside_multiplier
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import WorstCase

MECHANISM = ObjectiveGaussian()
relations = pytest.mark.parametrize("relation", list(Relation))


def sigma_of(calibration: Calibration) -> float:
    assert calibration.inside is not None
    assert calibration.inside.sigma is not None
    return calibration.inside.sigma


def cost(chosen: Facts, sigma: Any, epsilon: str) -> tuple[Any, Any]:
    """Return the bound on δ and e − D²/(2σ²), from the facts alone."""
    records = 2 if chosen.relation is Relation.REPLACE_ONE else 1
    w, c, r = (mpmath.mpf(x) for x in (chosen.weight_bound, chosen.smoothness, chosen.radius))
    shift = records * w * mpmath.mpf(chosen.lipschitz) * r
    curvature = mpmath.log(1 + w * c * r**2 / mpmath.mpf(chosen.gamma))
    e = mpmath.mpf(99) / 100 * mpmath.mpf(epsilon) - curvature
    half, product = shift / (2 * sigma), e * sigma / shift
    h = mpmath.ncdf(half - product) - mpmath.exp(e) * mpmath.ncdf(-half - product)
    return 2 * records * h, e - shift**2 / (2 * sigma**2)


@relations
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5", "40"])
@pytest.mark.parametrize("delta", ["1e-30", "1e-6", "0.01", "0.5", "0.999"])
def test_sigma_is_the_smallest_that_meets_both_conditions(
    relation: Relation, epsilon: str, delta: str
) -> None:
    chosen = facts(relation)
    sigma = sigma_of(MECHANISM.calibrate(chosen, Budget.of(epsilon, delta)))
    with mpmath.workdps(60):
        spent, room = cost(chosen, mpmath.mpf(sigma), epsilon)
        assert spent <= mpmath.mpf(delta)
        assert room >= 0
        spent, room = cost(chosen, mpmath.mpf(sigma) * (1 - mpmath.mpf(10) ** -8), epsilon)
        assert spent > mpmath.mpf(delta) or room < 0


def test_each_condition_is_the_one_that_counts_somewhere() -> None:
    left = Fraction(1, 2)
    for delta, by_room in ((Fraction(1, 10**6), False), (Fraction(99, 100), True)):
        m = inside_multiplier(left, delta)
        assert (float(2 * left * m**2) == pytest.approx(1.0, abs=1e-8)) is by_room


def test_replacing_costs_more_than_twice_what_removing_costs() -> None:
    one, two = (
        sigma_of(MECHANISM.calibrate(facts(relation), Budget.of(1, "1e-6")))
        for relation in (Relation.ADD_REMOVE, Relation.REPLACE_ONE)
    )
    assert 2 * one < two < 2.2 * one


def test_the_conditions_of_the_theorem_are_asked_for() -> None:
    budget = Budget.of(1, "1e-6")
    with pytest.raises(ParameterError, match="needs delta above 0"):
        MECHANISM.calibrate(facts(), Budget.of(1))
    with pytest.raises(ParameterError, match="worst_case"):
        MECHANISM.calibrate(replace(facts(), origin=WorstCase()), budget)
    with pytest.raises(ParameterError, match="needs the regularizer ridge"):
        MECHANISM.calibrate(replace(facts(), regularizer=Curved()), budget)
    with pytest.raises(ParameterError, match="needs gamma of at least"):
        MECHANISM.calibrate(replace(facts(), gamma=1.0), budget)


@pytest.mark.parametrize("seed", range(4))
def test_without_a_row_the_run_is_the_noise_over_gamma_and_the_second_noise(seed: int) -> None:
    calibration = MECHANISM.calibrate(facts(Relation.ADD_REMOVE), Budget.of(1, "1e-6"))
    released = MECHANISM.run(empty(), calibration, SeededBits(seed))
    for_b, for_second = two_streams(seed)
    with mpmath.workdps(60):
        b = [mpmath.mpf(sigma_of(calibration)) * z for z in normals(uniforms(for_b, P))]
        second = spherical(for_second, P, 200 * mpmath.mpf(calibration.tolerance))
        grid = mpmath.mpf(2) ** calibration.noise.exponent
        reach = grid / 2 + mpmath.mpf(calibration.tolerance)
        for k, one, z in zip(released, b, second, strict=True):
            assert abs(k * grid - (-one / 110 + z)) <= reach
    assert math.isfinite(sigma_of(calibration))
