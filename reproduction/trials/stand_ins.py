r"""Table I for the SIMULATED stand-in of SJCRH: simulated trials that resemble the published one.

Of many candidates those are kept whose rule without privacy resembles the published row,

.. math:: |m - 197| \le 25, \qquad |V - 2.101| \le 0.1

with m the people who get melatonin, by the paper's method. The private rows do not enter. The
nearest of them is shown in detail, in units of these widths.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpwerm.arrays import FloatArray
from reproduction.artefact import Bench
from reproduction.trials import table
from reproduction.trials.method import METHODS
from reproduction.trials.published import published_rows
from reproduction.trials.sjcrh import GAMMA, PEOPLE, stand_in
from reproduction.trials.source import Source

SEED = 20264
CANDIDATES, RUNS, REPEATS = 1_200, 100, 200
QUICK_CANDIDATES, QUICK_RUNS, QUICK_REPEATS = 120, 10, 50
QUICK_OURS = ("1",)
CHUNK = 60
WIDTHS = (25.0, 0.1)
"""How far from the published row without privacy: people, and value."""


@dataclass(frozen=True)
class AskCandidates:
    """A task: the rules without privacy of some simulated trials."""

    first: int
    count: int


def candidates(ask: AskCandidates) -> list[list[float]]:
    """Return how many people get melatonin, and the value, for each seed."""
    found = []
    for seed in range(ask.first, ask.first + ask.count):
        (row,) = table.measure(stand_in(seed), METHODS["paper"], (), GAMMA, 1, 0)
        found.append([float(row.second), row.mean])
    return found


@dataclass(frozen=True)
class StandIn:
    """Simulated trials that resemble the published one: their seeds, and rows by method.

    chosen : the place of the one that is shown in detail
    tried : how many candidates there were
    """

    seeds: list[int]
    chosen: int
    tried: int
    paper: list[list[table.Measured]]
    ours: list[list[table.Measured]]

    @property
    def about(self) -> str:
        """What the one trial in the figure is."""
        return (
            f"The figure and the file show one SIMULATED trial of {PEOPLE} people, seed "
            f"{self.seeds[self.chosen]}, {self.paper[0][0].repeats} repeats: the nearest of "
            f"{len(self.seeds)} among {self.tried:,} that resemble the published row without "
            "privacy"
        )


def chosen_seeds(bench: Bench) -> tuple[list[int], int]:
    """Return the seeds of the trials that resemble the published one, and the nearest's place."""
    tried = QUICK_CANDIDATES if bench.quick else CANDIDATES
    tasks = [AskCandidates(SEED + start, CHUNK) for start in range(0, tried, CHUNK)]
    # Under a name of its own, because several artefacts need the same.
    shared = replace(bench, name="sjcrh")
    found = [row for part in shared.run(candidates, tasks, "candidates") for row in part]
    away = distances(np.array(found))
    kept = np.flatnonzero((away <= 1.0).all(axis=1))
    if len(kept) == 0:
        kept = np.array([np.argmin((away**2).sum(axis=1))])
    nearest = np.argmin((away[kept] ** 2).sum(axis=1))
    return [SEED + int(place) for place in kept], int(nearest)


def distances(found: FloatArray) -> FloatArray:
    """Return how far people and value (K, 2) are from the published ones, in widths."""
    (printed,) = [row for row in published_rows("sjcrh") if row.epsilon == "inf"]
    away = np.abs(found - np.array([printed.allocated[0], printed.value]))
    return np.asarray(away / np.array(WIDTHS))


def stand_ins(bench: Bench) -> StandIn:
    """Return both methods on every trial that resembles the published one, each with own noise."""
    repeats = QUICK_REPEATS if bench.quick else REPEATS
    ours = QUICK_OURS if bench.quick else table.EPSILONS
    seeds, nearest = chosen_seeds(bench)
    sources = [Source("sjcrh", seed=seed) for seed in seeds]
    automatic = [table.Ask(one, "ours", ours, (1.0,), repeats, (one.seed,)) for one in sources]
    # Hyperparameters are the same for all of these trials: the first one has them chosen.
    first = table.one_by_one(automatic[0])
    tasks = [*first, *automatic[1:]]
    tasks += [
        table.Ask(one, "paper", table.EPSILONS, (GAMMA,), repeats, (one.seed,)) for one in sources
    ]
    found = bench.run(table.answer, tasks, "sjcrh")
    others = [table.rows_of(runs[0]) for runs in found[len(first) :]]
    split = len(sources) - 1
    tried = QUICK_CANDIDATES if bench.quick else CANDIDATES
    every = [table.together(found[: len(first)]), *others[:split]]
    return StandIn(seeds, nearest, tried, others[split:], every)
