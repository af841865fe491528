from dataclasses import replace

import pytest

from reproduction.trials.published import PublishedRow
from reproduction.trials.runs import Runs, by_epsilon, compared, flat_runs, printed
from reproduction.trials.table import Measured

ROW = Measured("paper", "1", 75.0, 200, 4.1, 0.02, 0.03, 0.6, 100, 20, 0.9, -9.0)
BARE = replace(ROW, epsilon="inf", mean=4.2, second=90, first=30)
RUNS = [[ROW, BARE], [replace(ROW, mean=4.3, second=110, first=10), BARE]]
FOUND = PublishedRow("one", 120, 75.0, "1", 4.2, 0.02, (105, 15), 0.9, "0.1")


def test_rows_are_gathered_by_epsilon() -> None:
    runs = by_epsilon(RUNS)
    assert list(runs) == ["1", "inf"]
    assert runs["1"].ends("mean") == (4.1, 4.3)
    assert runs["1"].middle("mean") == pytest.approx(4.2)
    assert runs["1"].words("second") == "100 to 110"
    assert runs["inf"].words("second") == "90"


@pytest.mark.parametrize(
    ("measure", "number", "inside"),
    [("mean", 4.3004, True), ("mean", 4.302, False), ("second", 99, False), ("second", 110, True)],
)
def test_a_number_lies_between_the_ends_or_not(measure: str, number: float, inside: bool) -> None:
    assert Runs([rows[0] for rows in RUNS]).holds(measure, number) == inside


def test_a_row_agrees_if_all_its_numbers_do() -> None:
    runs = by_epsilon(RUNS)
    (verdict,) = compared("Trial", [FOUND], runs)
    assert verdict.agrees
    (verdict,) = compared("Trial", [replace(FOUND, deviation=0.2)], runs)
    assert not verdict.agrees
    assert verdict.found.endswith("Not among them: SD.")
    assert verdict.claim == "Trial, ε = 1: value 4.200, SD 0.200, majority 105, concordance 0.900."


def test_budgets_that_were_not_run_are_left_out() -> None:
    other = replace(FOUND, epsilon="7")
    assert compared("Trial", [other], by_epsilon(RUNS)) == []


def test_a_row_without_privacy_has_no_deviation_and_no_concordance() -> None:
    bare = replace(FOUND, epsilon="inf", deviation=None, concordance=None)
    assert set(printed(bare)) == {"mean", "second"}


def test_means_over_runs_have_intervals() -> None:
    private, bare = flat_runs("one", "paper", by_epsilon(RUNS), "75")
    assert private["value"] == 4.2
    assert private["value_half"] == pytest.approx(12.706 * 0.1, rel=1e-3)
    assert (private["second_arm"], private["repeats"]) == (105, 2)
    assert bare["value_half"] == 0.0
