import numpy as np
import pyarrow as pa
import pytest

from dpwerm.errors import ParameterError
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.trial_rows import rows_of_arrays, rows_of_table
from dpwerm.simulate.demo import demo_trial, study_text
from dpwerm.study.declaration import Study
from dpwerm.study.trial import read_trial

STUDY = Study.parse(study_text())
DECLARED = Declaration.of_study(STUDY)
ARRAYS = Declaration.of_keys(
    {"column": "treatment", "arms": {"a": "1/4", "b": "3/4"}},
    {"column": "benefit", "bounds": [0, 4]},
)


def test_rows_of_a_table_are_bounded() -> None:
    rows = rows_of_table(DECLARED, STUDY.encoding(), read_trial(STUDY, demo_trial(200)))
    assert rows.X.shape == (200, 4)
    assert np.abs(rows.X).max() <= 1
    assert set(rows.labels) <= {-1.0, 1.0}
    assert 0 <= rows.weights.min() <= rows.weights.max() <= DECLARED.weight_bound


def test_a_clip_bounds_the_weights_of_the_same_table() -> None:
    table = read_trial(STUDY, demo_trial(200))
    half = DECLARED.clipped_at(0.5)
    assert half.weight_bound == DECLARED.weight_bound / 2
    free = rows_of_table(DECLARED, STUDY.encoding(), table)
    clipped = rows_of_table(half, STUDY.encoding(), table)
    assert np.array_equal(clipped.labels, free.labels)
    assert np.array_equal(clipped.weights, np.minimum(free.weights, half.weight_bound))


def test_an_unusable_row_weighs_nothing_and_stays() -> None:
    trial = (
        demo_trial(3)
        .drop_columns(["improvement"])
        .append_column("improvement", pa.array(["", "5", "text"]))
    )
    rows = rows_of_table(DECLARED, STUDY.encoding(), read_trial(STUDY, trial))
    assert (rows.weights > 0).tolist() == [False, True, False]


def test_rows_of_arrays_follow_the_formula() -> None:
    rows = rows_of_arrays(np.zeros((3, 1)), ["a", "b", "b"], [4.0, 4.0, 1.0], None, ARRAYS)
    # Centre 2: v = 2, 2, −1; P = 1/4, 3/4, 3/4.
    assert rows.labels.tolist() == [-1.0, 1.0, -1.0]
    assert rows.weights.tolist() == pytest.approx([8.0, 8 / 3, 4 / 3])


def test_sensitive_rows_are_not_printed() -> None:
    rows = rows_of_arrays(np.full((1, 1), 0.73125), ["a"], [4.0], None, ARRAYS)
    assert "0.73125" not in repr(rows)


@pytest.mark.parametrize(
    ("arms", "benefit", "propensity", "words"),
    [
        (None, [1.0], None, "treatment is missing"),
        (["a"], None, None, "benefit is missing"),
        (["c"], [1.0], None, "labels other than a and b"),
        (["a"], [1.0], [0.5], "the arms have probabilities"),
        (["a", "b"], [1.0], None, "treatment has 2 entries"),
        ([["a"]], [1.0], None, "one-dimensional"),
    ],
)
def test_wrong_arrays_are_named(
    arms: object, benefit: list[float] | None, propensity: list[float] | None, words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        rows_of_arrays(np.zeros((1, 1)), arms, benefit, propensity, ARRAYS)
