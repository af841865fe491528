import pytest
from tests.reproduction.synthetic.robust_cell import cell

from reproduction.summary import Summary
from reproduction.synthetic.robustness_cells import signed


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
    assert signed(Summary(-0.26, 0.1, 10), 2) == "-0.26 ± 0.10"
