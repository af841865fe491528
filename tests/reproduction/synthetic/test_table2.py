from pathlib import Path

import numpy as np
import pytest
from tests.reproduction.trials.stand_in_trials import like_the_papers

from reproduction.artefact import Bench
from reproduction.published import Published
from reproduction.synthetic import repeats, table2
from reproduction.synthetic.repeats import Repeats
from reproduction.synthetic.table2 import ARTEFACT, Cell, cells_of, shown, verdict

SPREAD = np.array([-1.0, 1.0] * 50)
PUBLISHED = Published("1", 10, 1.0, (50.0, 1.972), (8.0, 1.972))


def cell(accuracy: float, value: float) -> Cell:
    found = Repeats(accuracy + SPREAD, value + SPREAD)
    return Cell(PUBLISHED, found, found)


def test_a_cell_that_differs_is_named() -> None:
    cells = [cell(50.0, 8.0), cell(57.0, 8.0)]
    assert verdict(cells[:1], "accuracy").agrees
    found = verdict(cells, "accuracy")
    assert not found.agrees
    assert "Beyond 4.5: ε = 1, n = 10." in found.found


def test_the_table_has_every_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table2, "QUICK_REPEATS", 3)
    monkeypatch.setattr(table2, "QUICK_SIZES", (200,))
    monkeypatch.setattr(repeats, "our_rules", like_the_papers)
    made = ARTEFACT.make(Bench("table2", tmp_path, quick=True, workers=1))
    (sheet,) = made.sheets
    assert [row[:3] for row in sheet.rows[:2]] == [["0.1", "200", "50"], ["0.5", "200", "90"]]
    assert {len(row) for row in sheet.rows} == {len(sheet.header)}
    assert len(made.rows) == 2 * len(sheet.rows) == 12
    assert {row["method"] for row in made.rows} == {"paper", "ours"}
    assert [one.agrees for one in made.verdicts] == [True, True]
    assert "3 repeats" in made.left_out
    assert len(made.pictures) == 1


WITHOUT_PRIVACY = Published("inf", 10, 1.0, (50.0, 1.972), (8.0, 1.972))


def test_z_is_the_difference_in_standard_errors_of_the_papers_method() -> None:
    paper, ours = (Repeats(mean + SPREAD, 9.0 + SPREAD) for mean in (50.0, 90.0))
    cell = Cell(WITHOUT_PRIVACY, paper, ours)
    assert cell.z("accuracy") == pytest.approx(0.0)
    assert cell.z("value") == pytest.approx(1.0 / np.hypot(SPREAD.std(ddof=1) / 10, 1.0))
    assert cell.agrees("value")


def test_cells_are_found_by_method_budget_and_size() -> None:
    paper, ours = (Repeats(mean + SPREAD, SPREAD) for mean in (50.0, 90.0))
    (cell,) = cells_of([WITHOUT_PRIVACY], {("paper", "inf", 10): paper, ("ours", "inf", 10): ours})
    assert (cell.paper, cell.ours) == (paper, ours)
    assert cell.name == "ε = ∞, n = 10"


def test_budgets_are_shown_as_they_are_written() -> None:
    assert [shown(epsilon) for epsilon in ("0.1", "inf")] == ["0.1", "∞"]
