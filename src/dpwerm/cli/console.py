"""How commands speak: results on standard output, progress and errors on standard error."""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dpwerm.data.table import endings
from dpwerm.errors import ParameterError
from dpwerm.text import harmless

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DONE, OUR_FAULT, WRONG_INPUT, OVER_BUDGET, NOT_VERIFIED = 0, 1, 2, 3, 4
"""Exit codes that scripts can use."""

_SQLITE = b"SQLite format 3\x00"
PICTURES = (".png", ".pdf", ".svg")

NOT_CHARGED = "Nothing was charged and nothing was released."
CHARGED = "The ledger was charged before this, and that stays; nothing was released."
"""The only notes on an error that are printed: notes of others may quote the data."""

# What several commands say of the same option.
EPSILON_HELP = (
    "Privacy loss of this release, such as 0.5: at least 0.000001, and the smaller the more "
    "private. inf: no noise and no privacy."
)
DELTA_HELP = (
    "Only for Gaussian noise: how much of the promise may fail, such as 1e-6; at least 0, below 1."
)
TABLE_HELP = f"The trial's table, one row for each person: a {endings()} file."
WORKERS_HELP = "Processes; as many as processors if left out."
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]


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
    """Print to standard error as it is."""
    sys.stderr.write(harmless(text) + "\n")


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
        complain("There is no terminal to ask on. Add --yes to go on without a question.")
        raise typer.Exit(WRONG_INPUT)
    if not typer.confirm(question, err=True):
        complain(otherwise)
        raise typer.Exit(WRONG_INPUT)


def picture_path(path: Path, *, force: bool, inputs: Sequence[Path] = ()) -> Path:
    """Return where a figure may be written, checked before any work."""
    if path.suffix.lower() not in PICTURES:
        *some, last = PICTURES
        raise ParameterError(f"the name of a figure must end in {', '.join(some)} or {last}")
    return free_path(path, force=force, inputs=inputs)


def free_path(path: Path, *, force: bool, inputs: Sequence[Path] = ()) -> Path:
    """Return a path that may be written and is none of the inputs, or stop before any work."""
    if path.exists() and any(one.exists() and path.samefile(one) for one in inputs):
        complain(f"{path} is an input of this command. Choose another name.")
        raise typer.Exit(WRONG_INPUT)
    if path.is_dir():
        complain(f"{path} is a folder. Give the name of a file.")
        raise typer.Exit(WRONG_INPUT)
    if path.exists() and not force:
        complain(f"{path} exists. Choose another name, or add --force to replace it.")
        raise typer.Exit(WRONG_INPUT)
    if not path.parent.is_dir():
        complain(f"The folder {path.parent} does not exist. Make it, or choose another one.")
        raise typer.Exit(WRONG_INPUT)
    if path.exists() and _is_database(path):
        complain(f"{path} is a database, perhaps a ledger. Choose another name.")
        raise typer.Exit(WRONG_INPUT)
    _try_to_write(path)
    return path


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
        complain(f"{path} cannot be written: {error.strerror}. Choose another place.")
        raise typer.Exit(WRONG_INPUT) from None


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
    with _steps(None) as steps:
        yield steps.stage


@contextmanager
def bar() -> Iterator[Steps]:
    """Show a bar for work of several steps."""
    with _steps(0) as steps:
        yield steps


@contextmanager
def _steps(total: int | None) -> Iterator[Steps]:
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
    console = Console(stderr=True)
    silent = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=silent) as progress:
        yield Steps(progress, progress.add_task("starting", total=total))
