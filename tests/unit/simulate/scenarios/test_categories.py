import numpy as np
import pyarrow as pa
import pytest

from dpwerm.data.table import read_table
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.scenarios.kinds import CATEGORIES

SCENARIO = get_scenario("categories")


def test_the_contrast_adds_up() -> None:
    table = pa.table(
        {
            "age": [49, 69],
            "severity": [5.0, 10.0],
            "stage": ["II", "III"],
            "region": ["south", "west"],
            "smoker": ["no", "yes"],
        }
    )
    assert SCENARIO.contrast(table).tolist() == pytest.approx([0.5, 3.0 - 1.0 + 3.0 + 2.0 + 1.5])
    assert SCENARIO.means(table).mean(axis=1).tolist() == pytest.approx([7.0, 9.0])


def test_levels_have_their_shares() -> None:
    people = SCENARIO.people(40_000, np.random.default_rng(0))
    for name, levels in CATEGORIES.items():
        cells = people[name].to_numpy(zero_copy_only=False)
        assert sum(share for share, _ in levels.values()) == pytest.approx(1.0)
        for level, (share, _) in levels.items():
            assert np.mean(cells == level) == pytest.approx(share, abs=0.015)  # six deviations


def test_ages_fill_their_bounds() -> None:
    ages = SCENARIO.people(40_000, np.random.default_rng(0))["age"].to_numpy()
    assert (ages.min(), ages.max()) == (18, 80)


def test_the_contrast_is_linear_in_the_encoded_features() -> None:
    study = SCENARIO.study()
    people = SCENARIO.people(500, np.random.default_rng(0))
    X = study.encoding().encode(read_table(people, study.feature_columns))
    assert X.shape[1] == 2 + 3 + 5 + 1
    design = np.column_stack([np.ones(len(X)), X])
    contrast = SCENARIO.contrast(people)
    fitted = design @ np.linalg.lstsq(design, contrast, rcond=None)[0]
    assert fitted == pytest.approx(contrast, abs=1e-9)
