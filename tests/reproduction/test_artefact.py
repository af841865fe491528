"""A bench keeps what an artefact has simulated, and makes it anew when asked, once."""

from dataclasses import dataclass, replace
from pathlib import Path

from reproduction.artefact import Bench, Sheet, Verdict
from reproduction.command import ARTEFACTS


@dataclass(frozen=True)
class Number:
    """A number to be doubled."""

    value: int


DONE: list[int] = []


def double(task: Number) -> int:
    DONE.append(task.value)
    return 2 * task.value


def made(bench: Bench, *values: int, shared: str = "") -> list[int]:
    """Return the doubled numbers and forget who asked."""
    DONE.clear()
    return bench.run(double, [Number(value) for value in values], shared=shared)


def test_what_was_found_is_not_made_again(tmp_path: Path) -> None:
    bench = Bench("table9", tmp_path, workers=1)
    assert made(bench, 1, 2) == [2, 4]
    assert made(bench, 1, 2, 3) == [2, 4, 6]
    assert DONE == [3]
    assert made(replace(bench, quick=True), 1) == [2]
    assert DONE == [1]
    names = {path.name for path in (tmp_path / "journal").iterdir()}
    assert names == {"table9.jsonl", "quick-table9.jsonl"}


def test_shared_work_is_made_anew_only_once(tmp_path: Path) -> None:
    bench = Bench("figure9", tmp_path, workers=1)
    made(bench, 1, shared="curves")
    fresh = replace(bench, fresh=True, renewed=set())
    assert made(fresh, 1, shared="curves") == [2]
    assert DONE == [1]
    assert made(replace(fresh, name="figure8"), 1, shared="curves") == [2]
    assert DONE == []


def test_a_verdict_says_first_whether_it_agrees() -> None:
    assert str(Verdict("It is 1.", agrees=True, found="It is.")) == "Agrees: It is 1. It is."
    assert str(Verdict("It is 1.", agrees=False, found="2.")) == "Differs: It is 1. 2."


def test_every_artefact_of_the_paper_has_a_name() -> None:
    tables = {"table1", "table2", "figure1", "figure2", "figure3", "figure4", "robustness"}
    scenarios = {f"supplement-{one}" for one in ("n0", "theta", "features", "p")}
    assert tables | scenarios <= set(ARTEFACTS)
    assert all(name == artefact.name for name, artefact in ARTEFACTS.items())


def test_a_sheet_becomes_a_table_with_its_title_below() -> None:
    sheet = Sheet("one", "A title", ["a", "b"], [["1", "2"], ["3", "4"]])
    assert sheet.markdown() == "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\nA title."
