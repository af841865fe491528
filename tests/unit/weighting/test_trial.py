import numpy as np
import pandas as pd
import pytest

from dpwerm.arrays import FloatArray
from dpwerm.data.table import read_table
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.trial import Trial, trial_of_arrays, trial_of_table

BENEFIT = {"column": "benefit", "bounds": [0, 4]}
DESIGN = Declaration.of_keys({"column": "treatment", "arms": {"a": "1/4", "b": "3/4"}}, BENEFIT)
FLOOR = {"column": "treatment", "arms": ["a", "b"], "propensity_floor": "1/10"}
COLUMN = Declaration.of_keys({**FLOOR, "propensity": "p", "origin": "external"}, BENEFIT)
MODEL = Declaration.of_keys({**FLOOR, "propensity": {"model": "private"}}, BENEFIT)
ENCODING = Encoding.of_numbers(["x"], [(-1.0, 1.0)])
MATRIX = np.array([[-0.5], [0.73125]])


def of_arrays(
    declaration: Declaration,
    arms: object = ("a", "b"),
    benefit: object = (1.0, 9.0),
    propensity: object = None,
) -> Trial:
    return trial_of_arrays(MATRIX, arms, benefit, propensity, declaration)  # type: ignore[arg-type]


def test_a_table_gives_a_trial_whatever_its_cells_hold() -> None:
    cells = {
        "x": ["-0.5", "text", "7"],
        "treatment": ["b", "c", " a"],
        "benefit": ["9", "", "-1"],
        "p": ["0.4", "5", "NaN"],
    }
    table = read_table(pd.DataFrame(cells), list(cells))
    trial = trial_of_table(COLUMN, table)
    assert trial.n_rows == 3
    np.testing.assert_array_equal(trial.arm, [1, np.nan, -1])
    # As it stands in its column: bounds and centre are for the weights.
    np.testing.assert_array_equal(trial.outcome, [9, np.nan, -1])
    np.testing.assert_array_equal(trial.given_propensity, [0.4, 5, np.nan])
    np.testing.assert_array_equal(trial.encode(ENCODING), [[-0.5], [0.0], [1.0]])


@pytest.mark.parametrize(
    ("declaration", "given", "expected"),
    [(DESIGN, None, [0.75, 0.75]), (COLUMN, [0.2, 0.6], [0.2, 0.6]), (MODEL, None, None)],
)
def test_what_is_given_is_p_of_the_second_arm(
    declaration: Declaration, given: list[float] | None, expected: list[float] | None
) -> None:
    found = of_arrays(declaration, propensity=given).given_propensity
    assert (None if found is None else found.tolist()) == expected


def test_the_rows_can_be_encoded_in_several_ways() -> None:
    trial = of_arrays(MODEL)
    wide = Encoding.of_numbers(["x"], [(-2.0, 2.0)])
    assert trial.encode(ENCODING).tolist() == MATRIX.tolist()
    assert trial.encode(wide).tolist() == (MATRIX / 2).tolist()


def test_a_trial_is_not_printed() -> None:
    trial = of_arrays(COLUMN, benefit=[1.0, 3.84375], propensity=[0.2, 0.6125])
    for secret in ("0.73125", "0.6125", "3.84375"):
        assert secret not in f"{trial!r} {trial}"


PROPENSITY: FloatArray = np.array([0.5, 0.5])


@pytest.mark.parametrize(
    ("declaration", "arms", "benefit", "propensity", "words"),
    [
        (DESIGN, None, [1.0, 1.0], None, "treatment is missing"),
        (DESIGN, ["a", "b"], None, None, "benefit is missing"),
        (DESIGN, ["a", "c"], [1.0, 1.0], None, "labels other than a and b"),
        (DESIGN, ["a", None], [1.0, 1.0], None, "labels other than a and b"),
        (DESIGN, ["a", "b"], [1.0, np.nan], None, "benefit"),
        (DESIGN, ["a", "b"], [1.0], None, "benefit"),
        (DESIGN, ["a", "b"], [1.0, 1.0], PROPENSITY, "the arms have probabilities"),
        (MODEL, ["a", "b"], [1.0, 1.0], PROPENSITY, "a model gives it"),
        (COLUMN, ["a", "b"], [1.0, 1.0], None, "propensity is missing"),
        (COLUMN, ["a", "b"], [1.0, 1.0], [0.5, 0.0], "strictly between 0 and 1"),
        (COLUMN, ["a", "b"], [1.0, 1.0], [0.5, 1.0], "strictly between 0 and 1"),
        (COLUMN, ["a", "b"], [1.0, 1.0], [0.5, np.nan], "propensity"),
        (COLUMN, ["a", "b"], [1.0, 1.0], [0.5], "propensity"),
        (DESIGN, ["a", "b", "a"], [1.0, 1.0], None, "treatment has 3 entries and X has 2 rows"),
        (DESIGN, [["a"], ["b"]], [1.0, 1.0], None, "one-dimensional"),
        (DESIGN, np.ma.array(["a", "b"], mask=[False, True]), [1.0, 1.0], None, "treatment"),
    ],
)
def test_wrong_arrays_are_named(
    declaration: Declaration, arms: object, benefit: object, propensity: object, words: str
) -> None:
    with pytest.raises(ParameterError, match=words):
        of_arrays(declaration, arms, benefit, propensity)
