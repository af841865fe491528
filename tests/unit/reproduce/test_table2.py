import numpy as np
import pytest

from dpwerm.reproduce.table2 import Cell, Published, published_cells, reproduce_cell


def test_all_published_cells_are_there() -> None:
    cells = published_cells()
    assert len(cells) == 24
    assert {cell.n for cell in cells} == {200, 500, 800, 1000}
    first = cells[0]
    assert (first.epsilon, first.gamma, first.accuracy[0], first.value[0]) == (
        "0.1",
        50,
        50.24,
        8.36,
    )
    assert first.accuracy[1] == pytest.approx(1.18)


def test_z_is_the_difference_in_standard_errors() -> None:
    published = Published("1", 10, 1.0, (50.0, 1.972), (8.0, 1.972))
    spread = np.array([-1.0, 1.0] * 50)
    cell = Cell(published, 50.0 + spread, 9.0 + spread)
    assert cell.z("accuracy") == pytest.approx(0.0)
    assert cell.z("value") == pytest.approx(1.0 / np.hypot(spread.std(ddof=1) / 10, 1.0))
    assert cell.agrees


def test_a_cell_is_deterministic() -> None:
    published = published_cells()[0]
    first, second = (reproduce_cell(published, 2, seed=1) for _ in range(2))
    assert np.array_equal(first.accuracy, second.accuracy)
    assert np.array_equal(first.value, second.value)
