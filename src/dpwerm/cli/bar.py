"""A bar for work of several steps; silent where there is no terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed


@dataclass(frozen=True)
class Steps:
    """How far the work is: ``stage`` names what is under way, ``done`` ends a step."""

    progress: Progress
    task: TaskID

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
def bar() -> Iterator[Steps]:
    """Show a bar on standard error."""
    console = Console(stderr=True)
    columns = (BarColumn(24), MofNCompleteColumn(), Elapsed(), TextColumn("{task.description}"))
    silent = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=silent) as progress:
        yield Steps(progress, progress.add_task("starting", total=0))
