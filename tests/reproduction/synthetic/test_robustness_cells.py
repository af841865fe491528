import pytest
from tests.reproduction.synthetic.robust_cell import cell

from reproduction.summary import Summary
from reproduction.synthetic.robustness_cells import (
    CHANGED,
    CLAIMS,
    REASONS,
    at_small_budgets,
    beside,
    signed,
    verdict,
)


def test_changes_are_paired() -> None:
    change = cell(2.0).change("levels-3")
    assert change.mean == pytest.approx(2.0)
    assert change.half < 1e-9
    assert cell(2.0).change("gamma-2").mean == 0
    assert cell(2.0).base("accuracy").half > 0.1


@pytest.mark.parametrize(("change", "notable"), [(2.9, False), (3.1, True), (-3.1, True)])
def test_three_points_are_notable(change: float, notable: bool) -> None:
    assert cell(change).notable("levels-3") is notable


def test_what_rounds_to_nothing_has_no_minus() -> None:
    assert signed(Summary(-0.001, 0.002, 10)) == "+0.0 ± 0.0"
    assert signed(Summary(-0.26, 0.1, 10)) == "-0.3 ± 0.1"


def test_every_variant_has_a_claim() -> None:
    assert list(CLAIMS) == CHANGED


def test_every_reason_is_a_whole_sentence_of_some_variant() -> None:
    assert set(REASONS) <= set(CHANGED)
    assert all(reason.endswith(".") for reason in REASONS.values())


def test_a_claim_differs_where_one_cell_changes_notably() -> None:
    found = verdict([cell(0.0), cell(-3.1, "2"), cell(2.9)], "levels-3")
    assert not found.agrees
    assert "Notable in 1 of 3 cells, 0 of them with ε ≤ 1." in found.found
    assert "-3.1 ± 0.0 points (ε = 2, n = 200)" in found.found
    assert verdict([cell(0.0), cell(2.9)], "levels-3").agrees


def test_small_budgets_are_counted_apart() -> None:
    text = at_small_budgets([cell(4.0), cell(4.0, "2")])
    assert "1 of 7 changes" in text


def test_our_changes_are_named() -> None:
    assert "B in 3 levels -5.0 ± 0.0, 1; B in 5 levels" in beside([cell(-5)])
