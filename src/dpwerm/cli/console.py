"""How commands speak: results on standard output, progress and errors on standard error.

With what several commands take: the same options, files that may be written, and the ledger that
the command line, the environment or the study names.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn, TextIO, cast

import typer

from dpwerm.errors import CHARGE_NOTES, ParameterError
from dpwerm.text import harmless, listed, one_line

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from dpwerm.privacy.ledger.ledger import Ledger
    from dpwerm.privacy.ledger.store import Store
    from dpwerm.releases.kinds import Finding
    from dpwerm.study.study import Study

OUR_FAULT, WRONG_INPUT, OVER_BUDGET, NOT_VERIFIED = 1, 2, 3, 4
"""Exit codes that scripts can use; 0 is success."""

_SQLITE = b"SQLite format 3\x00"
PICTURES = (".png", ".pdf", ".svg")
DOCUMENTS = (".html", ".txt", ".json")

# -- what several commands say of the same option ------------------------------------------

VARIABLE = "DPWERM_LEDGER"
URL_HELP = (
    "sqlite:///file.db or postgresql://host/database; the study's own if left out. "
    f"A password belongs in {VARIABLE}, PGPASSWORD or ~/.pgpass, never on the command line."
)
EPSILON_HELP = (
    "Privacy loss of this release, such as 0.5: at least 0.000001, and the smaller the more "
    "private. inf: no noise and no privacy."
)
DELTA_HELP = (
    "Only for Gaussian noise: how much of the promise may fail, such as 1e-6; at least 0, below 1."
)
TABLE_HELP = "The trial's table, one row for each person: a {} file."
"""To be filled with the endings of tables, which only commands that read one know."""

WORKERS_HELP = "Processes; as many as processors if left out."

StudyFile = Annotated[Path, typer.Argument(help="The study file.")]
RuleFile = Annotated[Path, typer.Argument(help="A rule file.")]
ReleaseFile = Annotated[
    Path, typer.Argument(exists=True, dir_okay=False, help="A rule file or a value file.")
]
Delta = Annotated[str, typer.Option(help=DELTA_HELP)]
LedgerUrl = Annotated[str | None, typer.Option("--ledger", help=URL_HELP)]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]

# -- words ---------------------------------------------------------------------------------


def say(text: str = "") -> None:
    """Print a result as it is: names from files are text, never markup.

    A reader that has gone away (``| head``) does not undo what the command did.
    """
    try:
        sys.stdout.write(harmless(text) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(text: str) -> None:
    """Print to standard error as it is; a stream that has gone away does not stop the command."""
    with suppress(OSError, ValueError, AttributeError):  # full or gone, closed, or never there
        sys.stderr.write(harmless(text) + "\n")
        sys.stderr.flush()


def complain_of_charge(error: BaseException) -> None:
    """Print what an error notes of a charge; notes of others may quote the data."""
    for note in getattr(error, "__notes__", ()):
        if note in CHARGE_NOTES:
            complain(note)


def stop(text: str, code: int = WRONG_INPUT) -> NoReturn:
    """Print to standard error why the command ends here, and end it."""
    complain(text)
    raise typer.Exit(code)


def complain_of(wrong: "Iterable[Finding]") -> None:
    """Print each check that does not hold, in one line."""
    for finding in wrong:
        recorded, derived = shown(finding.recorded), shown(finding.derived)
        complain(one_line(f"  WRONG  {finding.what}: recorded {recorded}, derived {derived}"))


def shown(value: object) -> str:
    """Return a value for reading; of a budget, each part by its name."""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {value[name]}" for name in sorted(value, reverse=True))
    return str(value)


def agree(
    question: str,
    *,
    yes: bool,
    before: Sequence[str] = (),
    otherwise: str = "Nothing was read and nothing was released.",
) -> None:
    """Ask once before something is spent; without a terminal ``--yes`` must be given.

    What is said before the question goes where the question goes; with ``--yes`` it is a result.
    """
    for line in before:
        (say if yes else complain)(line)
    if yes:
        return
    if not sys.stdin.isatty():
        stop("There is no terminal to ask on. Add --yes to go on without a question.")
    if not typer.confirm(question, err=True):
        stop(otherwise)


# -- files and ledgers ---------------------------------------------------------------------


def picture_path(path: Path | None, *, force: bool, inputs: Sequence[Path] = ()) -> Path | None:
    """Return where a figure may be written, checked before any work; None if none is asked for."""
    if path is None:
        return None
    refuse_ending("a figure", path, PICTURES)
    return free_path(path, force=force, inputs=inputs)


def document_path(path: Path | None, *, force: bool, inputs: Sequence[Path] = ()) -> Path | None:
    """Return where a document may be written, checked before any work; None if none is wanted."""
    if path is None:
        return None
    refuse_ending("a document", path, DOCUMENTS)
    return free_path(path, force=force, inputs=inputs)


def refuse_ending(what: str, path: Path, known: Sequence[str]) -> None:
    """Raise unless the name of a file to be written says in which of several formats."""
    if path.suffix.lower() not in known:
        raise ParameterError(f"the name of {what} must end in {listed(known, 'or')}")


def free_path(path: Path, *, force: bool, inputs: Sequence[Path] = ()) -> Path:
    """Return a path that may be written and is none of the inputs, or stop before any work."""
    if any(path.resolve() == one.resolve() or _one_file(path, one) for one in inputs):
        stop(f"{path} is an input of this command. Choose another name.")
    if path.is_dir():
        stop(f"{path} is a folder. Give the name of a file.")
    if path.is_symlink() and not path.exists():
        stop(f"{path} is a link to a file that is not there. Choose another name.")
    if path.exists() and not force:
        stop(f"{path} exists. Choose another name, or add --force to replace it.")
    if not path.parent.is_dir():
        stop(f"The folder {path.parent} does not exist. Make it, or choose another one.")
    if path.exists() and _is_database(path):
        stop(f"{path} is a database, perhaps a ledger. Choose another name.")
    _try_to_write(path)
    return path


def _one_file(path: Path, other: Path) -> bool:
    """Whether two names are of one file that is there."""
    return path.exists() and other.exists() and path.samefile(other)


def _is_database(path: Path) -> bool:
    """Whether a file is of SQLite."""
    try:
        with path.open("rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except OSError:
        return False


def _try_to_write(path: Path) -> None:
    """Stop if a file cannot be made here: a release would be paid for and lost."""
    # Study files take a moment to load; help and refusals of a command line do without them.
    from dpwerm.releases.files import temporary_beside

    trial = temporary_beside(path)
    try:
        trial.open("x").close()
        trial.unlink()
    except OSError as error:
        stop(f"{path} cannot be written: {error.strerror}. Choose another place.")


def url_of(option: str | None) -> str | None:
    """Return the ledger that the command line or the environment names.

    Only the command line can say that there is none: a forgotten variable must not. It cannot give
    a password: everybody on the machine can read it there.
    """
    from dpwerm.privacy.randomness import NO_LEDGER

    if option == NO_LEDGER:
        return option
    if option is not None:
        from dpwerm.privacy.ledger.store import database_of

        if database_of(option, Path.cwd()).has_password:
            raise ParameterError(
                "a password on the command line can be read by everybody on this machine: put it "
                f"into {VARIABLE}, PGPASSWORD or ~/.pgpass"
            )
        return option
    found = os.environ.get(VARIABLE) or None
    if found == NO_LEDGER:
        raise ParameterError(f"{VARIABLE} cannot be none: say --ledger none on the command line")
    return found


def ledger_of(study: "Study", option: str | None) -> "Ledger":
    """Return the ledger of a study; another database than the study's is refused."""
    # SQLAlchemy takes a moment to load; commands without a ledger do without it.
    from dpwerm.privacy.ledger.ledger import Ledger

    return Ledger.of_study(study, url_of(option))


def store_at(url: str) -> "Store":
    """Return the entries at an address; a relative file is beside the command."""
    from dpwerm.privacy.ledger.store import Store, database_of

    return Store(database_of(url, Path.cwd()))


# -- progress ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Steps:
    """How far the work is: ``stage`` names what is under way, ``done`` ends a step."""

    progress: "Progress"
    task: "TaskID"

    def stage(self, name: str) -> None:
        """Show what is under way."""
        self.progress.update(self.task, description=name)

    def done(self) -> None:
        """Fill the bar by one step."""
        self.progress.advance(self.task)

    def more(self, steps: int) -> None:
        """Make room for more steps."""
        total = self.progress.tasks[self.task].total or 0
        self.progress.update(self.task, total=total + steps)


@contextmanager
def stages() -> Iterator[Callable[[str], None]]:
    """Show which stage is under way and for how long; never how the solver is doing."""
    with bar(None) as steps:
        yield steps.stage


class _Shown:
    """Standard error for a display: where it cannot be written, nothing is shown."""

    def __init__(self) -> None:
        self._stream = sys.stderr

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Show a text."""
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Show what was written."""
        with suppress(OSError):
            self._stream.flush()


@contextmanager
def bar(total: int | None = 0) -> Iterator[Steps]:
    """Show progress on standard error, as a bar if there is a total; silent without a terminal."""
    # Rich takes a moment to load; help and refusals do without it.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    name, elapsed = TextColumn("{task.description}"), TimeElapsedColumn()
    full = (BarColumn(24), MofNCompleteColumn(), elapsed, name)
    columns = (SpinnerColumn(), name, elapsed) if total is None else full
    console = Console(file=cast("TextIO", _Shown()))
    silent = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=silent) as progress:
        yield Steps(progress, progress.add_task("starting", total=total))
