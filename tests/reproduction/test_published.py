import pytest

from reproduction.published import published_cells, published_gammas


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


def test_both_files_have_the_same_gamma() -> None:
    gammas = published_gammas()
    assert all(gammas[cell.epsilon, cell.n] == cell.gamma for cell in published_cells())


def test_figure_1_has_a_gamma_for_every_cell() -> None:
    gammas = published_gammas()
    sizes = (200, 500, 800, 1000, 1500, 2000, 2500)
    budgets = {epsilon for epsilon, n in gammas if n in sizes}
    assert len(budgets) == 13
    assert all((epsilon, n) in gammas for epsilon in budgets for n in sizes)
