import pytest
from tests.reproduction.gamma.hand_curves import CELL, curve

from reproduction.gamma.lines import BASELINE, FEATURES, PEOPLE
from reproduction.gamma.verdicts import (
    fairly_large,
    longer_plateaus,
    longest_flat,
    lower_end,
    one_arm_share,
    similar,
    small_is_useful,
)
from reproduction.gamma.windows import Landing

HILL = curve(50.0, 64.0, 70.0, 66.0, 60.0)
FLAT = curve(50.0, 69.5, 70.0, 69.5, 69.0)
LINE = FEATURES[0]


def at(gamma: float) -> Landing:
    return Landing(PEOPLE[0], 200, "1", gamma, HILL)


def test_similar_means_in_every_window() -> None:
    assert similar("x", [at(201.0), at(301.0)]).agrees
    assert not similar("x", [at(201.0), at(401.0)]).agrees


def test_most_windows_span_a_third_of_the_grid() -> None:
    narrow = fairly_large({BASELINE.name: {CELL: HILL}}, ["1"])
    assert not narrow.agrees
    assert "0 of 1 cells" in narrow.found
    assert "201–301 (n = 200, ε = 1)" in narrow.found
    assert fairly_large({BASELINE.name: {CELL: FLAT}}, ["1"]).agrees


def test_one_reading_of_the_window_may_turn_the_verdict() -> None:
    # 66 is within 5 points of 70, and not within 5 % of it.
    verdict = similar("x", [at(301.0)])
    assert verdict.agrees
    assert "the verdict would be the other" in verdict.found
    assert "the verdict would be the other" not in similar("x", [at(201.0)]).found


def test_cells_outside_are_named_and_finer_points_reported() -> None:
    verdict = similar("x", [at(401.0)], [at(201.0)])
    assert "Outside: n₀ = 100, n = 200, ε = 1." in verdict.found
    assert "added for n₀ = 100: in the window in 1 of 1 cells" in verdict.found


def test_a_plateau_is_a_stretch_that_varies_by_a_point() -> None:
    assert longest_flat(FLAT) == 300.0
    assert longest_flat(HILL) == 0.0


def test_plateaus_are_compared_by_their_length() -> None:
    found = {BASELINE.name: {CELL: HILL}, LINE.name: {CELL: FLAT}}
    verdict = longer_plateaus(LINE, found, ["1"])
    assert verdict.agrees
    assert "300 against 0" in verdict.found
    swapped = {BASELINE.name: {CELL: FLAT}, LINE.name: {CELL: HILL}}
    assert not longer_plateaus(LINE, swapped, ["1"]).agrees


def test_in_the_baseline_no_arm_is_better_for_most() -> None:
    assert one_arm_share(BASELINE) == pytest.approx(0.5, abs=0.01)
    assert one_arm_share(LINE) == pytest.approx(0.713, abs=0.01)


def test_the_lower_end_of_a_plateau_is_its_smallest_gamma() -> None:
    found = {BASELINE.name: {CELL: HILL}, LINE.name: {CELL: FLAT}}
    assert not lower_end(LINE, found, found, ["1"]).agrees
    wide = {BASELINE.name: {CELL: FLAT}, LINE.name: {CELL: FLAT}}
    assert lower_end(LINE, wide, found, ["1"]).agrees


def test_a_small_data_set_is_judged_by_single_ones() -> None:
    assert small_is_useful([at(201.0)], []).agrees
    verdict = small_is_useful([at(201.0)], [[at(1.0), at(401.0), at(201.0)], [at(201.0)]])
    assert not verdict.agrees
    assert "1 of 3 pairs" in verdict.found
    assert "20.0 in the worst tenth" in verdict.found
