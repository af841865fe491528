import math

import pytest

from reproduction.trials.sheet import flat
from reproduction.trials.table import Measured

ROW = Measured("paper", "1", 75.0, 200, 4.12345, 0.0213, 0.03, 0.6543, 100, 20, 0.975, -9.0)
BARE = Measured("paper", "inf", 75.0, 1, 4.2, 0.0, 0.03, 1.0, 90, 30, 1.0, -9.0)


def test_a_row_for_the_csv_has_its_interval() -> None:
    row = flat("trial", "paper", ROW, "75")
    assert row["value"] == 4.12345
    assert row["value_half"] == pytest.approx(1.972 * 0.0213 / math.sqrt(200), rel=1e-3)
    assert [row[name] for name in ("method", "epsilon", "gamma")] == ["paper", "1", "75"]
    assert row["repeats"] == 200
    bare = flat("trial", "paper", BARE, "75")
    assert bare["value_half"] == 0.0
