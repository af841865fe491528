"""Many trials out of one table have the rows, weights and calibration of a fit."""

import numpy as np
import pytest
from tests.bad_input.base import sound_table
from tests.unit.plan.studies import OPEN, PRIVATE_MODEL, study

from dpwerm.errors import ParameterError
from dpwerm.plan.expected import settle
from dpwerm.privacy.budget import Budget
from dpwerm.study.study import Study, read_trial
from dpwerm.tune.algorithm2 import problems_of
from dpwerm.weighting.trial import Trial, trial_of_table

FIXED = OPEN + 'gamma = 30\nmechanism = "spherical-laplace"\n'


def small_trial(declared: Study, tmp: "pytest.TempPathFactory") -> Trial:
    path = tmp.mktemp("many") / "trial.csv"
    path.write_bytes(sound_table().to_bytes())
    settled = settle(declared, Budget.of("1"), 20)
    return trial_of_table(settled.declared, read_trial(declared, path))


def test_rows_may_repeat_and_keep_their_weights(tmp_path_factory: pytest.TempPathFactory) -> None:
    declared = study(FIXED)
    trial = small_trial(declared, tmp_path_factory)
    settled = settle(declared, Budget.of("1"), 20)
    whole = problems_of(settled, trial, np.arange(trial.n_rows)[None])
    some = problems_of(settled, trial, np.array([[3, 3, 0], [1, 2, 4]]))
    assert some.X.shape == (2, 3, whole.X.shape[2])
    np.testing.assert_array_equal(some.X[0], whole.X[0, [3, 3, 0]])
    np.testing.assert_array_equal(some.weights[1], whole.weights[0, [1, 2, 4]])
    np.testing.assert_array_equal(some.targets[0], whole.targets[0, [3, 3, 0]])
    assert whole.weights.max() <= settled.spec.weight_bound


def test_a_plan_takes_other_settings() -> None:
    settled = settle(study(FIXED), Budget.of("1"), 20)
    plain, doubled = settled.calibration(20), settled.calibration(20, gamma=60.0)
    assert plain.facts.gamma == 30
    assert doubled.facts.gamma == 60
    assert plain.noise.scale == pytest.approx(2 * doubled.noise.scale)
    assert settled.calibration(20, budget=Budget.of("2")).noise.scale < plain.noise.scale


def test_a_propensity_model_of_the_same_people_is_refused(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    declared = study(PRIVATE_MODEL + 'gamma = 30\nmechanism = "spherical-laplace"\n')
    trial = small_trial(declared, tmp_path_factory)
    settled = settle(declared, Budget.of("1"), 20)
    with pytest.raises(ParameterError, match="known propensities"):
        problems_of(settled, trial, np.array([[0, 1]]))
