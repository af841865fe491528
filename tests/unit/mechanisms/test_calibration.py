from dataclasses import FrozenInstanceError, replace
from typing import Any, cast

import numpy as np
import pytest
from tests.unit.features.domains import of_blocks
from tests.unit.mechanisms.perturbed_cases import BLOCKS, empty, facts

from dpwerm.errors import ParameterError
from dpwerm.mechanisms import MECHANISMS, get_mechanism
from dpwerm.mechanisms.contract import Calibration, Mechanism, calibrated, check_run, spent
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import AnyBudget, Budget, Relation
from dpwerm.privacy.sensitivity import Facts

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


def test_it_is_computed_once_and_also_for_what_cannot_be_hashed() -> None:
    class Counting:
        """A mechanism that counts; the second kind cannot be hashed."""

        calls = 0

        def calibrate(self, facts: Facts, budget: AnyBudget) -> Calibration:
            type(self).calls += 1
            return get_mechanism("spherical-laplace").calibrate(facts, budget)

    class Unhashable(Counting):
        __hash__ = None  # type: ignore[assignment]

    known = facts(Relation.ADD_REMOVE)
    for kind, calls in ((Counting, 1), (Unhashable, 2)):
        kind.calls = 0
        one = cast("Mechanism", kind())
        assert calibrated(one, known, Budget.of(1)) == calibrated(one, known, Budget.of(1))
        assert kind.calls == calls
