import numpy as np
import pytest

from reproduction.published import Published
from reproduction.synthetic.repeats import Repeats
from reproduction.synthetic.table2 import Cell, cells_of, shown

SPREAD = np.array([-1.0, 1.0] * 50)
PUBLISHED = Published("inf", 10, 1.0, (50.0, 1.972), (8.0, 1.972))


def test_z_is_the_difference_in_standard_errors_of_the_papers_method() -> None:
    paper, ours = (Repeats(mean + SPREAD, 9.0 + SPREAD) for mean in (50.0, 90.0))
    cell = Cell(PUBLISHED, paper, ours)
    assert cell.z("accuracy") == pytest.approx(0.0)
    assert cell.z("value") == pytest.approx(1.0 / np.hypot(SPREAD.std(ddof=1) / 10, 1.0))
    assert cell.agrees("value")


def test_cells_are_found_by_method_budget_and_size() -> None:
    paper, ours = (Repeats(mean + SPREAD, SPREAD) for mean in (50.0, 90.0))
    (cell,) = cells_of([PUBLISHED], {("paper", "inf", 10): paper, ("ours", "inf", 10): ours})
    assert (cell.paper, cell.ours) == (paper, ours)
    assert cell.name == "ε = ∞, n = 10"


def test_budgets_are_shown_as_they_are_written() -> None:
    assert [shown(epsilon) for epsilon in ("0.1", "inf")] == ["0.1", "∞"]
