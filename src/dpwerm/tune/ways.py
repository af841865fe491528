"""The ways to tune γ privately: what is fitted on which slot, and what alone is kept.

    parts   one candidate per slot, a private choice by scores on the last slot
    split   the same with a part of ε; only γ is kept, and all rows are fitted with the rest

Scores and losing candidates are local. No stage names any of them.
Proof: docs/proofs/private-tuning.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from dpwerm.learn.release import Release
from dpwerm.learn.specification import Specification
from dpwerm.mechanisms.plan import Stage, no_progress
from dpwerm.mechanisms.selection.exponential import ExponentialMechanism
from dpwerm.privacy.randomness import BitSource
from dpwerm.rules.fit_rule import Ready
from dpwerm.rules.tuning import PARTS, SPLIT, Tuning
from dpwerm.tune.draws import random_order
from dpwerm.tune.score import SENSITIVITY, score


@dataclass(frozen=True, repr=False)
class Work:
    """Everything a way needs; spec has every setting but γ and the budget."""

    ready: Ready
    spec: Specification
    tuning: Tuning
    bits: BitSource
    on_stage: Stage

    def slots(self) -> list[Ready]:
        """Return the rows of each slot, drawn by lot: the draw does not look at the rows."""
        order = random_order(self.tuning.rows, self.bits.substream())
        ends = list(accumulate(self.tuning.slots))[:-1]
        return [self.ready.part(part) for part in np.split(order, ends)]

    def candidate(self, index: int, rows: Ready, on_stage: Stage = no_progress) -> Release:
        """Return the fit of one candidate on some rows, at the budget of a candidate's fit."""
        gamma, budget = self.tuning.candidates[index], self.tuning.steps.fit
        spec = self.spec.with_settings(gamma=gamma, budget=budget)
        return rows.release(spec, self.bits.substream(), on_stage)


def _by_parts(work: Work) -> tuple[int, Release]:
    """Return the chosen candidate and its fit on its own slot."""
    *training, last = work.slots()
    fits = []
    for index, rows in enumerate(training):
        name = f"candidate {index + 1} of {len(training)}"
        work.on_stage(name)
        fits.append(work.candidate(index, rows))
    work.on_stage("choosing a candidate")
    scores = [score(fit, last) for fit in fits]
    choice = ExponentialMechanism(SENSITIVITY, work.tuning.steps.choice)
    chosen = choice.choose(scores, work.bits.substream())
    return chosen, fits[chosen]


def _parts(work: Work) -> Release:
    return _by_parts(work)[1]


def _split(work: Work) -> Release:
    """Return the fit of all rows with the chosen γ."""
    chosen, _ = _by_parts(work)
    gamma, budget = work.tuning.candidates[chosen], work.tuning.steps.rule
    spec = work.spec.with_settings(gamma=gamma, budget=budget)
    return work.ready.release(spec, work.bits.substream(), work.on_stage)


HOW: Mapping[str, Callable[[Work], Release]] = {PARTS: _parts, SPLIT: _split}
"""What each way releases, and nothing else."""
