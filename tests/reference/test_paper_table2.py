"""The paper's Table II from our own pipeline: encoding, weights, γ and noise as published.

With a fixed seed the outcome is fixed. The threshold |z| < 4.5 over 12 comparisons would have a
false-alarm probability of 1e-4 for a random seed; here none is drawn.
"""

import pytest

from dpwerm.reproduce.table2 import published_cells, reproduce_cell

CELLS = {
    (cell.epsilon, cell.n): cell
    for cell in published_cells()
    if (cell.epsilon, cell.n)
    in {("0.1", 200), ("1", 1000), ("2", 800), ("5", 500), ("inf", 200), ("inf", 1000)}
}


@pytest.mark.parametrize("key", sorted(CELLS), ids=lambda key: f"epsilon={key[0]},n={key[1]}")
def test_published_cells_are_reproduced(key: tuple[str, int]) -> None:
    cell = reproduce_cell(CELLS[key], repeats=100, seed=7)
    assert abs(cell.z("accuracy")) < 4.5
    assert abs(cell.z("value")) < 4.5


def test_the_comparison_has_power() -> None:
    """A sensitivity of W instead of 2W (half the noise) is not mistaken for the paper's."""
    published = CELLS["2", 800]
    halved = type(published)("4", published.n, published.gamma, published.accuracy, published.value)
    assert abs(reproduce_cell(halved, repeats=100, seed=7).z("accuracy")) > 4.5
