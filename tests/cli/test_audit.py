"""``dpwerm audit``: a table, a file, a figure, and an exit code that says whether claims hold."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.conftest import Trial
from tests.said import Run

from dpwerm.audit import pipeline, suite
from dpwerm.audit.attack import Audited
from dpwerm.audit.pipeline import OneRun, StudyAudit, one_run_lower
from dpwerm.audit.suite import Task
from dpwerm.privacy.budget import Budget

FOUND = Audited("", Budget.of(2), 2, 1.5, 1.25, 4000, 50, "a pair", "score", 0.999)


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> list[Task]:
    """Answer every audit at once, and return what was asked for."""
    asked: list[Task] = []

    def audited(task: Task) -> Audited:
        asked.append(task)
        return replace(FOUND, lower=2.5 if task.seed == 666 else 1.5)

    monkeypatch.setattr(suite, "audited", audited)
    return asked


def test_a_real_audit_of_two_releases(run: Run, tmp_path: Path) -> None:
    out, figure = tmp_path / "audit.json", tmp_path / "audit.svg"
    options = ("--quick", "--runs", 2000, "--exact-runs", 20, "--workers", 1)
    result = run("audit", "laplace-sums", "exponential", *options, "--out", out, "--figure", figure)
    assert (result.code, result.err) == (0, "")
    for words in (
        "Claimed epsilon, and what it is at least:",
        "laplace-sums  8 sums, epsilon = 4",
        "2,000 simulated releases of each",
        "At least, real: by the same attack on 20 real releases of each.",
        "2 of 2 claims hold.",
        "confidence 0.999",
        f"Wrote {out}.",
    ):
        assert words in result.out
    found = json.loads(out.read_text(encoding="utf-8"))
    assert [entry["dimension"] for entry in found] == [8, 1]
    assert all(entry["lower"] < float(entry["claim"]["epsilon"]) for entry in found)
    assert figure.read_text(encoding="utf-8").startswith("<?xml")


def test_everything_is_audited_with_many_runs_unless_told(run: Run, tasks: list[Task]) -> None:
    assert run("audit", "--workers", 1, "--seed", 5, "--confidence", 0.99).code == 0
    assert {task.key for task in tasks} == set(suite.cells())
    assert {task.runs for task in tasks} == {suite.RUNS}
    assert {task.exact_runs for task in tasks} == {0, suite.EXACT_RUNS}
    assert {(task.seed, task.confidence) for task in tasks} == {(5, 0.99)}


def test_quick_is_less(run: Run, tasks: list[Task]) -> None:
    assert run("audit", "--quick", "--workers", 1).code == 0
    assert len(tasks) < len(suite.cells())
    assert {task.runs for task in tasks} == {suite.QUICK_RUNS}
    assert {task.confidence for task in tasks} == {0.999}


@pytest.mark.usefixtures("tasks")
def test_a_broken_claim_ends_in_its_own_exit_code(run: Run) -> None:
    result = run("audit", "gaussian", "--workers", 1, "--seed", 666)
    assert result.code == 4
    assert "BROKEN: gaussian, p = 1" in result.out


def test_a_study_is_audited_from_its_file(
    run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, object] = {}
    lower = [0.5]

    def audit_study(study: Path, **options: object) -> StudyAudit:
        asked.update(options, study=study)
        one = OneRun(Budget.of(1), lower[0], 9, 10, 16, 0, 1, 40, 0.95)
        return StudyAudit("small-trial", one, replace(FOUND, claim=Budget.of(2)))

    monkeypatch.setattr(pipeline, "audit_study", audit_study)
    result = run("audit", "--study", trial.study, "--epsilon", "1.5", "--quick")
    assert result.code == 0
    assert "Audit of study small-trial" in result.out
    assert (asked["study"], asked["budget"]) == (trial.study, Budget.of("1.5"))
    assert asked["confidence"] == 0.999
    # All canaries guessed right must be able to show something.
    coins = 8 * int(str(asked["one_runs"]))
    assert one_run_lower(coins, coins, confidence=0.9995) > 1
    lower[0] = 1.5
    assert run("audit", "--study", trial.study, "--epsilon", "1").code == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("nothing",), "there is no nothing to audit"),
        (("--epsilon", "1"), "--epsilon is for --study"),
        (("--study", "s.toml"), "--study needs --epsilon"),
        (("gaussian", "--study", "s.toml", "--epsilon", "1"), "--study is audited alone"),
        (("--study", "s.toml", "--epsilon", "1", "--runs", "5000"), "has runs of its own"),
        (("--figure", "audit.jpg"), "must end in"),
    ],
)
def test_what_makes_no_sense_is_refused(run: Run, options: tuple[str, ...], words: str) -> None:
    result = run("audit", *options)
    assert result.code == 2
    assert words in result.err


def test_files_are_not_replaced_unasked(run: Run, tasks: list[Task], tmp_path: Path) -> None:
    out = tmp_path / "audit.json"
    out.write_text("mine", encoding="utf-8")
    assert run("audit", "gaussian", "--out", out, "--workers", 1).code == 2
    assert (out.read_text(encoding="utf-8"), tasks) == ("mine", [])
    assert run("audit", "gaussian", "--out", out, "--workers", 1, "--force").code == 0
