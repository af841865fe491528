from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from tests.unit.features.domains import of_blocks
from tests.unit.mechanisms.perturbed_cases import BLOCKS, empty, facts

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.composed import Hull, Product
from dpwerm.features.domain import Domain, Interval
from dpwerm.mechanisms import MECHANISMS, get_mechanism
from dpwerm.mechanisms.contract import Calibration, Mechanism, calibrated, check_run, spent
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import AnyBudget, Budget, Relation
from dpwerm.privacy.sensitivity import Facts, WeightOrigin
from dpwerm.privacy.weight_origin import WorstCase

MECHANISM = get_mechanism("objective-block")
CALIBRATION = MECHANISM.calibrate(facts(Relation.ADD_REMOVE), Budget.of(1))


def rows(*block: float) -> Objective:
    """Return an objective of one row whose block of width 3 is this."""
    blank = empty()
    X = np.array([[1.0, *block, -0.5]])
    data = MemoryRows(X, np.ones(1), np.ones(1), 0.5, blank.data.column_bounds)
    return replace(blank, data=data)


@pytest.mark.parametrize(
    "block", [(0, 1.25, 0), (0, 0, 0), (-1.25, 0, 0), (0.25, -0.5, 0.125), (0.3, 0.3, 0.64)]
)
def test_a_row_inside_its_block_is_taken(block: tuple[float, ...]) -> None:
    check_run(MECHANISM, rows(*block), CALIBRATION)


# The last sum is above 1.25 by less than a double can tell; rounded, it is exactly 1.25.
@pytest.mark.parametrize("block", [(1, 1, 1), (0.75, -0.51, 0), (1.25, 2.0**-60, 0)])
def test_a_row_outside_its_block_is_not(block: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="X has a row outside the calibration's domain"):
        check_run(MECHANISM, rows(*block), CALIBRATION)


def test_the_plan_of_another_mechanism_is_refused() -> None:
    with pytest.raises(ParameterError, match="the calibration is for objective-block"):
        check_run(get_mechanism("objective-l2"), empty(), CALIBRATION)


def test_a_plan_cannot_be_changed() -> None:
    changing: Any = CALIBRATION
    with pytest.raises(FrozenInstanceError):
        changing.tolerance = 1.0
    assert CALIBRATION.facts.domain == of_blocks(BLOCKS)


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_a_mechanism_spends_no_delta_unless_it_needs_one(name: str) -> None:
    mechanism = MECHANISMS[name]
    kept = Budget.of(1, "1e-6") if mechanism.needs_delta else Budget.of(1)
    assert spent(mechanism, Budget.of(1, "1e-6")) == kept
    assert spent(mechanism, Budget.zcdp("0.1")) == Budget.zcdp("0.1")


# -- what is computed once ---------------------------------------------------------------------

LAPLACE = get_mechanism("spherical-laplace")
KNOWN = facts()


def scale(known: Facts) -> float:
    return calibrated(LAPLACE, known, Budget.of(1)).noise.scale


def test_the_librarys_own_is_computed_once() -> None:
    first = calibrated(LAPLACE, KNOWN, Budget.of(1))
    assert calibrated(LAPLACE, facts(), Budget.of(1)) is first
    assert calibrated(LAPLACE, replace(KNOWN, gamma=111.0), Budget.of(1)) != first


def test_a_mechanism_of_ones_own_is_asked_at_each_call() -> None:
    class Counting:
        calls = 0

        def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
            type(self).calls += 1
            return LAPLACE.calibrate(facts, budget)

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    one = cast("Mechanism", Counting())
    assert calibrated(one, KNOWN, Budget.of(1)) == calibrated(one, KNOWN, Budget.of(1))
    assert Counting.calls == 2


class Some(WorstCase):
    """Some of the people's weights may move; equality is inherited and compares nothing."""

    people: int

    def __init__(self, people: int) -> None:
        object.__setattr__(self, "people", people)

    @property
    def parameters(self) -> dict[str, float]:
        return {"people": self.people}

    def constant(self, facts: Facts) -> Fraction:
        return self.people * facts.gradient_bound


class Changing(WeightOrigin):
    """An origin that can be changed; it is equal to itself whatever it says."""

    name = "changing"
    statement = "as it is at the moment"
    people = 0

    def constant(self, facts: Facts) -> Fraction:
        return self.people * facts.gradient_bound


class Stiff(Ridge):
    """R = ½k‖θ‖², which inherits an equality that leaves k out."""

    k: float

    def __init__(self, k: float = 1.0) -> None:
        object.__setattr__(self, "k", k)

    @property
    def parameters(self) -> dict[str, float]:
        return {"k": self.k}

    def matrix(self, p: int) -> FloatArray:
        return self.k * np.eye(p)

    def leverage(self, domain: Domain) -> Fraction:
        return super().leverage(domain) / Fraction(self.k)


class Wider(Interval):
    """An interval of another class."""


def test_an_origin_that_inherits_its_equality_has_noise_of_its_own() -> None:
    assert Some(0) == Some(98)
    small, large = (scale(replace(KNOWN, origin=Some(people))) for people in (0, 98))
    assert large == pytest.approx(50 * small)


def test_an_origin_that_was_changed_has_other_noise() -> None:
    origin = Changing()
    known = replace(KNOWN, origin=origin)
    before = calibrated(LAPLACE, known, Budget.of(1))
    origin.people = 98
    assert scale(known) == pytest.approx(50 * before.noise.scale)
    with pytest.raises(ParameterError, match="does not follow from its facts"):
        check_run(LAPLACE, empty(), before)


def test_a_domain_with_a_part_of_ones_own_is_computed_at_each_call() -> None:
    known = replace(KNOWN, domain=Product((Hull((Wider(1.0),)), Interval(1.0))))
    assert calibrated(LAPLACE, known, Budget.of(1)) is not calibrated(LAPLACE, known, Budget.of(1))


def test_a_penalty_that_inherits_its_equality_has_noise_of_its_own() -> None:
    assert Stiff(1.0) == Stiff(4.0)
    block = get_mechanism("objective-block")
    weak, strong = (
        calibrated(block, replace(facts(Relation.ADD_REMOVE), regularizer=Stiff(k)), Budget.of(1))
        for k in (1.0, 4.0)
    )
    assert weak.inside is not None
    assert strong.inside is not None
    assert weak.inside.jacobian > strong.inside.jacobian


def test_an_objective_with_another_penalty_is_refused() -> None:
    known = replace(facts(Relation.ADD_REMOVE), regularizer=Stiff(4.0))
    calibration = calibrated(MECHANISM, known, Budget.of(1))
    check_run(MECHANISM, replace(empty(), regularizer=Stiff(4.0)), calibration)
    for other in (Stiff(1.0), Ridge()):
        with pytest.raises(ParameterError, match="regularizer or linear term"):
            check_run(MECHANISM, replace(empty(), regularizer=other), calibration)
