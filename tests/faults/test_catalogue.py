"""Every fault is caught, and its healthy twin passes, with the runs the catalogue states."""

import csv
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from benchmarks import audit_faults
from tests.faults.__main__ import main
from tests.faults.catalogue import (
    CATALOGUE,
    CONFIDENCE,
    FAULTS,
    HEAD,
    RUNS,
    TWINS,
    lines,
    measure,
    spent_by,
    table,
)

from dpwerm.audit.attack import Audited, audit
from dpwerm.mechanisms import MECHANISMS

LIST = Path(__file__).parent / "README.md"
FEW = ("loose-weights", "gamma-from-n")

ASKED = {
    "benefit-shift",
    "own-propensity",
    "own-propensity-h-over-n",
    "play-the-winner",
    "ignored-gamma",
    "scaled-by-largest",
    "free-intercept-objective-l2",
    "plain-doubles",
    "range-from-sample",
    "second-look",
    *(f"small-noise-{name}" for name in MECHANISMS if name != "none"),
    *(f"single-weight-{name}" for name in MECHANISMS if name != "none"),
}


@cache
def audited(fault: str, twin_name: str) -> Audited:
    """Audit a twin once, though two faults may share it; twin_name tells which it is."""
    found = audit(TWINS[fault](), runs=RUNS, confidence=CONFIDENCE)
    assert found.name == twin_name
    return found


def first_with(twin_name: str) -> str:
    return next(name for name in TWINS if TWINS[name]().name == twin_name)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught(name: str) -> None:
    found = audit(FAULTS[name](), runs=RUNS, confidence=CONFIDENCE)
    assert found.lower > float(found.claim.epsilon)
    assert not found.holds


@pytest.mark.parametrize("name", TWINS)
def test_its_twin_passes(name: str) -> None:
    twin = TWINS[name]()
    found = audited(first_with(twin.name), twin.name)
    assert found.holds
    assert found.claim == twin.claim


def test_what_was_asked_for_is_there() -> None:
    assert FAULTS.keys() >= ASKED
    assert FAULTS.keys() == TWINS.keys() == CATALOGUE.keys()
    assert 1 - CONFIDENCE <= 1.0001e-6
    assert len(CATALOGUE) == 37


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_and_its_twin_differ_in_one_part_only(name: str) -> None:
    broken, healthy = FAULTS[name](), TWINS[name]()
    assert broken.name == name
    assert broken.name != healthy.name
    assert broken.claim == healthy.claim
    assert broken.dimension == healthy.dimension
    assert [pair.name for pair in broken.pairs()] == [pair.name for pair in healthy.pairs()]


def test_no_fault_is_registered() -> None:
    assert not FAULTS.keys() & MECHANISMS.keys()


def test_a_measurement_has_the_fault_and_its_twin() -> None:
    told: list[tuple[int, int]] = []
    loose, other = measure(FEW, runs=20_000, on_done=lambda *how_much: told.append(how_much))
    assert loose.caught
    assert other.caught
    assert loose.spent == pytest.approx(3.0, abs=1e-4)
    assert other.spent is None
    assert told == [(0, 2), (1, 2), (2, 2)]
    rows = table([loose, other])
    assert len(rows) == 3
    assert rows[1][-4:-2] == ("1", "3.00")


def test_only_noise_with_a_formula_says_what_is_spent() -> None:
    known = {name for name in CATALOGUE if spent_by(CATALOGUE[name].broken()) is not None}
    assert {"benefit-shift", "ignored-gamma"} <= known
    assert not known & {"plain-doubles", "small-noise-gaussian", "small-noise-objective-l2"}


def test_the_table_has_every_fault_caught_and_every_twin_passing() -> None:
    with audit_faults.TABLE.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert tuple(head) == HEAD
    assert [row[0].strip("`") for row in rows] == list(CATALOGUE)
    for row in rows:
        assert row[1] == CATALOGUE[row[0].strip("`")].wrong
        claimed = float(row[-4].split(",")[0])
        assert claimed < float(row[-2])
        assert float(row[-1]) <= claimed


def test_the_command_writes_the_table_and_between_the_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = measure(FEW, runs=20_000)
    monkeypatch.setattr(audit_faults, "measure", lambda on_done: few)
    monkeypatch.setattr(audit_faults, "RUNS", 20_000)
    monkeypatch.setattr(audit_faults, "REAL", 50)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- real: begin -->\n<!-- real: end -->\nafter\n", encoding="utf-8")
    monkeypatch.setattr(audit_faults, "PAGE", page)
    monkeypatch.setattr(audit_faults, "TABLE", tmp_path / "faults.csv")
    assert audit_faults.main() == 0
    assert audit_faults.main() == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert text.count("In 50 real releases") == 1
    assert (tmp_path / "faults.csv").read_text(encoding="utf-8").count("loose-weights") == 1


def test_the_words_say_what_was_caught_and_what_passes() -> None:
    (one,) = measure(FEW[:1], runs=20_000)
    text = "\n".join(lines([one]))
    assert "1 of 1 faults caught; 1 of 1 right versions pass." in text
    assert "yes" in text
    missed = replace(one, broken=one.healthy)
    assert not missed.caught
    assert "NO" in "\n".join(lines([missed]))
    assert "0 of 1 faults caught" in lines([missed])[-1]
    accused = replace(one, healthy=one.broken)
    assert not accused.caught
    assert "0 of 1 right versions pass" in lines([accused])[-1]


def test_they_can_be_run_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(FEW, runs=20_000) == 0
    assert "2 of 2 faults caught; 2 of 2 right versions pass." in capsys.readouterr().out
    assert main(["no-fault"]) == 2
    assert "there is no fault no-fault" in capsys.readouterr().err


def test_a_fault_that_is_missed_ends_in_1(monkeypatch: pytest.MonkeyPatch) -> None:
    fault = CATALOGUE["loose-weights"]
    blind = dict(CATALOGUE) | {"loose-weights": replace(fault, broken=fault.healthy)}
    monkeypatch.setattr("tests.faults.catalogue.CATALOGUE", blind)
    assert main(["loose-weights"], runs=20_000) == 1


def test_the_list_names_every_fault_and_tests_that_exist() -> None:
    text = LIST.read_text(encoding="utf-8")
    faults, mutants = text.split("## Mutants")
    rows = "".join(line for line in faults.splitlines() if line.startswith("| "))
    named = re.findall(r"`([\w-]+)`(?!\))", rows)
    assert sorted(named) == sorted(CATALOGUE)
    tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", mutants)
    assert len(tests) == len(set(tests)) >= 50
    for path, name in tests:
        assert f"def {name}(" in (LIST.parents[2] / path).read_text(encoding="utf-8"), name
