"""Algorithm 2 of the paper: γ for n people and a budget, found on other people.

For each candidate: average over repeats what a rule, learned at (n, ε) from a training set, is
worth to the people who validate. On independent or simulated people it costs the study nothing;
on a portion of the sensitive people what it finds is not private. Repeats go through the engine in
parts of a fixed size.

All candidates of one ε share training sets, weights and base draws of noise; with noise outside the
objective, every ε that has the same hyperparameters shares the minimisers too.
"""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpwerm.arrays import BoolArray, FloatArray, IntArray
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.fit import Ready
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.plan.expected import Settled, settle
from dpwerm.privacy.budget import Budget
from dpwerm.simulate.engine.released import released, second_arm
from dpwerm.simulate.engine.run import OnDone, run, unseen
from dpwerm.simulate.synthetic import TESTS, generator
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.study.study import Study
from dpwerm.study.treatment import Declaration
from dpwerm.tune.candidates import around, declared, usable
from dpwerm.tune.people import (
    FromTable,
    Repeats,
    Source,
    Validation,
    checked_sizes,
    default_validation,
    is_bootstrapped,
    validating,
)
from dpwerm.tune.tuned import (
    NO_TRUTH,
    Metric,
    Tuned,
    complete,
    gain_of,
    means_of,
    metric_of,
    scored,
)
from dpwerm.weighting import trial as weighting
from dpwerm.weighting.trial import Trial

REPEATS = 200
SEED = 112026
"""Of splits and simulated noise, where nobody gives another; public."""

MOST_REPEATS, MOST_PEOPLE = 100_000, 1_000_000


def problems_of(settled: Settled, trial: Trial, rows: IntArray) -> BatchProblems:
    """Return the weighted problems of B trials; rows: (B, n), which rows each of them has."""
    if trial.given_propensity is None:
        raise ParameterError(
            "many trials at once need known propensities: arms with probabilities, or a column"
        )
    encoding = settled.encoding
    second = weighting.second_arm(settled.declared, trial, encoding)
    found = Ready.of(settled, trial, second, no_progress).rows
    design = settled.spec.weighting
    X = design.design(encoding.learning_rows(found.X), found.received, encoding)
    constant = design.constant(encoding)
    return BatchProblems(X[rows], found.targets[rows], found.weights[rows], constant)


class Learner(Protocol):
    """A method with K candidates to compare; other processes get a copy."""

    @property
    def declaration(self) -> Declaration:
        """What the columns mean to those who judge."""

    def second(self, repeats: Repeats, key: Sequence[int]) -> BoolArray:
        """Return whom K rules of each repeat give the second arm, (K, B, 1, T)."""


@dataclass(frozen=True)
class Planned:
    """The fit that a study plans, with several γ for each ε.

    settled : what a fit would use at each ε; gammas : the candidates of each
    """

    settled: tuple[Settled, ...]
    gammas: tuple[tuple[float, ...], ...]

    @property
    def declaration(self) -> Declaration:
        """The study's."""
        return self.settled[0].declared

    def second(self, repeats: Repeats, key: Sequence[int]) -> BoolArray:
        """Return whom the rules give the second arm, ε by ε and γ by γ."""
        training, validation = repeats.splits.training, repeats.splits.validation
        given: dict[int, BoolArray] = {}
        alike: dict[tuple[Hashable, ...], list[int]] = defaultdict(list)
        for place, settled in enumerate(self.settled):
            alike[settled.rows_key].append(place)
        for places in alike.values():
            settled = self.settled[places[0]]
            problems = problems_of(settled, repeats.trial, training)
            calibrations = [
                self.settled[place].calibration(training.shape[1], gamma=gamma)
                for place in places
                for gamma in self.gammas[place]
            ]
            draws = Draws.of((len(training), 1), problems.dimension, generator(*key))
            found = released(problems, settled.spec.loss, calibrations, draws)
            theta = settled.spec.weighting.rules(found, settled.encoding)
            people = repeats.trial.encode(settled.encoding)[validation]
            ends = np.cumsum([len(self.gammas[place]) for place in places])[:-1]
            for place, own in zip(places, np.split(theta, ends), strict=True):
                threshold = self.settled[place].threshold
                given[place] = second_arm(own, settled.encoding, people, threshold)
        return np.concatenate([given[place] for place in range(len(self.settled))])


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
        raise ParameterError(NO_TRUTH)
    if source.size is not None:
        checked_sizes(source.size, m)
    elif m < 1:
        raise ParameterError("at least one person must validate")
    # At most 50 repeats and 200,000 rows in one task, whatever the number of workers.
    most = max(1, min(50, 200_000 // (n + m)))
    return [
        Part(learner, source, metric, n, m, min(most, repeats - start), (seed, place))
        for place, start in enumerate(range(0, repeats, most))
    ]


def scores_of(part: Part) -> FloatArray:
    """Return the scores of each candidate in each repeat, (K, B)."""
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


def sizes_of(source: Source, n: int, m: int | None) -> tuple[int, int]:
    """Return how many people validate at least, and how many there are for n to train."""
    if source.size is not None:
        return default_validation(source.size) if m is None else m, source.size
    validate = TESTS if m is None else m
    return validate, n + validate


def tune_gamma(
    study: Study,
    source: Source,
    budgets: Sequence[Budget],
    *,
    n: int,
    m: int | None = None,
    gammas: Sequence[float] | None = None,
    repeats: int = REPEATS,
    metric: str | Metric | None = None,
    mechanism: str | None = None,
    seed: int = SEED,
    workers: int | None = 1,
    on_stage: Stage = no_progress,
    on_done: OnDone = unseen,
) -> tuple[tuple[Tuned, Settled], ...]:
    """Return for each budget what was found, and the hyperparameters around γ.

    Parameters
    ----------
    study : Study with known propensities
    source : Source, the people
    budgets : of the fit, several at little more than the price of one
    n : int in [1, 1e6], how many people the fit will have
    m : int ≥ 1, how many validate; by default 0.2·n₀ of a table, 500 simulated ones
    gammas : 2 to 50 candidates; None for the automatic γ times 1/27 to 27
    repeats : int in [2, 1e5], r
    metric : "value", "accuracy", "loss", or a function
        By default accuracy where the better arm is known, value otherwise. For several workers it
        must be a function of a module.
    mechanism : in the place of the study's
    seed : int ≥ 0
    workers : int ≥ 1, processes
        None for all processors, from a script that starts its work under
        ``if __name__ == "__main__"``.
    """
    if not budgets:
        raise ParameterError("give at least one epsilon")
    asked = ("accuracy" if source.knows_better else "value") if metric is None else metric
    name, _ = metric_of(asked)
    least, size = sizes_of(source, n, m)
    candidates = None if gammas is None else declared(gammas)
    chosen = [settle(study, one, n, mechanism=mechanism, on_stage=on_stage) for one in budgets]
    tried = [_candidates(settled, candidates) for settled in chosen]
    learner = Planned(tuple(chosen), tuple(tried))
    tasks = parts(learner, source, asked, n=n, m=least, repeats=repeats, seed=seed)
    on_stage("fitting and validating")
    scores = all_scores(tasks, workers=workers, on_done=on_done)
    found, start = [], 0
    for budget, settled, own in zip(budgets, chosen, tried, strict=True):
        kept = complete(scores[start : start + len(own)])
        start += len(own)
        means, halves = means_of(kept)
        result = Tuned(
            gammas=own,
            means=means,
            halves=halves,
            n=n,
            epsilon=str(budget.epsilon).lower().replace("infinity", "inf"),
            delta=str(getattr(settled.spec.budget, "delta", budget.delta)),
            mechanism=settled.spec.mechanism,
            size=size,
            validated=validating(n, size, least),
            repeats=kept.shape[1],
            left_out=repeats - kept.shape[1],
            bootstrapped=is_bootstrapped(n, size, least),
            metric=name,
            source=source.label,
            private_cost=source.private_cost,
            lowest=_lowest(name, study, means),
            automatic=settled.spec.gamma,
            gain=gain_of(kept, own, settled.spec.gamma),
        )
        found.append((result, settled))
    return tuple(found)


def a_portion(whole: FromTable, share: float, seed: int = SEED) -> FromTable:
    """Return a share in (0, 1) of a table's people, by a public order of their positions."""
    if not 0 < share < 1:
        raise ParameterError(f"the portion must lie between 0 and 1, not {share:g}")
    order = generator(seed, 0).permutation(whole.size)
    return whole.portion(np.sort(order[: max(2, round(share * whole.size))]))


def _candidates(settled: Settled, listed: tuple[float, ...] | None) -> tuple[float, ...]:
    """Return the γ that are tried: those listed, or around the automatic one where claims hold."""
    usual, budgets = settled.spec.gamma, [settled.spec.budget]
    if listed is not None:
        return usable(listed, settled, budgets, strict=True)
    others = around(usual, [3.0**step for step in (-3, -2, -1, 1, 2, 3)])
    return usable(sorted({usual, *others}), settled, budgets, strict=False)


def _lowest(metric: str, study: Study, means: Sequence[float]) -> float:
    """Return the worst score of a metric; for an own function 0, or the lowest mean below."""
    known = {"accuracy": 0.0, "loss": -1.0, "value": study.benefit.range[0]}
    return known.get(metric, min(0.0, *means))
