"""``python -m reproduction``: names, folders, what is printed, and how an interrupted run ends."""

from pathlib import Path

import pytest
from tests.reproduction.test_page import PAGE, made
from tests.said import Run

from reproduction import command
from reproduction.artefact import Artefact, Bench, Made


@pytest.fixture
def benches(monkeypatch: pytest.MonkeyPatch) -> list[Bench]:
    """Let there be two artefacts, and return what they were asked for."""
    seen: list[Bench] = []

    def make(bench: Bench) -> Made:
        seen.append(bench)
        return made()

    def skip(_: Bench) -> Made:
        return Made([], [], {}, [], skipped="needs a file.")

    def stop(_: Bench) -> Made:
        raise KeyboardInterrupt

    found = (
        Artefact("table9", "Table IX", PAGE, make),
        Artefact("figure9", "Figure 9", PAGE, skip),
        Artefact("stopped", "Interrupted", PAGE, stop),
    )
    monkeypatch.setattr(command, "ARTEFACTS", {one.name: one for one in found})
    return seen


def test_without_a_name_it_lists_them(run: Run) -> None:
    result = run()
    assert result.code == 0
    names = [line.split()[0] for line in result.out.splitlines()]
    assert names[-2:] == ["all", "bounds"]
    assert {"table1", "table2", "figure1", "figure2", "figure3", "figure4"} <= set(names)


def test_pages_are_written_and_verdicts_told(
    run: Run, tmp_path: Path, benches: list[Bench]
) -> None:
    out = tmp_path / "pages"
    result = run("table9", "figure9", "--out", out, "--quick", "--workers", 1)
    assert result.code == 0
    assert "Table IX: 1 of 2 statements agree" in result.out
    assert "  Differs: It is stable. It is not: 3 of 7 differ." in result.out
    assert "  Quick: Ten repeats instead of 200." in result.out
    assert "Figure 9: needs a file." in result.out
    (bench,) = benches
    assert (bench.name, bench.quick, bench.fresh, bench.workers) == ("table9", True, False, 1)
    names = {path.name for path in out.iterdir()}
    assert names == {"table9.csv", "table9.svg", "table9-value.svg", "tables.md"}


def test_an_interrupt_ends_with_a_way_on(run: Run, tmp_path: Path, benches: list[Bench]) -> None:
    result = run("all", "--out", tmp_path)
    assert result.code == 130
    assert "Stopped. Nothing is lost: the same command goes on from here." in result.out
    assert len(benches) == 1


def test_an_unknown_name_is_an_error_that_lists_the_known(
    run: Run, tmp_path: Path, benches: list[Bench]
) -> None:
    result = run("table3", "--out", tmp_path / "new")
    assert result.code == 2
    assert "there is no table3 to reproduce; there are: table9, figure9, stopped, all" in result.err
    assert not benches
    assert not (tmp_path / "new").exists()
