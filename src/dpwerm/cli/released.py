"""What commands do with releases: hand one over, and say what does not hold of one in a file."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from dpwerm.cli.console import complain, say
from dpwerm.releases.kinds import Finding, kind_of
from dpwerm.text import one_line


class WordsError(Exception):
    """A release is made and written, and only what is said of it failed."""


def hand_over(release: object, path: Path, words: Callable[[], str]) -> None:
    """Write a release, then say what it is; nothing that was paid for is lost to what follows it.

    A release that cannot be written is printed. Where its words fail, the file and the charge that
    paid for it are named all the same.
    """
    kind = kind_of(release)
    try:
        kind.write(release, path)
    except OSError as error:
        complain(f"{path} could not be written ({error.strerror}). {_paid(release)}")
        complain("Its whole content follows on standard output: keep it as a file.")
        say(kind.text(release).rstrip("\n"))
        raise
    try:
        text = words()
    except Exception as error:
        complain(f"Wrote {path}, but could not say what is in it. {_paid(release)}")
        complain(f"Nothing of it is lost; check it with: dpwerm verify {path}")
        raise WordsError().with_traceback(error.__traceback__) from error
    say(text)
    say(f"Wrote {path}. Anybody can check its numbers with: dpwerm verify {path}")


def _paid(release: object) -> str:
    """Return which charge paid for a release, in words."""
    found = kind_of(release).released(release)
    if found.receipt is None:
        return "No ledger was charged for it."
    return f"The release is paid for: {found.budget}, by {found.receipt}."


def complain_of(wrong: Iterable[Finding]) -> None:
    """Print each check that does not hold, in one line."""
    for finding in wrong:
        recorded, derived = shown(finding.recorded), shown(finding.derived)
        complain(one_line(f"  WRONG  {finding.what}: recorded {recorded}, derived {derived}"))


def shown(value: object) -> str:
    """Return a value for reading; of a budget, each part by its name."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {value[name]}" for name in sorted(value, reverse=True))
    return str(value)
