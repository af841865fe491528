"""Many cells over all processors, written as they come; an interrupted run can be resumed."""

import csv
import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from rich.progress import Progress

from benchmarks.page import add_row

C_co = TypeVar("C_co", bound=Hashable, covariant=True)


class Measured(Protocol[C_co]):
    """A result that knows its cell."""

    @property
    def cell(self) -> C_co:
        """What was measured."""


C = TypeVar("C", bound=Hashable)
R = TypeVar("R", bound=Measured[Hashable])


@dataclass(frozen=True)
class Campaign(Generic[C, R]):
    """How cells are run, and how a result is written to a row of the file and read back."""

    run: Callable[[C], R]
    results: Path
    row: Callable[[R], Mapping[str, object]]
    read: Callable[[Mapping[str, str]], R]

    def measure(self, planned: Sequence[C], *, jobs: int, resume: bool, quick: bool) -> list[R]:
        """Return the result of every planned cell, in their order.

        resume: keep what the file holds; quick: write nothing.
        """
        found: dict[Hashable, R] = self._kept(set(planned)) if resume else {}
        todo = [cell for cell in planned if cell not in found]
        self.results.parent.mkdir(exist_ok=True)
        target = Path(os.devnull) if quick else self.results
        with (
            target.open("a" if resume else "w", encoding="utf-8", newline="") as file,
            Progress() as progress,
            ProcessPoolExecutor(jobs) as pool,
        ):
            task = progress.add_task("simulating", total=len(planned))
            progress.advance(task, len(planned) - len(todo))
            for result in pool.map(self.run, todo):
                found[result.cell] = result
                add_row(file, self.row(result))
                progress.advance(task)
        return [found[cell] for cell in planned]

    def _kept(self, planned: set[C]) -> dict[Hashable, R]:
        """Return the planned cells that the file already holds."""
        if not self.results.exists():
            return {}
        with self.results.open(encoding="utf-8", newline="") as file:
            kept = [self.read(row) for row in csv.DictReader(file)]
        return {result.cell: result for result in kept if result.cell in planned}
