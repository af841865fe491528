"""A table or figure of the paper, reproduced: rows, pictures, and in words whether they agree.

    NAME.csv   every number       NAME-*.svg   the pictures       PAGE.md   its section, and others

What is simulated goes through the engine and its journal, so an interrupted artefact goes on where
it stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from matplotlib.figure import Figure

from dpwerm.simulate.engine.run import OnDone, unseen
from reproduction.journal import Journal, run
from reproduction.shown import markdown


@dataclass(frozen=True)
class Sheet:
    """A table of texts under a name of its own; the title says what it shows."""

    name: str
    title: str
    header: list[str]
    rows: list[list[str]]

    def markdown(self) -> str:
        """Return the table in Markdown, its title below it."""
        return f"{markdown([self.header, *self.rows])}\n\n{self.title}."


T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Bench:
    """Where and how an artefact is made.

    Parameters
    ----------
    name : str, of the artefact
    out : Path, the folder that gets its files
    quick : bool, whether a small version is wanted; it says what it leaves out
    fresh : bool, whether to forget what an earlier run has found
    workers : int ≥ 1, all processors if left out
    cyp_guides : Path, the user's copy of that trial, if there is one
    on_done : called with how many tasks are done, and of how many
    renewed : the names of work that was begun anew already
    """

    name: str
    out: Path
    quick: bool = False
    fresh: bool = False
    workers: int | None = None
    cyp_guides: Path | None = None
    on_done: OnDone = unseen
    renewed: set[str] = field(default_factory=set, repr=False, compare=False)

    def run(
        self, work: Callable[[T], R], tasks: Sequence[T], part: str = "", *, shared: str = ""
    ) -> list[R]:
        """Return the plain results of tasks, in their order; what was found before is kept.

        part: names the work where an artefact has several kinds; shared: names work that several
        artefacts have in common, in the place of the artefact's own name. Benches made of one
        another by ``dataclasses.replace`` make shared work anew only once.
        """
        name = shared or (f"{self.name}-{part}" if part else self.name)
        path = self.out / "journal" / f"{'quick-' if self.quick else ''}{name}.jsonl"
        journal = Journal(path, name, fresh=self.fresh and name not in self.renewed)
        self.renewed.add(name)
        return run(work, tasks, workers=self.workers, journal=journal, on_done=self.on_done)


@dataclass(frozen=True)
class Verdict:
    """One thing the paper says, and whether what was reproduced agrees.

    claim: what the paper prints or says; agrees; found: what was measured, and if they differ why.
    """

    claim: str
    agrees: bool
    found: str

    def __str__(self) -> str:
        return f"{'Agrees' if self.agrees else 'Differs'}: {self.claim} {self.found}"


@dataclass(frozen=True)
class Made:
    """What an artefact gives.

    rows: every number, for the CSV; sheets: the tables of its page; pictures: by a name that is
    added to the artefact's; verdicts; notes: paragraphs on how it was done; left_out: what a quick
    version does not have; skipped: why there is nothing, or nothing of a part.
    """

    rows: Sequence[Mapping[str, object]]
    sheets: Sequence[Sheet]
    pictures: Mapping[str, Figure]
    verdicts: Sequence[Verdict]
    notes: Sequence[str] = ()
    left_out: str = ""
    skipped: str = ""


@dataclass(frozen=True)
class Page:
    """Where artefacts of one kind have their sections: PAGE.md, its title, and how all was done."""

    name: str
    title: str
    how: tuple[str, ...] = ()


@dataclass(frozen=True)
class Artefact:
    """One table or figure by its name on the command line, and the page with its section."""

    name: str
    title: str
    page: Page
    make: Callable[[Bench], Made] = field(repr=False)
