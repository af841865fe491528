"""A new kind of release is one module and one registration: no command needs to know of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Trial, run, trial
from tests.plugins.statistics import STATISTICS, Counts, StatisticsKind, released_counts
from tests.said import Run

from dpwerm.audit.suite import audit_cells, chosen
from dpwerm.errors import LedgerWarning, ParameterError, RuleFileError
from dpwerm.privacy.ledger.entry import WHAT
from dpwerm.privacy.ledger.ledger import Ledger
from dpwerm.releases.files import digest_of
from dpwerm.releases.kinds import KINDS, RULE, get_kind, kind_of, register_kind
from dpwerm.study.study import Study

__all__ = ["run", "trial"]  # fixtures of the commands' tests

CELLS, LEVELS = ["F"] * 14 + ["M"] * 10, ["F", "M"]


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    register_kind(STATISTICS)
    yield
    del KINDS[STATISTICS.format]
    WHAT.remove("statistics")


def counted(trial: Trial) -> tuple[Counts, Path]:
    release = released_counts(CELLS, LEVELS, "0.5", Ledger.of_study(Study.load(trial.study)))
    path = trial.rule.parent / "counts.json"
    kind_of(release).write(release, path)
    return release, path


def test_it_is_written_read_and_verified(run: Run, trial: Trial) -> None:
    release, path = counted(trial)
    assert STATISTICS.read(path) == release
    alone = run("verify", path)
    assert alone.code == 0
    assert "  given  epsilon = 0.5\n  ok     private = True" in alone.out
    assert "  ok     noise_scale = 4.0" in alone.out
    assert (
        "With --study STUDY, or --ledger EXPORT.json, it is compared with the ledger." in alone.out
    )
    charged = run("verify", path, "--study", trial.study)
    assert charged.code == 0
    assert "  ok     ledger, what was charged = statistics" in charged.out
    assert "The ledger holds the charge of this release" in charged.out


def test_it_has_a_summary_and_a_report(run: Run, trial: Trial) -> None:
    release, path = counted(trial)
    assert STATISTICS.summary(release).startswith("F: ")
    page = path.with_suffix(".txt")
    result = run("report", path, "--study", trial.study, "--out", page)
    assert result.code == 0
    assert "Counts released under differential privacy: epsilon = 0.5." in result.out
    text = page.read_text(encoding="utf-8")
    checks = len(STATISTICS.verify(path)) + 7
    assert f"{checks} checks hold. 1 charges so far." in text
    assert "How many people" in text


def test_it_is_attached_to_its_charge_later(
    run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as patched:
        patched.setattr(Ledger, "attach", fail)
        with pytest.warns(LedgerWarning):
            _, path = counted(trial)
    assert run("verify", path, "--study", trial.study).code == 4
    assert run("ledger", "attach", trial.study, path).code == 0
    assert run("verify", path, "--study", trial.study).code == 0
    shown = run("ledger", "show", trial.study).out
    assert "statistics" in shown


@pytest.mark.parametrize(
    ("key", "value"), [("noise_scale", 1.0), ("private", False), ("claim", "none"), ("exponent", 0)]
)
def test_a_forgery_is_found_even_with_a_digest_of_its_own(
    run: Run, trial: Trial, key: str, value: object
) -> None:
    _, path = counted(trial)
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) | {key: value}
    path.write_text(json.dumps(content | {"digest": digest_of(content)}), encoding="utf-8")
    result = run("verify", path)
    assert result.code == 4
    assert f"  WRONG  {key}: " in result.err
    with pytest.raises(RuleFileError, match=f"{key}: does not follow .*count again"):
        STATISTICS.read(path)


def test_a_file_in_another_ones_place_is_named(run: Run, trial: Trial) -> None:
    _, path = counted(trial)
    result = run("recommend", path, trial.table, "--out", path.with_suffix(".csv"))
    assert result.code == 2
    assert "this is a statistics file, where a rule file is needed" in result.err


def test_a_format_is_registered_once_and_an_unknown_one_is_named() -> None:
    with pytest.raises(ParameterError, match="dpwerm-statistics is already registered"):
        register_kind(StatisticsKind())

    class Impostor(StatisticsKind):
        format = RULE

    with pytest.raises(ParameterError, match="dpwerm-rule is already registered"):
        register_kind(Impostor())
    with pytest.raises(ParameterError, match="no kind of release with format dpwerm-gossip; known"):
        get_kind("dpwerm-gossip")
    with pytest.raises(ParameterError, match="a dict is no release of a registered kind"):
        kind_of({})


def test_the_audit_finds_it_by_its_kind() -> None:
    (cell,) = chosen(["statistics"], quick=True)
    (found,) = audit_cells([cell], runs=8000, exact_runs=100, confidence=1 - 1e-8, workers=1)
    assert found.holds
    assert found.lower > 2.0
