from pathlib import Path

import numpy as np
import pytest
from tests.unit.reproduce.stand_ins import like_the_papers

from dpwerm.reproduce import robustness, variants
from dpwerm.reproduce.artefact import Bench
from dpwerm.reproduce.robustness import ARTEFACT, CHANGED, CLAIMS, Cell, verdict
from dpwerm.reproduce.variants import VARIANTS

LUCK = np.random.default_rng(3).normal(size=100)


def cell(change: float) -> Cell:
    """Return a cell in which three levels change the accuracy by so much, never the value."""
    accuracy = np.tile(60.0 + LUCK, (len(VARIANTS), 1))
    accuracy[list(VARIANTS).index("levels-3")] += change
    return Cell("paper", 200, "0.5", accuracy, accuracy / 10)


def test_changes_are_paired() -> None:
    change = cell(2.0).change("levels-3")
    assert change.mean == pytest.approx(2.0)
    assert change.half < 1e-9


@pytest.mark.parametrize(("change", "notable"), [(2.9, False), (3.1, True), (-3.1, True)])
def test_three_points_are_notable(change: float, notable: bool) -> None:
    found = verdict([cell(0.0), cell(change)], "levels-3")
    assert found.agrees is not notable
    assert f"Notable in {int(notable)} of 2 cells" in found.found
    assert f"{change:+.1f} ± 0.0 points" in found.found


def test_every_variant_has_a_claim() -> None:
    assert list(CLAIMS) == CHANGED


def test_a_quick_version_has_every_variant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robustness, "QUICK_REPEATS", 3)
    monkeypatch.setattr(variants, "our_rules", like_the_papers)
    made = ARTEFACT.make(Bench("robustness", tmp_path, quick=True, workers=1))
    assert len(made.rows) == 2 * 2 * len(VARIANTS)
    assert len(made.verdicts) == len(CHANGED)
    assert made.verdicts[0].agrees
    assert all(len(row) == len(sheet.header) for sheet in made.sheets for row in sheet.rows)
    (picture,) = made.pictures.values()
    assert len(picture.axes) == 2
