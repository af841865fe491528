import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reproduction.gamma.hand_curves import CELL, GAMMAS, curve

from reproduction.gamma.lines import BASELINE, PEOPLE, THETA
from reproduction.gamma.windows import Landing, counted, landings, relative_window, window

HILL = curve(50.0, 64.9, 70.0, 65.0, 60.0)


def test_the_window_holds_what_is_within_five_points() -> None:
    assert (window(HILL).first, window(HILL).last) == (201.0, 301.0)
    assert window(HILL).width == 100.0
    assert str(window(HILL)) == "201–301"


def test_five_percent_of_the_highest_is_less() -> None:
    assert (relative_window(HILL).first, relative_window(HILL).last) == (201.0, 201.0)


@given(st.lists(st.floats(40.0, 100.0), min_size=5, max_size=5))
def test_the_best_is_in_both_windows(means: list[float]) -> None:
    one = curve(*means)
    assert one.best in relative_window(one)
    assert relative_window(one).width <= window(one).width


@pytest.mark.parametrize(
    ("gamma", "inside", "lost", "apart"), [(301.0, True, 5.0, 100.0), (351.0, False, 7.5, 150.0)]
)
def test_a_landing_is_judged_by_the_baseline(
    gamma: float, inside: bool, lost: float, apart: float
) -> None:
    one = Landing(PEOPLE[0], 200, "1", gamma, HILL)
    assert one.inside is inside
    assert not one.relatively_inside
    assert one.lost == pytest.approx(lost)
    assert one.apart == apart


def test_landings_take_the_best_of_each_line() -> None:
    found = {
        BASELINE.name: {CELL: HILL, (200, "150"): HILL},
        "theta-1": {CELL: curve(90.0, 50.0, 50.0, 50.0, 50.0), (200, "150"): HILL},
    }
    (one,) = landings(THETA[:1], found, ["1"])
    assert (one.gamma, one.inside, one.lost) == (GAMMAS[0], False, 20.0)


def test_words_count_and_name_the_worst() -> None:
    landed = [
        Landing(PEOPLE[0], 200, e, g, HILL) for e, g in (("1", 201.0), ("5", 301.0), ("20", 1.0))
    ]
    text = counted(landed)
    assert "in 2 of 3 cells (1 with 5 % of the highest" in text
    assert "It is 100 from the baseline's best γ in the median, 200 at most, and costs" in text
    assert "5.0 points of baseline accuracy in the median, 20.0 at most" in text
