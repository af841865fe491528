"""Canaries lie inside the public bounds and are as easy to see as a record can be."""

from pathlib import Path

import numpy as np
import pytest
from tests.unit.audit.made_up import made_up

from dpwerm.audit.canaries import (
    ARM,
    BENEFIT,
    canaries_for,
    canary,
    corner,
    differs_in,
    simulated_people,
    strong_benefit,
    write_table,
)
from dpwerm.study.check import check
from dpwerm.study.study import Study, read_trial
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, TrialRows
from dpwerm.weighting.trial import second_arm, trial_of_table

LEVELS = """
[features.sex]
kind = "category"
levels = ["F", "M"]
[features.site]
kind = "category"
levels = { north = ["1", "2"], south = ["3"], other = "*" }
"""
UNEVEN = "arms = { pill = 0.25, therapy = 0.75 }"
COLUMN = """arms = ["pill", "therapy"]
propensity = "chance"
propensity_floor = 0.1
origin = "design"
"""


def rows_in(study: Study, records: list[dict[str, str]], folder: Path) -> TrialRows:
    """Return the rows that a fit would learn from."""
    write_table(study, records, folder / "table.csv")
    declaration = study.declaration()
    trial = trial_of_table(declaration, read_trial(study, folder / "table.csv"))
    encoding = study.encoding()
    return OUTCOME_WEIGHTED.rows(
        trial, declaration, encoding, second_arm(declaration, trial, encoding, None)
    )


def test_corners_have_full_length_and_are_orthogonal(tmp_path: Path) -> None:
    study = made_up(7)
    records = [bird.first for bird in canaries_for(study, 8)]
    rows = rows_in(study, records, tmp_path)
    X = np.column_stack([np.ones(8), rows.X])
    np.testing.assert_allclose(X @ X.T, 8 * np.eye(8))
    assert study.encoding().domain.radius == pytest.approx(np.sqrt(8))


def test_levels_take_part(tmp_path: Path) -> None:
    study = made_up(1, more=LEVELS)
    rows = rows_in(study, [bird.first for bird in canaries_for(study, 6)], tmp_path)
    assert set(rows.X[:, 1]) == {-1.0, 1.0}
    assert (rows.X[:, 2:].sum(axis=1) == 1).all()
    assert (rows.X[:, 2:].sum(axis=0) == 2).all()
    assert corner(study, 0)["x0"] == "4.0"


@pytest.mark.parametrize("arms", [None, UNEVEN, COLUMN])
def test_the_records_of_a_canary_are_as_far_apart_as_weights_allow(
    arms: str | None, tmp_path: Path
) -> None:
    study = made_up(2) if arms is None else made_up(2, arms=arms)
    for bird in canaries_for(study, 3):
        assert bird.second is not None
        rows = rows_in(study, [bird.first, bird.second], tmp_path)
        bound = OUTCOME_WEIGHTED.weight_bound(study.declaration())
        # Twice W apart: half of that, which a canary of one kind of arms would give, is not enough.
        signed = rows.targets * rows.weights
        assert abs(signed[0] - signed[1]) == pytest.approx(2 * bound)
        np.testing.assert_array_equal(rows.X[0], rows.X[1])


def test_what_differs_depends_on_the_arms() -> None:
    assert differs_in(made_up()) == ARM
    assert differs_in(made_up(arms=UNEVEN)) == BENEFIT
    assert differs_in(made_up(arms=UNEVEN, benefit='weights = "nonnegative"')) == ARM
    rare = canary(made_up(arms=UNEVEN), 0, BENEFIT)
    assert rare.first["arm"] == "pill"
    assert rare.second is not None
    assert {rare.first["gain"], rare.second["gain"]} == {"10.0", "-10.0"}


def test_under_add_remove_the_second_record_is_nobody() -> None:
    bird = canary(made_up(relation="add_remove"), 0, ARM)
    assert bird.second is None
    assert bird.row(is_first=False) == []
    assert bird.row(is_first=True) == [bird.first]


def test_the_strong_benefit_weighs_most() -> None:
    assert strong_benefit(made_up(benefit="centre = 4").benefit) == "-10.0"
    assert strong_benefit(made_up(benefit="centre = -4").benefit) == "10.0"
    smaller = made_up(benefit='direction = "smaller"\ncentre = -4').benefit
    assert strong_benefit(smaller) == "-10.0"


@pytest.mark.parametrize(
    "study",
    [
        made_up(2, more=LEVELS, person='person = "who"'),
        made_up(1, arms=COLUMN, benefit='direction = "smaller"'),
    ],
)
def test_simulated_people_are_within_the_declaration(study: Study, tmp_path: Path) -> None:
    people = simulated_people(study, 50, key=3)
    assert people == simulated_people(study, 50, key=3)
    assert people != simulated_people(study, 50, key=4)
    assert simulated_people(study, 0, key=3) == []
    write_table(study, people, tmp_path / "table.csv")
    assert check(study, tmp_path / "table.csv") == []
