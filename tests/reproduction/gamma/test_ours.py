from pathlib import Path

import pytest
from tests.reproduction.gamma.hand_curves import curve

from reproduction.artefact import Bench
from reproduction.gamma.lines import Extent
from reproduction.gamma.ours import Ours, our_curves, settled_at


def test_our_accuracy_is_that_at_the_automatic_gamma() -> None:
    ours = Ours(21.0, curve(80.0, 90.0, 85.0, gammas=(7.0, 21.0, 63.0)))
    assert (ours.mean, ours.half) == (90.0, 0.5)


def test_our_curve_leaves_out_what_the_mechanism_refuses(tmp_path: Path) -> None:
    extent = Extent(sizes=(200,), budgets=("5",), repeats=20, factors=(1e-6, 1.0, 3.0))
    ours = our_curves(Bench("one", tmp_path, quick=True), extent)[200, "5"]
    automatic = settled_at(200, "5").spec.gamma
    assert ours.automatic == automatic
    assert ours.curve.gammas == pytest.approx([automatic, 3 * automatic])
    assert 85.0 < ours.mean <= 100.0
