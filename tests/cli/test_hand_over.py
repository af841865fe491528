"""A release that was paid for is written before anything is said of it, and its charge is told."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Trial
from tests.said import Run, Said

from dpwerm.errors import ParameterError
from dpwerm.releases.kinds import check_file

CANARY = "987654.321"
SUMMARY = "dpwerm.documents.summary.summary"
WORDS = (SUMMARY, "dpwerm.documents.value.value_summary")
Release = Callable[[], Said]


@pytest.fixture(params=["fit", "tune", "evaluate"])
def paying(request: pytest.FixtureRequest, run: Run, trial: Trial) -> tuple[Release, Path]:
    """Return a command that releases something at ε = 1, and where it writes."""
    out = trial.rule.parent / f"{request.param}.json"
    end = ("--epsilon", "1", "--out", out, "--yes")
    if request.param == "fit":
        return lambda: run("fit", trial.study, trial.table, *end), out
    if request.param == "tune":
        ways = ("--how", "parts", "--gammas", "50,100")
        return lambda: run("tune", trial.study, trial.table, *ways, *end), out
    first = ("--epsilon", "1", "--out", trial.rule, "--yes")
    assert run("fit", trial.study, trial.table, *first).code == 0
    return lambda: run("evaluate", trial.rule, trial.study, trial.table, *end), out


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (WORDS, ValueError(CANARY)),
        (WORDS, ParameterError(CANARY)),
        (WORDS, OSError(5, CANARY)),
        (("dpwerm.cli.release.warn",), UserWarning(CANARY)),
    ],
    ids=["fault", "parameter", "system", "warning"],
)
def test_words_that_fail_lose_nothing_and_the_charge_is_told(
    paying: tuple[Release, Path],
    run: Run,
    trial: Trial,
    said: tuple[str, ...],
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release, out = paying

    def fail(*_: object) -> str:
        raise error

    with monkeypatch.context() as patched:
        for name in said:
            patched.setattr(name, fail)
        result = release()
    assert result.code == 1
    found = check_file(out)
    receipt = found.kind.released(found.sound(out.name)).receipt
    assert receipt is not None
    assert f"Wrote {out}, but could not say what is in it." in result.err
    assert f"The release is paid for: epsilon = 1, by {receipt}." in result.err
    assert f"dpwerm verify {out}" in result.err
    assert CANARY not in result.out + result.err
    assert run("verify", out, "--study", trial.study).code == 0


def test_a_release_that_cannot_be_written_is_printed(
    paying: tuple[Release, Path], run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, out = paying

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr("dpwerm.releases.files.os.fsync", full)
        result = release()
    assert result.code != 0
    assert not out.exists()
    assert f"{out} could not be written (No space left on device)." in result.err
    assert "The release is paid for: epsilon = 1, by entry " in result.err
    printed = result.out[result.out.index("{\n") :]
    assert json.loads(printed)["digest"].startswith("sha256:")
    out.write_text(printed, encoding="utf-8")
    assert run("verify", out, "--study", trial.study).code == 0


def test_what_was_not_charged_is_not_said_to_be(
    run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> str:
        raise ValueError

    monkeypatch.setattr(SUMMARY, fail)
    options = ("--epsilon", "1", "--seed", "1", "--out", trial.rule, "--yes")
    result = run("fit", trial.study, trial.table, *options)
    assert result.code == 1
    assert "No ledger was charged for it." in result.err
    assert run("verify", trial.rule).code == 0
