"""How far a run is and how long it still takes; silent where there is no terminal."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from dpwerm.simulate.engine.run import OnDone


@contextmanager
def bar(title: str) -> Iterator[OnDone]:
    """Show a bar on standard error while tasks are done."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=None)

        def on_done(done: int, total: int) -> None:
            progress.update(task, completed=done, total=total)

        yield on_done
