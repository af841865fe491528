"""Many cells through the engine, as rows of a file; an interrupted campaign can be resumed."""

import csv
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from dpwerm.simulate.engine.run import bar
from reproduction.journal import Journal, run

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

    def measure(
        self, planned: Sequence[C], *, jobs: int | None, resume: bool, quick: bool
    ) -> list[R]:
        """Return the result of every planned cell, in their order.

        jobs: processes, None for all processors; resume: keep what was measured before, in a
        finished file or an interrupted run; quick: write nothing.
        """
        found: dict[Hashable, R] = self._kept() if resume and not quick else {}
        todo = [cell for cell in planned if cell not in found]
        journal = None
        if not quick:
            path = self.results.with_suffix(".jsonl")
            journal = Journal(path, self.results.stem, fresh=not resume)
        with bar("simulating") as on_done:
            rows = run(self.row_of, todo, workers=jobs, journal=journal, on_done=on_done)
        for row in rows:
            result = self.read({name: str(value) for name, value in row.items()})
            found[result.cell] = result
        results = [found[cell] for cell in planned]
        if journal is not None:
            self._write(results)
            journal.path.unlink(missing_ok=True)
        return results

    def row_of(self, cell: C) -> dict[str, object]:
        """Return the row of one cell; this is what other processes do."""
        return dict(self.row(self.run(cell)))

    def _kept(self) -> dict[Hashable, R]:
        """Return what the file of a finished campaign holds."""
        if not self.results.exists():
            return {}
        with self.results.open(encoding="utf-8", newline="") as file:
            kept = [self.read(row) for row in csv.DictReader(file)]
        return {result.cell: result for result in kept}

    def _write(self, results: Sequence[R]) -> None:
        rows = [self.row(result) for result in results]
        with self.results.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
