"""The paper's Table I for any trial: repeats of each method at each ε, and their measures.

One run of the experiment is 200 draws of noise at each ε. Runs with other draws, or on other
simulated trials, say how far such a table can be trusted.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.simulate.engine.released import second_arm
from reproduction.synthetic.simulated import Rules
from reproduction.trials.measures import (
    allocation,
    association_log10,
    concordance,
    empirical_values,
    majority,
    standard_error,
)
from reproduction.trials.method import METHODS, Cell, TrialMethod
from reproduction.trials.source import Source
from reproduction.trials.trial import OpenTrial

EPSILONS = ("0.1", "0.5", "1", "2", "5")
"""The ε of the paper's Table I; each is compared with the rule without privacy, "inf"."""


@dataclass(frozen=True)
class Measured:
    """One row: what 200 rules are worth, whom they treat how, and the rule without privacy.

    mean, deviation : of the value over repeats, without those in which nobody followed the rule
    error : the sampling error of the value of the arms by majority
    single : the share of people that one release treats as the rule without privacy does, on
        average over repeats
    second, first : how many people get each arm by majority
    concordance, log10_p : of the majority and the rule without privacy; no p where a rule treats
        everybody alike
    """

    method: str
    epsilon: str
    scale: float
    repeats: int
    mean: float
    deviation: float
    error: float
    single: float
    second: int
    first: int
    concordance: float
    log10_p: float | None

    @property
    def private(self) -> bool:
        """Whether noise was added."""
        return self.epsilon != "inf"


@dataclass(frozen=True)
class Ask:
    """A task: one method on one trial, every ε and every scale of γ, one run for each seed."""

    source: Source
    method: str
    epsilons: tuple[str, ...]
    scales: tuple[float, ...]
    repeats: int
    seeds: tuple[int, ...]


def answer(ask: Ask) -> list[list[dict[str, Any]]]:
    """Return the measured rows of each run, as plain data."""
    trial, method = ask.source.load(), METHODS[ask.method]
    return [
        [
            asdict(row)
            for scale in ask.scales
            for row in measure(trial, method, ask.epsilons, scale, ask.repeats, seed)
        ]
        for seed in ask.seeds
    ]


def rows_of(found: Sequence[dict[str, Any]]) -> list[Measured]:
    """Return the rows of one run from plain data."""
    return [Measured(**row) for row in found]


def one_by_one(ask: Ask) -> list[Ask]:
    """Return a task without privacy and one for each ε: hyperparameters are then chosen apart."""
    return [replace(ask, epsilons=one) for one in ((), *((one,) for one in ask.epsilons))]


def together(found: Sequence[list[list[dict[str, Any]]]]) -> list[Measured]:
    """Return the rows of the first run of such tasks, those without privacy last."""
    bare, *others = [rows_of(runs[0]) for runs in found]
    return [row for rows in others for row in rows if row.private] + bare


def measure(
    trial: OpenTrial,
    method: TrialMethod,
    epsilons: Sequence[str],
    scale: float,
    repeats: int,
    seed: int,
) -> list[Measured]:
    """Return a row for each ε and one without privacy; none where the γ is not allowed."""
    cells = [(epsilon, scale) for epsilon in (*epsilons, "inf")]
    found = method.rules(trial, trial.everybody(), cells, repeats, seed)
    people = {cell: arms_of(rules, trial) for cell, rules in zip(cells, found, strict=True)}
    baseline = people["inf", scale]
    if baseline is None:
        return []
    return [
        measured(trial, method, cell, arms[:1] if cell[0] == "inf" else arms, baseline[0])
        for cell, arms in people.items()
        if arms is not None
    ]


def arms_of(rules: Rules | None, trial: OpenTrial) -> FloatArray | None:
    """Return the arms of everybody by each rule of one trial, (R, n) in {−1, +1}."""
    if rules is None:
        return None
    people = trial.encoded(rules.encoding)
    second = second_arm(rules.theta[0], rules.encoding, people, rules.threshold)
    return np.where(second, 1.0, -1.0)


def measured(
    trial: OpenTrial, method: TrialMethod, cell: Cell, arms: FloatArray, baseline: FloatArray
) -> Measured:
    """Return the row of recommendations (R, n) beside those without privacy (n,)."""
    propensity = trial.propensity if method.by_arm else np.full(trial.n, 0.5)
    values = empirical_values(arms, trial.received, trial.benefit, propensity)
    chosen = majority(arms)
    second, first = allocation(chosen)
    return Measured(
        method=method.name,
        epsilon=cell[0],
        scale=cell[1],
        repeats=len(arms),
        mean=float(np.nanmean(values)),
        deviation=float(np.nanstd(values, ddof=1)) if len(arms) > 1 else 0.0,
        error=standard_error(trial.influence(chosen, by_arm=method.by_arm)),
        single=float(np.mean(arms == baseline)),
        second=second,
        first=first,
        concordance=concordance(chosen, baseline),
        log10_p=association_log10(chosen, baseline),
    )
