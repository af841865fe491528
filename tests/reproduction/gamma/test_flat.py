from tests.reproduction.gamma.hand_curves import CELL, curve

from reproduction.gamma.flat import judge, lost_by
from reproduction.gamma.ours import Ours

OURS = {CELL: Ours(20.0, curve(88.0, 90.0, 89.0, gammas=(10.0, 20.0, 180.0)))}
FACTORS = (1 / 9, 0.5, 1.0, 9.0)
STEEP = {CELL: curve(50.0, 60.0, 70.0, 60.0, 50.0)}
FLAT = {CELL: curve(66.0, 68.0, 70.0, 69.0, 68.0)}


def test_points_are_lost_against_the_automatic_gamma() -> None:
    assert lost_by(OURS, 0.5) == {CELL: 2.0}
    assert lost_by(OURS, 9.0) == {CELL: 1.0}
    assert lost_by(OURS, 1 / 9) == {}


def test_the_papers_method_is_judged_at_half_and_twice_its_gamma() -> None:
    steep = judge(OURS, STEEP, {CELL: 201.0}, FACTORS)
    assert not steep.agrees
    assert "in 0 of 2 cases; the most is 20.0 (× 2" in steep.found
    flat = judge(OURS, FLAT, {CELL: 201.0}, FACTORS)
    assert flat.agrees
    assert "20.0 points above" in flat.found
