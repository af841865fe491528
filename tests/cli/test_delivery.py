"""A release that was paid for is written before anything is said of it, and its charge is told."""

import errno
import json
import os
import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Trial
from tests.said import Run, Said

from dpwerm.cli.delivery import Delivery, _held
from dpwerm.errors import CHARGED, UNCERTAIN, ParameterError
from dpwerm.fit import Ready
from dpwerm.releases.kinds import check_file
from dpwerm.releases.rule_file import read_rule

CANARY = "987654.321"
SUMMARY = "dpwerm.documents.summary.summary"
WORDS = (SUMMARY, "dpwerm.documents.value.value_summary")
Release = Callable[[], Said]


def raising(error: BaseException) -> Callable[..., Any]:
    """Return a function that does nothing but raise an error, whatever it is given."""

    def fail(*_: object, **__: object) -> Any:
        raise error

    return fail


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
        (("dpwerm.cli.delivery.warn",), UserWarning(CANARY)),
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

    with monkeypatch.context() as patched:
        for name in said:
            patched.setattr(name, raising(error))
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


FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (FULL, 2, "No space left on device"),
        (MemoryError(), 1, "MemoryError"),
        (KeyboardInterrupt(), 130, "KeyboardInterrupt"),
    ],
    ids=["full", "memory", "interrupt"],
)
def test_a_release_that_cannot_be_written_is_printed(
    paying: tuple[Release, Path],
    run: Run,
    trial: Trial,
    error: BaseException,
    code: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    release, out = paying
    spare = tmp_path / "spare"
    spare.mkdir()

    with monkeypatch.context() as patched:
        patched.setattr("dpwerm.releases.files.os.fsync", raising(error))
        patched.setattr("tempfile.tempdir", str(spare))
        result = release()
    assert result.code == code
    assert not out.exists()
    assert f"{out} could not be written ({words})." in result.err
    assert "The release is paid for: epsilon = 1, by entry " in result.err
    printed = result.out[result.out.index("{\n") :]
    assert json.loads(printed)["digest"].startswith("sha256:")
    (copy,) = spare.iterdir()
    assert f"A copy is in {copy}" in result.err
    for text in (printed, copy.read_text(encoding="ascii")):
        out.write_text(text, encoding="utf-8")
        assert run("verify", out, "--study", trial.study).code == 0


BROKEN = OSError(errno.EIO, os.strerror(errno.EIO))


def test_a_closed_terminal_loses_nothing(
    paying: tuple[Release, Path], run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its display of progress ends after the release is made, and can no longer be written."""
    release, out = paying
    with monkeypatch.context() as patched:
        patched.setenv("FORCE_COLOR", "1")
        patched.setattr("sys.stderr.write", raising(BROKEN))
        assert release().code == 0
    assert run("verify", out, "--study", trial.study).code == 0


def test_without_any_word_on_standard_error_the_content_is_printed(
    paying: tuple[Release, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    release, out = paying

    with monkeypatch.context() as patched:
        patched.setattr("dpwerm.releases.files.os.fsync", raising(FULL))
        patched.setattr("tempfile.tempdir", str(tmp_path / "absent"))
        patched.setattr("sys.stderr.write", raising(BROKEN))
        result = release()
    assert (result.code, out.exists()) == (2, False)
    assert json.loads(result.out[result.out.index("{\n") :])["digest"].startswith("sha256:")


def test_an_output_that_fails_after_the_file_is_written_is_told(
    paying: tuple[Release, Path], run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, out = paying

    with monkeypatch.context() as patched:
        patched.setattr("dpwerm.cli.delivery.say", raising(FULL))
        result = release()
    assert result.code == 1
    assert "Internal error" not in result.err
    assert f"Wrote {out}, but could not say what is in it." in result.err
    assert "The release is paid for: epsilon = 1, by entry " in result.err
    assert run("verify", out, "--study", trial.study).code == 0


def test_an_interrupt_while_the_ledger_is_told_loses_nothing(
    paying: tuple[Release, Path], run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, out = paying

    with monkeypatch.context() as patched:
        patched.setattr("dpwerm.privacy.ledger.ledger.Ledger.attach", raising(KeyboardInterrupt()))
        result = release()
    assert result.code == 0
    assert "The release stands and is paid for by entry " in result.err
    assert "nothing was released" not in result.err
    assert run("verify", out).code == 0
    assert run("ledger", "attach", trial.study, out).code == 0
    assert run("verify", out, "--study", trial.study).code == 0


def test_an_interrupt_after_the_file_is_written_names_it(
    fit: Run, run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "dpwerm.estimators.base.PrivateEstimator._take_over", raising(KeyboardInterrupt())
    )
    result = fit()
    assert result.code == 130
    assert f"Wrote {trial.rule}. The release is paid for: epsilon = 1, by entry " in result.err
    assert "nothing was released" not in result.err
    assert run("verify", trial.rule).code == 0


def test_what_can_be_written_nowhere_else_is_printed_where_words_go(
    paying: tuple[Release, Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    release, out = paying

    with monkeypatch.context() as patched:
        patched.setattr("dpwerm.releases.files.os.fsync", raising(FULL))
        patched.setattr("tempfile.tempdir", str(tmp_path / "absent"))
        patched.setattr("dpwerm.cli.delivery.say", raising(FULL))
        result = release()
    assert (result.code, out.exists()) == (2, False)
    text, _, words = result.err.partition("\n}\n")
    assert json.loads(text + "}")["digest"].startswith("sha256:")
    assert "Its whole content is above: keep it as a file." in words


def test_a_release_without_content_is_called_lost(
    fit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpwerm.releases.kinds.kind_of", raising(MemoryError()))
    result = fit()
    assert result.code == 1
    assert "Internal error: MemoryError" in result.err
    assert "The release is paid for: epsilon = 1, by entry " in result.err
    assert "The release is lost: it could be written nowhere." in result.err


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (BrokenPipeError(errno.EPIPE, "gone"), 1),
        (EOFError(), 1),
        (FileNotFoundError(errno.ENOENT, "No such file", "a/file"), 2),
        (MemoryError(), 1),
    ],
    ids=lambda one: type(one).__name__,
)
def test_whatever_ends_a_fit_after_its_charge_the_charge_is_told(
    fit: Run, error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpwerm.fit.Ready.of", raising(error))
    result = fit()
    assert result.code == code
    assert result.err.count(CHARGED) == 1


def test_a_charge_that_broke_off_is_called_uncertain(
    fit: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpwerm.privacy.ledger.ledger.Receipt", raising(MemoryError()))
    result = fit()
    assert result.code == 1
    assert UNCERTAIN in result.err


def test_a_warning_after_the_charge_loses_nothing(
    fit: Run, run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here, as in this suite, warnings are errors."""
    encode = Ready.of

    def warns(*given: Any) -> Ready:
        warnings.warn(CANARY, RuntimeWarning, stacklevel=1)
        return encode(*given)

    monkeypatch.setattr("dpwerm.fit.Ready.of", warns)
    result = fit()
    assert result.code == 1
    assert f"Wrote {trial.rule}, but could not say what is in it." in result.err
    assert run("verify", trial.rule, "--study", trial.study).code == 0


def test_a_name_that_others_took_meanwhile_is_left_to_them(
    run: Run, trial: Trial, capsys: pytest.CaptureFixture[str]
) -> None:
    def said() -> str:
        return capsys.readouterr().err

    options = ("--epsilon", "1", "--seed", "1", "--out", trial.rule, "--yes")
    assert run("fit", trial.study, trial.table, *options).code == 0
    rule, theirs = read_rule(trial.rule), trial.rule.read_bytes()
    for name in ("rule-2.json", "rule-3.json"):
        delivery = Delivery(trial.rule, force=False)
        delivery.keep(rule)
        assert delivery.path.name == name
        assert f"rule.json was taken meanwhile: the release goes to {delivery.path}" in said()
        assert check_file(delivery.path).wrong == []
    assert trial.rule.read_bytes() == theirs
    delivery = Delivery(trial.rule, force=True)
    delivery.keep(rule)
    assert delivery.path == trial.rule


def test_signals_wait_until_a_release_is_written() -> None:
    done = []

    def interrupted_writing() -> None:
        with _held():
            signal.raise_signal(signal.SIGINT)
            done.append("written")

    # What runs in the background of a shell may have been started with this signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted_writing()
        assert done == ["written"]
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_link_to_nothing_is_no_place_for_a_release(fit: Run, trial: Trial) -> None:
    trial.rule.symlink_to(trial.rule.with_name("absent.json"))
    result = fit()
    assert (result.code, "is a link to a file that is not there" in result.err) == (2, True)
    assert not trial.rule.with_name("ledger.db").exists()


@pytest.mark.parametrize("name", ["ledger.db-journal", "ledger.db-wal", "ledger.db-shm"])
def test_files_that_sqlite_keeps_beside_a_ledger_are_never_written(
    run: Run, trial: Trial, name: str
) -> None:
    out = trial.rule.with_name(name)
    result = run("fit", trial.study, trial.table, "--epsilon", "1", "--out", out, "--yes")
    assert result.code == 2
    assert "is where the ledger is" in result.err
    assert not trial.rule.with_name("ledger.db").exists()


def test_a_figure_never_takes_the_place_of_its_rule(run: Run, trial: Trial) -> None:
    out = trial.rule.with_name("tuned.svg")
    ways = ("--how", "parts", "--gammas", "50,100", "--out", out, "--figure", out)
    result = run("tune", trial.study, trial.table, "--epsilon", "1", *ways, "--yes")
    assert result.code == 2
    assert "is an input of this command" in result.err
    assert not trial.rule.with_name("ledger.db").exists()


def test_what_was_not_charged_is_not_said_to_be(
    run: Run, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SUMMARY, raising(ValueError()))
    options = ("--epsilon", "1", "--seed", "1", "--out", trial.rule, "--yes")
    result = run("fit", trial.study, trial.table, *options)
    assert result.code == 1
    assert "No ledger was charged for it." in result.err
    assert run("verify", trial.rule).code == 0
