"""The pure mechanisms: β from its formula, the conditions, and a whole run without a row."""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.features.domains import Curved, of_blocks
from tests.unit.mechanisms.calibrations import inside_of, rate_of
from tests.unit.mechanisms.perturbed_cases import (
    BLOCKS,
    P,
    blockwise,
    empty,
    facts,
    spherical,
    two_streams,
)

from dpwerm.errors import ParameterError
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.objective_perturbation import (
    ObjectiveBlock,
    ObjectiveEuclidean,
    ObjectivePerturbation,
)
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import ExternalModel, WorstCase

L2, BLOCK = ObjectiveEuclidean(), ObjectiveBlock()
both = pytest.mark.parametrize("mechanism", [L2, BLOCK], ids=lambda one: one.name)
relations = pytest.mark.parametrize("relation", list(Relation))


def number(exact: Fraction | float) -> Any:
    exact = Fraction(exact)
    return mpmath.mpf(exact.numerator) / exact.denominator


def formula(mechanism: ObjectivePerturbation, chosen: Facts, epsilon: str) -> Any:
    """β of theory, section 5, from the facts alone, at the working precision of mpmath."""
    w, c, r = (number(one) for one in (chosen.weight_bound, chosen.smoothness, chosen.radius))
    kappa = r if mechanism is L2 else mpmath.mpf(1)
    inside = mpmath.mpf(99) / 100 * mpmath.mpf(epsilon)
    records = 2 if chosen.relation is Relation.REPLACE_ONE else 1
    curvature = mpmath.log(1 + w * c * r**2 / number(chosen.gamma))
    return (inside - curvature) / (records * w * number(chosen.lipschitz) * kappa)


@both
@relations
@pytest.mark.parametrize("epsilon", ["0.1", "1", "7.3"])
def test_the_rate_is_that_of_the_formula_and_not_above_it(
    mechanism: ObjectivePerturbation, relation: Relation, epsilon: str
) -> None:
    chosen = facts(relation)
    rate = rate_of(mechanism.calibrate(chosen, Budget.of(epsilon)))
    with mpmath.workdps(60):
        exact = formula(mechanism, chosen, epsilon)
        assert exact * (1 - mpmath.mpf(2) ** -51) <= rate <= exact


@both
@relations
@given(
    w=st.floats(1e-3, 1e3),
    lipschitz=st.floats(1e-3, 1e3),
    c=st.floats(1e-3, 1e3),
    r=st.floats(1e-2, 1e2),
    gamma=st.floats(1e-3, 1e9),
    epsilon=st.decimals("0.001", "100", places=4),
)
@settings(max_examples=40, deadline=None)
def test_the_promise_is_kept_for_all_facts(
    mechanism: ObjectivePerturbation,
    relation: Relation,
    w: float,
    lipschitz: float,
    c: float,
    r: float,
    gamma: float,
    epsilon: Decimal,
) -> None:
    chosen = replace(
        facts(relation),
        weight_bound=w,
        lipschitz=lipschitz,
        smoothness=c,
        domain=of_blocks((width, bound * r / 2) for width, bound in BLOCKS),
        gamma=gamma,
    )
    with mpmath.workdps(60):
        exact = formula(mechanism, chosen, str(epsilon))
        if exact <= 0:
            with pytest.raises(ParameterError, match="needs"):
                mechanism.calibrate(chosen, Budget.of(epsilon))
            return
        calibration = mechanism.calibrate(chosen, Budget.of(epsilon))
        assert exact * (1 - mpmath.mpf(2) ** -51) <= rate_of(calibration) <= exact


@both
def test_epsilon_is_split_and_the_second_noise_is_made_for_twice_the_tolerance(
    mechanism: ObjectivePerturbation,
) -> None:
    calibration = mechanism.calibrate(facts(), Budget.of("0.7"))
    inside = inside_of(calibration)
    assert inside.epsilon_inside + inside.epsilon_outside == Decimal("0.7")
    assert calibration.noise.mechanism == "spherical-laplace"
    assert calibration.noise.budget == Budget(inside.epsilon_outside) == Budget.of("0.007")
    assert Fraction(calibration.noise.sensitivity) == 2 * Fraction(calibration.tolerance)
    tolerance = 1e-8 * 2 * 3.0 * 1.25 * 1.75 / 110.0
    assert calibration.tolerance == pytest.approx(tolerance, rel=1e-14)
    assert calibration.noise.scale == pytest.approx(2 * tolerance / 0.007, rel=1e-14)
    assert calibration.sensitivity is None


@both
def test_weights_that_depend_on_others_are_refused(mechanism: ObjectivePerturbation) -> None:
    for n in (1, 7):
        worst = replace(facts(), origin=WorstCase(), n=n)
        with pytest.raises(ParameterError, match="worst_case use spherical-laplace"):
            mechanism.calibrate(worst, Budget.of(1))
    with pytest.raises(ParameterError, match="worst_case"):
        mechanism.calibrate(replace(facts(Relation.ADD_REMOVE), origin=WorstCase()), Budget.of(1))
    external = replace(facts(), origin=ExternalModel())
    assert rate_of(mechanism.calibrate(external, Budget.of(1))) == rate_of(
        mechanism.calibrate(facts(), Budget.of(1))
    )


@both
def test_another_regulariser_is_refused(mechanism: ObjectivePerturbation) -> None:
    with pytest.raises(
        ParameterError, match="needs the regularizer ridge or another quadratic one; for"
    ):
        mechanism.calibrate(replace(facts(), regularizer=Curved()), Budget.of(1))


class Masked:
    """A regulariser that calls itself ridge and leaves the intercept out."""

    name: ClassVar[str] = "ridge"
    parameters: ClassVar[dict[str, float]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(Ridge(), name)


@both
def test_nothing_runs_with_a_regulariser_that_only_has_the_name(
    mechanism: ObjectivePerturbation,
) -> None:
    calibration = mechanism.calibrate(facts(Relation.ADD_REMOVE), Budget.of(1))
    masked: Any = Masked()
    with pytest.raises(ParameterError, match="regularizer or linear term of the objective are not"):
        mechanism.run(replace(empty(), regularizer=masked), calibration, SeededBits(0))


@both
@pytest.mark.parametrize("seed", range(4))
def test_without_a_row_the_run_is_the_noise_over_gamma_and_the_second_noise(
    mechanism: ObjectivePerturbation, seed: int
) -> None:
    calibration = mechanism.calibrate(facts(Relation.ADD_REMOVE), Budget.of(1))
    released = mechanism.run(empty(), calibration, SeededBits(seed))
    for_b, for_second = two_streams(seed)
    with mpmath.workdps(60):
        scale = 1 / mpmath.mpf(rate_of(calibration))
        b = spherical(for_b, P, scale) if mechanism is L2 else blockwise(for_b, BLOCKS, scale)
        second = spherical(for_second, P, 200 * mpmath.mpf(calibration.tolerance))
        grid = mpmath.mpf(2) ** calibration.noise.exponent
        reach = grid / 2 + mpmath.mpf(calibration.tolerance)
        for k, one, z in zip(released, b, second, strict=True):
            assert abs(k * grid - (-one / 110 + z)) <= reach
        # The second noise is there: without it the numbers would be elsewhere.
        assert mpmath.norm(second) > 100 * reach


def test_the_block_norm_needs_less_noise_where_rows_fill_a_box() -> None:
    box = replace(facts(), domain=of_blocks(((1, 1.0),) * 5))
    l2, block = (rate_of(one.calibrate(box, Budget.of(1))) for one in (L2, BLOCK))
    # E‖b‖² is p(p+1)/β² for the ball, and p/3·(p+1)(p+2)/β² for the box.
    p = 5
    ratio = (p / 3 * (p + 1) * (p + 2) / block**2) / (p * (p + 1) / l2**2)
    assert ratio == pytest.approx((p + 2) / (3 * p), rel=1e-12)


def test_they_are_in_the_table() -> None:
    assert isinstance(get_mechanism("objective-l2"), ObjectiveEuclidean)
    assert isinstance(get_mechanism("objective-block"), ObjectiveBlock)
    assert np.all(
        [one.calibrate(facts(), Budget.of(1)).mechanism == one.name for one in (L2, BLOCK)]
    )
