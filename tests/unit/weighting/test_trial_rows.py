from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dpwerm.arrays import FloatArray
from dpwerm.features.encoding import Encoding
from dpwerm.simulate.demo import demo_trial, study_text
from dpwerm.study.study import Study, read_trial
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, TrialRows
from dpwerm.weighting.trial import trial_of_arrays, trial_of_table

STUDY = Study.parse(study_text())
DECLARED = STUDY.declaration()
NUMBERS = Encoding.of_numbers(["x"], [(-1.0, 1.0)])
ARRAYS = Declaration.of_keys(
    {"column": "treatment", "arms": {"a": "1/4", "b": "3/4"}},
    {"column": "benefit", "bounds": [0, 4]},
)
MODEL = Declaration.of_keys(
    {
        "column": "treatment",
        "arms": ["a", "b"],
        "propensity": {"model": "private"},
        "propensity_floor": "1/10",
    },
    {"column": "benefit", "bounds": [0, 4]},
)


def rows_of_demo(declaration: Declaration, trial: pa.Table) -> TrialRows:
    found = trial_of_table(declaration, read_trial(STUDY, trial))
    assert found.given_propensity is not None
    return OUTCOME_WEIGHTED.rows(found, declaration, STUDY.encoding(), found.given_propensity)


def rows_of_arrays(
    declaration: Declaration, arms: list[str], benefit: list[float], second: FloatArray
) -> TrialRows:
    trial = trial_of_arrays(np.full((len(arms), 1), 0.73125), arms, benefit, None, declaration)
    return OUTCOME_WEIGHTED.rows(trial, declaration, NUMBERS, second)


def test_rows_of_a_table_are_bounded() -> None:
    rows = rows_of_demo(DECLARED, demo_trial(200))
    assert rows.X.shape == (200, 4)
    assert np.abs(rows.X).max() <= 1
    assert set(rows.targets) <= {-1.0, 1.0}
    assert 0 <= rows.weights.min() <= rows.weights.max() <= OUTCOME_WEIGHTED.weight_bound(DECLARED)


def test_a_clip_bounds_the_weights_of_the_same_table() -> None:
    half = DECLARED.clipped_at(0.5)
    assert OUTCOME_WEIGHTED.weight_bound(half) == OUTCOME_WEIGHTED.weight_bound(DECLARED) / 2
    free, clipped = (rows_of_demo(each, demo_trial(200)) for each in (DECLARED, half))
    assert np.array_equal(clipped.targets, free.targets)
    assert np.array_equal(
        clipped.weights, np.minimum(free.weights, OUTCOME_WEIGHTED.weight_bound(half))
    )


def test_the_weight_bound_is_v_over_pi_min_rounded_up() -> None:
    exact = Fraction(MODEL.benefit.clip) / Fraction(MODEL.treatment.pi_min)
    bound = Fraction(OUTCOME_WEIGHTED.weight_bound(MODEL))
    assert exact <= bound < exact * (1 + Fraction(1, 2**50))


def test_an_unusable_row_weighs_nothing_and_stays() -> None:
    trial = (
        demo_trial(3)
        .drop_columns(["improvement"])
        .append_column("improvement", pa.array(["", "5", "text"]))
    )
    assert (rows_of_demo(DECLARED, trial).weights > 0).tolist() == [False, True, False]


def test_rows_of_arrays_follow_the_formula() -> None:
    rows = rows_of_arrays(ARRAYS, ["a", "b", "b"], [4.0, 4.0, 1.0], np.full(3, 0.75))
    # Centre 2: v = 2, 2, −1; P = 1/4, 3/4, 3/4.
    assert rows.targets.tolist() == [-1.0, 1.0, -1.0]
    assert rows.weights.tolist() == pytest.approx([8.0, 8 / 3, 4 / 3])


def test_a_model_s_probabilities_are_clipped_at_the_floor() -> None:
    second = np.array([0.3, 0.3, 0.0, 1e-300, 1.0, np.nan])
    rows = rows_of_arrays(MODEL, ["a", "b", "a", "b", "a", "b"], [4.0] * 6, second)
    assert rows.weights.tolist() == pytest.approx([2 / 0.7, 2 / 0.3, 2 / 0.9, 20, 20, 0])
    assert (
        rows.weights.max() <= OUTCOME_WEIGHTED.weight_bound(MODEL) == pytest.approx(20, rel=1e-15)
    )


def test_what_the_design_fixes_is_never_replaced() -> None:
    rows = rows_of_arrays(ARRAYS, ["a", "b"], [4.0, 4.0], np.full(2, 0.01))
    assert rows.weights.tolist() == pytest.approx([8.0, 8 / 3])


def test_sensitive_rows_are_not_printed() -> None:
    assert "0.73125" not in repr(rows_of_arrays(ARRAYS, ["a"], [4.0], np.full(1, 0.75)))
