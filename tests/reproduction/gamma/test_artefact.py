"""Every figure of γ, tiny, from one simulation that all of them share."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from reproduction.artefact import Artefact, Bench, Made
from reproduction.gamma import flat as gamma_flat
from reproduction.gamma import lines as gamma_lines
from reproduction.gamma import panels
from reproduction.gamma import published as gamma_published

ALL = [
    gamma_published.ARTEFACT,
    panels.FIGURE3,
    panels.FIGURE4,
    *panels.SUPPLEMENT,
    gamma_flat.ARTEFACT,
]
TINY = replace(
    gamma_lines.QUICK,
    sizes=(200,),
    gammas=(1.0, 61.0, 301.0),
    repeats=5,
    singles=2,
    single_repeats=3,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gamma_lines, "QUICK", TINY)
        yield tmp_path_factory.mktemp("gamma")


def made(artefact: Artefact, folder: Path) -> Made:
    return artefact.make(Bench(artefact.name, folder, quick=True, workers=1))


@pytest.mark.parametrize("artefact", ALL, ids=lambda artefact: artefact.name)
def test_an_artefact_has_both_methods_and_says_what_it_lacks(
    artefact: Artefact, folder: Path
) -> None:
    found = made(artefact, folder)
    assert {row["method"] for row in found.rows} == {"paper", "ours"}
    assert {row["epsilon"] for row in found.rows} == {"1", "5"}
    assert found.verdicts
    assert all(verdict.found for verdict in found.verdicts)
    assert "5 of 1,000 repeats" in found.left_out
    assert all(len(row) == len(sheet.header) for sheet in found.sheets for row in sheet.rows)


def test_names_are_those_of_the_command_line() -> None:
    assert {artefact.name for artefact in ALL} == {
        "figure3",
        "figure4",
        "supplement-n0",
        "supplement-theta",
        "supplement-features",
        "supplement-p",
        "supplement-gammas",
        "supplement-ours",
    }


def test_nothing_is_simulated_twice(folder: Path) -> None:
    made(panels.FIGURE3, folder)
    journals = sorted((folder / "journal").iterdir())
    before = [path.stat().st_size for path in journals]
    made(panels.SUPPLEMENT[1], folder)
    assert [path.stat().st_size for path in journals] == before
    assert {path.name for path in journals} == {
        "quick-gamma-curves.jsonl",
        "quick-gamma-ours.jsonl",
    }


def test_shared_work_is_made_anew_only_once(folder: Path, tmp_path: Path) -> None:
    panels.FIGURE4.make(Bench("figure4", tmp_path, quick=True))
    calls: list[tuple[int, int]] = []
    fresh = Bench("figure4", tmp_path, True, True, on_done=lambda *done: calls.append(done))
    for name, already_done in (("figure4", 0), ("supplement-features", 2)):
        calls.clear()
        panels.FIGURE4.make(replace(fresh, name=name))
        assert calls[0] == (already_done, 2)
