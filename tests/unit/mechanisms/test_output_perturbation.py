from fractions import Fraction

import numpy as np
import pytest
from tests.unit.mechanisms.laws import NOISE_LAWS
from tests.unit.mechanisms.perturbed_cases import empty, facts

from dpwerm.mechanisms import get_mechanism
from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import SeededBits
from dpwerm.privacy.sensitivity import l2_sensitivity, total_sensitivity
from dpwerm.solve.newton import minimise

every = pytest.mark.parametrize("name", sorted(NOISE_LAWS))


def budget_for(name: str) -> Budget:
    return Budget.of("inf") if name == "none" else Budget.of(1, "1e-6" if name == "gaussian" else 0)


@every
def test_the_noise_is_made_for_the_minimiser_and_two_tolerances(name: str) -> None:
    calibration = get_mechanism(name).calibrate(facts(), budget_for(name))
    assert calibration.sensitivity == l2_sensitivity(facts())
    assert calibration.noise.sensitivity == total_sensitivity(
        calibration.sensitivity, calibration.tolerance
    )
    assert Fraction(calibration.noise.sensitivity) >= Fraction(
        calibration.sensitivity
    ) + 2 * Fraction(calibration.tolerance)
    assert calibration.inside is None
    assert calibration.noise == NOISE_LAWS[name].noise_for(
        calibration.noise.sensitivity, 6, budget_for(name)
    )


@every
def test_a_run_is_the_law_around_the_solver_s_point(name: str) -> None:
    blank = empty()
    X = np.array([[1.0, 0.0, 1.0, 0.0, 0.5], [-0.5, 0.0, 0.0, -1.0, 0.1]])
    rows = MemoryRows(X, np.array([1.0, -1.0]), np.array([3.0, 2.0]), 0.5, blank.data.column_bounds)
    objective = Objective(rows, Logistic(), 110.0)
    mechanism = get_mechanism(name)
    calibration = mechanism.calibrate(facts(Relation.ADD_REMOVE), budget_for(name))
    point = minimise(objective, calibration.tolerance).theta
    expected = NOISE_LAWS[name].release(point, calibration.noise, SeededBits(3))
    assert mechanism.run(objective, calibration, SeededBits(3)) == expected
