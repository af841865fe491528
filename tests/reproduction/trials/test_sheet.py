import math

import pytest
from tests.reproduction.trials.trial_files import small_trial

from reproduction.trials.sheet import cells, fixed, flat, header
from reproduction.trials.table import Measured

ROW = Measured("paper", "1", 75.0, 200, 4.12345, 0.0213, 0.03, 0.6543, 100, 20, 0.975, -9.0)
BARE = Measured("paper", "inf", 75.0, 1, 4.2, 0.0, 0.03, 1.0, 90, 30, 1.0, -9.0)


def test_a_private_row_in_words() -> None:
    expected = ["paper", "1", "4.123", "0.021", "0.654", "100:20", "0.975"]
    assert cells(ROW) == expected


def test_without_privacy_the_error_takes_the_place_of_the_deviation() -> None:
    assert cells(BARE) == ["paper", "∞", "4.200", "SE 0.03", "", "90:30", ""]


def test_a_row_for_the_csv_has_its_interval() -> None:
    row = flat("trial", "paper", ROW, "75")
    assert row["value"] == 4.12345
    assert row["value_half"] == pytest.approx(1.972 * 0.0213 / math.sqrt(200), rel=1e-3)
    assert [row[name] for name in ("method", "epsilon", "gamma")] == ["paper", "1", "75"]
    assert row["repeats"] == 200
    bare = flat("trial", "paper", BARE, "75")
    assert bare["value_half"] == 0.0


def test_both_arms_for_everybody() -> None:
    trial = small_trial()
    rows = fixed(trial)
    assert [row[5] for row in rows] == [f"0:{trial.n}", f"{trial.n}:0"]
    assert rows[1][0] == "guided for everybody"
    assert "majority guided:standard" in header(trial.arms)
    assert all(len(row) == len(header(trial.arms)) for row in (*rows, cells(ROW)))
