from pathlib import Path

import numpy as np
import pytest

from reproduction.artefact import Bench
from reproduction.synthetic import repeats as module
from reproduction.synthetic.repeats import Task, drawn, measured, simulate


def test_methods_and_budgets_meet_the_same_trials() -> None:
    (first, people), (second, others) = (drawn(20, 50, 3, seed=1) for _ in range(2))
    assert first.table.equals(second.table)
    assert people.table.equals(others.table)
    assert not drawn(20, 0, 3, seed=1)[0].table.equals(first.table)


def test_a_cell_does_not_depend_on_its_company() -> None:
    together = measured(Task("paper", 60, ("1", "inf"), (50.0, 2.0), repeats=4))
    alone = measured(Task("paper", 60, ("inf",), (2.0,), repeats=4))
    assert np.asarray(together)[:, 1] == pytest.approx(np.asarray(alone)[:, 0], abs=0.2)
    assert np.asarray(together).shape == (2, 2, 4)


def test_repeats_are_split_into_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PART", 2)
    (accuracies,), (values,) = measured(Task("paper", 40, ("inf",), (2.0,), repeats=3))
    assert len(accuracies) == len(values) == 3
    assert len(set(accuracies)) == 3


def test_every_cell_has_both_methods(tmp_path: Path) -> None:
    cells = [("inf", 60, 2.0), ("inf", 50, 2.0)]
    found = simulate(Bench("x", tmp_path, workers=1), cells, repeats=3)
    assert set(found) == {(how, e, n) for how in ("paper", "ours") for e, n, _ in cells}
    assert found["paper", "inf", 60].accuracy.mean() > 70
    assert found["ours", "inf", 60].accuracy.mean() > 80
    again = simulate(Bench("x", tmp_path, workers=1), cells, repeats=3)
    assert np.array_equal(again["ours", "inf", 50].value, found["ours", "inf", 50].value)
