"""How what was paid for is handed over: written first, then told.

    release made → written → its digest beside the charge → said what it is

A release that cannot be written is left in the folder for temporary files and on standard output.
Whatever ends a command after its charge, an interrupt too, the charge is named.
"""

import contextlib
import errno
import os
import signal
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

from dpwerm.cli.console import OUR_FAULT, WRONG_INPUT, complain, complain_of_charge, say
from dpwerm.errors import LedgerWarning

MOST_NAMES = 1_000
SILENT = (BrokenPipeError, EOFError, typer.Abort, typer.Exit)
"""Errors on which the command line ends without a word of ours."""

SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in dir(signal)]


class WordsError(Exception):
    """A release is made and written, and only what is said of it failed."""


class Delivery:
    """Where one release goes; ``path`` is where it went, and ``kept`` the release once it did."""

    def __init__(self, path: Path, *, force: bool) -> None:
        self.path = path
        self.kept: Any = None
        self.caught: list[warnings.WarningMessage] = []
        self._force = force
        self._failure: BaseException | None = None

    def keep(self, release: Any) -> None:
        """Write a release; no signal comes between. One that cannot be written is printed.

        Either way the ledger is told of it next, so what failed is raised by ``check``.
        """
        with _held():
            try:
                self._write(release)
            except BaseException as error:  # noqa: BLE001 - raised once the ledger knows
                self._failure = error
                _rescue(release, self.path, error)

    def _write(self, release: Any) -> None:
        # Records take a moment to load; commands that release nothing do without them.
        from dpwerm.releases.kinds import kind_of

        kind, asked = kind_of(release), self.path
        with contextlib.suppress(FileExistsError):
            kind.write(release, asked, replace=self._force)
            self.kept = release
            return
        for number in range(2, MOST_NAMES):
            other = asked.with_stem(f"{asked.stem}-{number}")
            with contextlib.suppress(FileExistsError):
                kind.write(release, other, replace=False)
                self.path, self.kept = other, release
                complain(f"{asked} was taken meanwhile: the release goes to {other}.")
                return
        raise FileExistsError(errno.EEXIST, "every name like it is taken")

    def check(self) -> None:
        """Raise what kept the release from being written, now that the ledger knows of it."""
        if self._failure is None:
            return
        with contextlib.suppress(Warning):
            warn(self.caught)
        if isinstance(self._failure, OSError):
            raise typer.Exit(WRONG_INPUT)
        raise self._failure

    def ended(self, error: BaseException) -> None:
        """Say what an error that ends the command leaves behind, where nobody else says it."""
        with _held():
            if self.kept is not None:
                complain(f"Wrote {self.path}. {_paid(self.kept)}")
                complain("Whether the ledger knows of it shows: dpwerm ledger show STUDY")
            elif isinstance(error, SILENT) or not isinstance(error, Exception):
                complain_of_charge(error)

    def tell(self, words: Callable[[], str]) -> None:
        """Say what the release is; where that fails, name its file and its charge all the same."""
        self.check()
        try:
            warn(self.caught)
            say(words())
            say(f"Wrote {self.path}. Anybody can check its numbers with: dpwerm verify {self.path}")
        except BaseException as error:
            complain(f"Wrote {self.path}, but could not say what is in it.")
            complain(_paid(self.kept))
            complain(f"Nothing of it is lost; check it with: dpwerm verify {self.path}")
            if isinstance(error, OSError):
                raise typer.Exit(OUR_FAULT) from None
            if not isinstance(error, Exception):
                raise
            raise WordsError().with_traceback(error.__traceback__) from error


@contextlib.contextmanager
def delivering(path: Path, *, force: bool) -> Iterator[Delivery]:
    """Give where a release goes; its warnings are kept, to be said once it is written."""
    delivery = Delivery(path, force=force)
    with warnings.catch_warnings(record=True) as delivery.caught:
        warnings.simplefilter("always")
        try:
            yield delivery
        except BaseException as error:
            delivery.ended(error)
            raise


def warn(caught: list[warnings.WarningMessage]) -> None:
    """Say on standard error what a release warned of; a ledger's warnings in plain words."""
    for one in caught:
        if issubclass(one.category, LedgerWarning):
            complain(str(one.message))
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def _paid(release: Any) -> str:
    """Return which charge paid for a release, in words."""
    if release.receipt is None:
        return "No ledger was charged for it."
    return f"The release is paid for: {release.budget}, by {release.receipt}."


def _rescue(release: Any, path: Path, error: BaseException) -> None:
    """Leave the content of a release wherever it can be left, then say where that is."""
    from dpwerm.releases.kinds import kind_of

    reason, places = getattr(error, "strerror", None) or type(error).__name__, []
    with contextlib.suppress(Exception):
        text = kind_of(release).ascii(release)
        with contextlib.suppress(OSError):
            places.append(f"A copy is in {_copy(text, path)}: move it to where it shall stay.")
        with contextlib.suppress(OSError, ValueError, AttributeError):
            say(text)
            places.append("Its whole content is on standard output: keep it as a file.")
        if not places:
            complain(text)
            places.append("Its whole content is above: keep it as a file.")
    complain(f"{path} could not be written ({reason}).")
    complain(_paid(release))
    for one in places or ["The release is lost: it could be written nowhere."]:
        complain(one)


def _copy(text: str, path: Path) -> str:
    """Return the file in the folder for temporary files that holds the text of a release."""
    handle, name = tempfile.mkstemp(prefix="dpwerm-", suffix=path.suffix or ".json", text=True)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(text + "\n")
    return name


@contextlib.contextmanager
def _held() -> Iterator[None]:
    """Hold back signals that would end the command, and let them through afterwards."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before: dict[int, Any] = {}
    try:
        for one in SIGNALS:
            before[one] = signal.getsignal(one)
            signal.signal(one, lambda number, _: came.append(number))
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler or signal.SIG_DFL)
        for number in came:
            signal.raise_signal(number)
