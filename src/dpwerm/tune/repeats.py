"""The loop of Algorithm 2, through the engine: repeats in parts of a fixed size."""

from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.simulate.engine.run import OnDone, run, unseen
from dpwerm.simulate.proxies import generator
from dpwerm.tune.learner import Learner
from dpwerm.tune.metric import Metric, metric_of, scored
from dpwerm.tune.people import Validation
from dpwerm.tune.source import Source
from dpwerm.tune.splits import checked_sizes

MOST_AT_ONCE, ROWS_AT_ONCE = 50, 200_000
"""The most repeats of one task, and rows of them; never a matter of the number of workers."""

MOST_REPEATS, MOST_PEOPLE = 100_000, 1_000_000


@dataclass(frozen=True, repr=False)
class Part:
    """Some repeats: all that their scores depend on."""

    learner: Learner
    source: Source
    metric: str | Metric
    n: int
    m: int
    count: int
    key: tuple[int, int]


def parts(
    learner: Learner,
    source: Source,
    metric: str | Metric,
    *,
    n: int,
    m: int,
    repeats: int,
    seed: int,
) -> list[Part]:
    """Return the tasks; n people train and m validate in each of the repeats.

    n in [1, 1e6]; repeats in [2, 1e5]; seed ≥ 0, a public number
    """
    if not 1 <= n <= MOST_PEOPLE:
        raise ParameterError(f"n must be between 1 and {MOST_PEOPLE:,}, not {n:,}")
    if not 2 <= repeats <= MOST_REPEATS:
        raise ParameterError(f"repeats must be between 2 and {MOST_REPEATS:,}, not {repeats:,}")
    if seed < 0:
        raise ParameterError(f"seed must be at least 0, not {seed}")
    name, _ = metric_of(metric)
    if name == "accuracy" and not source.knows_better:
        raise ParameterError(
            "accuracy needs people whose better arm is known, as in simulated data; "
            "use metric value or loss"
        )
    if source.size is not None:
        checked_sizes(source.size, m)
    elif m < 1:
        raise ParameterError("at least one person must validate")
    most = max(1, min(MOST_AT_ONCE, ROWS_AT_ONCE // (n + m)))
    starts = range(0, repeats, most)
    return [
        Part(learner, source, metric, n, m, min(most, repeats - start), (seed, place))
        for place, start in enumerate(starts)
    ]


def scores_of(part: Part) -> FloatArray:
    """Return the scores of each setting in each repeat, (K, B)."""
    repeats = part.source.repeats(part.n, part.m, part.count, generator(*part.key, 1))
    second = part.learner.second(repeats, (*part.key, 2))
    people = Validation.of(repeats, part.learner.declaration)
    _, metric = metric_of(part.metric)
    return np.stack([scored(metric, one, people)[:, 0] for one in second])


def all_scores(
    tasks: list[Part], *, workers: int | None = None, on_done: OnDone = unseen
) -> FloatArray:
    """Return the scores (K, r), the same for any number of workers."""
    return np.concatenate(run(scores_of, tasks, workers=workers, on_done=on_done), axis=1)
