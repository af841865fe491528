from pathlib import Path

import pytest
from tests.reproduction.trials.stand_in_trials import like_the_papers

from reproduction.artefact import Bench
from reproduction.published import published_gammas
from reproduction.synthetic import figure1, repeats
from reproduction.synthetic.figure1 import ARTEFACT, EPSILONS, SIZES


def test_the_whole_figure_has_twelve_budgets_and_seven_sizes() -> None:
    assert (len(EPSILONS) - 1, len(SIZES)) == (12, 7)
    assert all((epsilon, n) in published_gammas() for epsilon in EPSILONS for n in SIZES)


def test_a_quick_figure_has_every_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figure1, "QUICK_REPEATS", 4)
    monkeypatch.setattr(repeats, "our_rules", like_the_papers)
    made = ARTEFACT.make(Bench("figure1", tmp_path, quick=True, workers=1))
    assert len(made.rows) == 2 * 7 * 2
    assert [len(sheet.rows) for sheet in made.sheets] == [2]
    assert all(len(row) == len(sheet.header) for sheet in made.sheets for row in sheet.rows)
    assert len(made.verdicts) == 7
    assert "4 repeats instead of 200" in made.left_out
    (picture,) = made.pictures.values()
    assert len(picture.axes) == 4
