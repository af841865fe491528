"""How what was paid for is handed over: written first, then told.

    release made → written → its digest beside the charge → said what it is

A release that cannot be written is printed, and a copy is left in the folder for temporary files.
Whatever ends a command after its charge, an interrupt too, the charge is named.
"""

import contextlib
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

        Either way the ledger is told of it next, so what failed is raised by ``tell``.
        """
        # Records take a moment to load; commands that release nothing do without them.
        from dpwerm.releases.kinds import kind_of

        with _held():
            try:
                kind = kind_of(release)
                for path in self._names():
                    with contextlib.suppress(FileExistsError):
                        kind.write(release, path, replace=self._force)
                        self.path, self.kept = path, release
                        return
                raise FileExistsError(0, "every name like it is taken")  # noqa: TRY301 - as others
            except BaseException as error:  # noqa: BLE001 - raised once the ledger knows
                self._failure = error
                reason = getattr(error, "strerror", None) or type(error).__name__
                complain(f"{self.path} could not be written ({reason}).")
                complain(_paid(release))
                _print(kind.ascii(release), self.path)

    def _names(self) -> Iterator[Path]:
        """Yield the name that was asked for; then others, if a release of others took it since."""
        yield self.path
        for number in range(2, MOST_NAMES):
            yield self.path.with_stem(f"{self.path.stem}-{number}")

    def ended(self, error: BaseException) -> None:
        """Say what an error that ends the command leaves behind, where nobody else says it."""
        if self.kept is not None:
            complain(f"Wrote {self.path}. {_paid(self.kept)}")
            complain("Whether the ledger knows which release that is shows: dpwerm ledger show")
        elif not isinstance(error, Exception) or isinstance(error, BrokenPipeError):
            complain_of_charge(error)  # the command line ends on these without a word

    def tell(self, words: Callable[[], str]) -> None:
        """Say what the release is; where that fails, name its file and its charge all the same."""
        if isinstance(self._failure, OSError):
            raise typer.Exit(WRONG_INPUT)
        if self._failure is not None:
            raise self._failure
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


def _print(text: str, path: Path) -> None:
    """Leave the text of a release in the folder for temporary files and on standard output."""
    with contextlib.suppress(OSError):
        ending = path.suffix or ".json"
        with tempfile.NamedTemporaryFile(
            "w", encoding="ascii", prefix="dpwerm-", suffix=ending, delete=False
        ) as file:
            file.write(text + "\n")
        complain(f"A copy is in {file.name}: move it to where it shall stay.")
    complain("Its whole content follows on standard output: keep it as a file.")
    with contextlib.suppress(OSError):
        say(text)


@contextlib.contextmanager
def _held() -> Iterator[None]:
    """Hold back signals that would end the command, and let them through afterwards."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {one: signal.signal(one, lambda number, _: came.append(number)) for one in SIGNALS}
    try:
        yield
    finally:
        for one, handler in before.items():
            signal.signal(one, handler or signal.SIG_DFL)
        for number in came:
            signal.raise_signal(number)
