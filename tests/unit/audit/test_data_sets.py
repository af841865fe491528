"""Neighbouring data sets differ in one person, and in no more."""

from collections import Counter

import pytest
from tests.unit.audit.made_up import made_up

from dpwerm.audit.canaries import CROWD, SAMPLE, mistaken_pairs, scaled, tipped, worst_pairs
from dpwerm.audit.target import Pair
from dpwerm.study.study import Study

MODEL = """arms = ["pill", "therapy"]
propensity = { model = "private" }
propensity_floor = 0.1
"""
COLUMN = """arms = ["pill", "therapy"]
propensity = "chance"
propensity_floor = 0.1
origin = "design"
"""
STUDIES = [
    made_up(2),
    made_up(1, arms=MODEL),
    made_up(1, relation="add_remove"),
    made_up(1, arms=COLUMN),
]


def difference(pair: Pair) -> tuple[int, int]:
    """Return how many rows each world has that the other has not."""
    one, other = (Counter(tuple(sorted(row.items())) for row in w.rows) for w in pair.both)
    return (one - other).total(), (other - one).total()


@pytest.mark.parametrize("study", STUDIES)
def test_data_sets_are_neighbours(study: Study) -> None:
    for pair in [*worst_pairs(study), *mistaken_pairs(study)]:
        if study.relation == "replace_one":
            assert difference(pair) == (1, 1), pair.name
        else:
            assert difference(pair) == (1, 0), pair.name


def test_silent_people_weigh_nothing() -> None:
    for pair in worst_pairs(STUDIES[0], silent=3):
        assert sum(row["gain"] == "" for row in pair.first.rows) == 3
        assert difference(pair) == (1, 1)


def test_a_private_propensity_model_has_pairs_of_its_own() -> None:
    plain, modelled = (len(worst_pairs(study)) for study in STUDIES[:2])
    assert modelled == plain + 2
    rare = [pair for pair in worst_pairs(STUDIES[1]) if "rare" in pair.name]
    for pair in rare:
        others = pair.first.rows[:-1]
        assert len(others) == CROWD
        assert {row["gain"] for row in others} == {""}
        assert {row["arm"] for row in others}.isdisjoint({pair.first.rows[-1]["arm"]})


def test_a_column_is_tried_with_arms_in_turn() -> None:
    plain, recorded = (mistaken_pairs(STUDIES[place]) for place in (0, 3))
    assert len(recorded) == len(plain) + 1
    one, other = ([row["arm"] for row in world.rows] for world in recorded[-1].both)
    assert (one[:4], other[:2]) == (["therapy", "pill", "therapy", "pill"], ["pill", "pill"])
    assert one[1:] == other[1:]


def test_pairs_for_mistakes_tip_what_they_are_meant_to_tip() -> None:
    study = made_up(1)
    largest = [max(float(row["x0"]) for row in world.rows) for world in scaled(study).both]
    assert largest == [4.0, pytest.approx(2.1)]
    for quantile in (0.5, 0.9):
        values = [
            sorted(float(row["gain"]) for row in world.rows)
            for world in tipped(study, quantile).both
        ]
        at = round(quantile * SAMPLE)
        assert [one[at] for one in values] == [10.0, 0.0]
