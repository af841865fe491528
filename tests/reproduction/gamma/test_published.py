from pathlib import Path

from tests.reproduction.gamma.hand_curves import curve

from reproduction.artefact import Bench
from reproduction.gamma.curves import curves
from reproduction.gamma.lines import BASELINE, TEN, Extent
from reproduction.gamma.published import (
    judge_published,
    published_landings,
    with_published,
)

CELL = (200, "0.5")  # published with γ = 90
NEAR = curve(50.0, 70.0, 60.0, gammas=(1.0, 90.0, 201.0))
FAR = curve(50.0, 50.0, 60.0, gammas=(1.0, 90.0, 201.0))


def test_published_gammas_are_judged_by_four_and_by_ten_features() -> None:
    landed = published_landings({BASELINE.name: {CELL: NEAR}, TEN.name: {CELL: FAR}})
    assert [one.gamma for each in landed.values() for one in each] == [90.0, 90.0]
    verdict = judge_published(landed)
    assert verdict.agrees
    assert "Held against four features: in the window in 1 of 1 cells" in verdict.found
    assert "ten features, as in the authors' scripts: in the window in 0 of 1" in verdict.found
    swapped = published_landings({BASELINE.name: {CELL: FAR}, TEN.name: {CELL: NEAR}})
    assert not judge_published(swapped).agrees


def test_published_gammas_are_points_of_the_curves(tmp_path: Path) -> None:
    extent = Extent(sizes=(200,), budgets=("0.5", "5"), gammas=(1.0, 101.0), repeats=3)
    bench = Bench("one", tmp_path, quick=True)
    found = with_published(bench, curves(bench, (BASELINE, TEN), extent), extent)
    assert found[TEN.name][CELL].gammas.tolist() == [1.0, 30.0, 90.0, 101.0]
