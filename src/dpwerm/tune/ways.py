"""The ways to tune γ privately: what is fitted on which slot, and what alone is kept.

    parts   one candidate per slot, a private choice by scores on the last slot
    split   the same with a part of ε; only γ is kept, and all rows are fitted with the rest

Rows are put into slots in an exactly uniform order. The score of a rule on rows that it did not see
is the weight of those for whom it is right:

    q = Σ_i u_i·1(sign f(x_i) = y'_i),   u_i = ⌊2^20·w_i/W⌋

A row's term is a whole number in [0, 2^20] and follows from that row and the rule alone, so
replacing one row moves q by at most Δ = 2^20, whatever the rule. Scores and losing candidates are
local. No stage names any of them. Proof: docs/proofs/private-tuning.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.fit import Ready
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.privacy.randomness import BitSource
from dpwerm.releases.certificate import Specification
from dpwerm.releases.release import Release
from dpwerm.releases.tuning import PARTS, SPLIT, Tuning
from dpwerm.weighting.contract import OUTCOME_WEIGHTED

SENSITIVITY = 1 << 20
"""Δ: the largest term of one row."""
_KEY_BITS = 64
_AT_ONCE = 64
"""Keys that are read together."""


def random_order(count: int, bits: BitSource) -> IntArray:
    """Return {0, …, count − 1} in uniformly random order, shape (count,).

    Everybody gets a key of 64 fair bits and the order is that of the keys: if all differ, every
    order of them is equally likely.
    """
    while True:
        keys = _keys(count, bits)
        order: IntArray = np.argsort(keys)
        if _differ(keys[order]):
            return order


def _differ(keys: np.ndarray[tuple[int], np.dtype[np.uint64]]) -> bool:
    """Whether ascending keys are all different."""
    return bool(np.all(keys[1:] != keys[:-1]))


def _keys(count: int, bits: BitSource) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return as many numbers of 64 bits, shape (count,)."""
    parts = []
    for start in range(0, count, _AT_ONCE):
        some = min(_AT_ONCE, count - start)
        parts.append(bits.bits(some * _KEY_BITS).to_bytes(some * _KEY_BITS // 8, "big"))
    return np.frombuffer(b"".join(parts), dtype=">u8").astype(np.uint64)


def units(weights: FloatArray, bound: float) -> IntArray:
    """Return u = ⌊2^20·w/W⌋, at most 2^20, for weights in [0, W], shape (n,)."""
    whole: IntArray = np.clip(np.floor(weights / bound * SENSITIVITY), 0, SENSITIVITY).astype(
        np.int64
    )
    return whole


def score(release: Release, ready: Ready) -> int:
    """Return q of a released rule on some rows, exactly; it is sensitive.

    Where f(x) = 0 the rule gives the default arm.
    """
    declaration = ready.problem.trial
    treatment = declaration.treatment
    default = 1.0 if treatment.default == treatment.arms[1] else -1.0
    f = release.score(ready.rows.X)
    signs = np.where(f > 0, 1.0, np.where(f < 0, -1.0, default))
    right = signs == ready.rows.targets
    bound = OUTCOME_WEIGHTED.weight_bound(declaration)
    return int(units(ready.rows.weights, bound)[right].sum())


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
