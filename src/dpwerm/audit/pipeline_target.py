r"""A whole pipeline as a target: what its files say, told apart by real runs.

A real run is slow, so few are made, and the attack is one score that needs few to be learned:

.. math:: t(\theta) = \sum_{parts} \frac{\|\theta - c_2\| - \|\theta - c_1\|}{s}

with the medians c of each world and the size s of the noise: the log-likelihood ratio where the
noise is spherical or, with the ℓ₁ norm, Laplace noise on sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.audit.attack import Audited
from dpwerm.audit.canaries import World
from dpwerm.audit.guesser import Guesser, best_guesser
from dpwerm.audit.study_pipeline import Pipeline, claim_of, run_pipeline
from dpwerm.audit.target import Key, Pair, luck
from dpwerm.errors import ParameterError
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.mechanisms.laplace_sums import UNIT, LaplaceSums, exact_sums
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import OperatingSystemBits
from dpwerm.simulate.engine.run import OnDone, unseen
from dpwerm.study.study import Study

PILOTS, PILOT_SHARE = (8, 40), 20
"""Runs on each world of a pair in the search: this share of all, within these bounds."""

SEARCHED_AT = 0.9
"""The confidence by which pairs are compared; it is never reported."""


@dataclass(frozen=True)
class Part:
    """Numbers of a release that got noise together, and what was learned of them."""

    place: slice
    order: int
    centres: tuple[FloatArray, FloatArray]
    size: float

    def evidence(self, outputs: FloatArray) -> FloatArray:
        """Return how much nearer the first centre is, in units of the noise, (runs,)."""
        near, far = (
            np.linalg.norm(outputs[:, self.place] - centre, self.order, axis=1)
            for centre in self.centres
        )
        evidence: FloatArray = (far - near) / self.size
        return evidence


def learned(place: slice, order: int, first: FloatArray, second: FloatArray) -> Part:
    """Return a part as practice shows it; first, second: (runs, p) on the two worlds.

    E‖noise‖₂ = p·s for spherical noise, and E‖noise‖₁ = p·s for Laplace noise on each number.
    """
    sides = [side[:, place] for side in (first, second)]
    centres = (np.median(sides[0], axis=0), np.median(sides[1], axis=0))
    spread = [
        np.linalg.norm(side - centre, order, axis=1).mean()
        for side, centre in zip(sides, centres, strict=True)
    ]
    return Part(place, order, centres, float(np.mean(spread)) / sides[0].shape[1] or 1.0)


@dataclass
class PipelineTarget:
    """A pipeline that claims what its files say.

    Parameters
    ----------
    name : str
    study : Study, which says what may be in a table
    pipeline : Pipeline
    candidates : pairs of worlds, at least one
    workers : processes, all processors if left out
    """

    name: str
    study: Study
    pipeline: Pipeline
    candidates: Sequence[Pair]
    workers: int | None = None
    _claim: Budget | None = field(default=None, init=False, repr=False)
    _places: tuple[tuple[slice, int], ...] = field(default=(), init=False, repr=False)
    _known: dict[int, list[Part]] = field(default_factory=dict, init=False, repr=False)

    @property
    def claim(self) -> Budget:
        """The claim of the files."""
        if self._claim is None:
            self._claim = claim_of(self.pipeline, self.study, self.candidates[0].first.rows)
        return self._claim

    @property
    def dimension(self) -> int:
        """How many numbers are looked at in one release."""
        if not self._places:
            self.outputs(self.candidates[0].first, 1, ())
        return int(self._places[-1][0].stop)

    def pairs(self) -> Sequence[Pair]:
        """Return the pairs to start from."""
        return self.candidates

    def outputs(self, data: World, runs: int, key: Key) -> FloatArray:  # noqa: ARG002
        """Return real releases, with the operating system's luck whatever the key.

        Of the sums only those are looked at in which the person counts, if the person is there.
        """
        seen = run_pipeline(
            self.pipeline, self.study, [data.rows] * runs, [data.record], workers=self.workers
        )
        parts = [(one.rule, one.propensity, one.sums[:, one.told[0], :].ravel()) for one in seen]
        ends = np.cumsum([0, *(len(part) for part in parts[0])]).tolist()
        places = zip(ends[:-1], ends[1:], (2, 2, 1), strict=True)
        self._places = tuple((slice(a, b), order) for a, b, order in places if b > a)
        return np.array([np.concatenate(one) for one in parts])

    def learn(self, pair: Pair, first: FloatArray, second: FloatArray) -> None:
        """Learn the score of a pair from practice on its worlds, (runs, p) each."""
        self._known[id(pair)] = [learned(*where, first, second) for where in self._places]

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return how much more a release speaks for the first world, (runs,)."""
        if id(pair) not in self._known:
            self.learn(pair, *(self.outputs(world, PILOTS[1], ()) for world in pair.both))
        evidence: FloatArray = np.sum(
            [part.evidence(outputs) for part in self._known[id(pair)]], axis=0
        )
        return evidence


def tell_apart(
    target: PipelineTarget,
    *,
    runs: int,
    confidence: float = 0.999,
    seed: int = 0,
    on_done: OnDone = unseen,
) -> Audited:
    """Return a lower bound on ε of a pipeline from real runs on the worst of its pairs.

    Half of the runs learn the score and its thresholds; the other half, on worlds that a coin
    chose, gives the bound.

    Parameters
    ----------
    target : PipelineTarget
    runs : int ≥ 8, on top of a few for every pair
    confidence : float in (0, 1), that the bound does not exceed the true ε
    seed : int ≥ 0, of the coins; the noise is the operating system's
    on_done : told how much is done
    """
    if runs < 8:
        raise ParameterError("runs must be at least 8")
    pairs = target.pairs()
    steps = len(pairs) + 2
    short = min(max(runs // PILOT_SHARE, PILOTS[0]), PILOTS[1])
    on_done(0, steps)
    found = []
    for place, pair in enumerate(pairs):
        found.append(_promise(target, pair, short) if len(pairs) > 1 else 0.0)
        on_done(place + 1, steps)
    pair = pairs[int(np.argmax(found))]
    guesser = _learned_guesser(target, pair, runs // 4, confidence)
    on_done(steps - 1, steps)
    judged = runs // 2
    heads = int(luck(seed, "coins").binomial(judged, 0.5))
    fresh = [
        target.outputs(world, count, ())
        for world, count in zip(pair.both, (heads, judged - heads), strict=True)
        if count
    ]
    if len(fresh) < 2:
        raise ParameterError("all coins fell alike: give more runs")
    lower = guesser.bound(*fresh, delta=float(target.claim.delta), confidence=confidence)
    on_done(steps, steps)
    return Audited(
        name=target.name,
        claim=target.claim,
        dimension=target.dimension,
        lower=lower,
        exact_lower=lower,
        runs=0,
        exact_runs=runs,
        pair=pair.name,
        statistic="nearer centre of each part",
        confidence=confidence,
    )


def _learned_guesser(target: PipelineTarget, pair: Pair, runs: int, confidence: float) -> Guesser:
    first, second = (target.outputs(world, runs, ()) for world in pair.both)
    target.learn(pair, first, second)
    return best_guesser(target, pair, first, second, confidence=confidence, quick=True)


def _promise(target: PipelineTarget, pair: Pair, runs: int) -> float:
    """Return how well a few runs tell the worlds apart: halves judge each other's score."""
    first, second = (target.outputs(world, runs, ()) for world in pair.both)
    half, delta = runs // 2, float(target.claim.delta)
    sides = [(first[:half], second[:half]), (first[half:], second[half:])]
    promise = 0.0
    for choosing, judging in (sides, sides[::-1]):
        target.learn(pair, *choosing)
        guesser = best_guesser(target, pair, *choosing, confidence=SEARCHED_AT, quick=True)
        promise += guesser.bound(*judging, delta=delta, confidence=SEARCHED_AT)
    return promise


# ------------------------------------------------------------------------------------------
# Other releases as targets: sums of an evaluation, and private choices.
#
# Each is audited at the place where its claim is made: sums at rows of shares, choices at scores
# that one person moves by Δ.


Rows = tuple[IntArray, IntArray]
"""The cells (n,) and the shares (n, K) of some rows."""


@dataclass(frozen=True)
class SumsTarget:
    """The sums of an evaluation: every row's shares add up to at most 1.

    Parameters
    ----------
    budget : Budget with δ = 0
    cells, pieces : int ≥ 1, how many cells there are and how many shares a row has
    relation : Relation
    """

    budget: Budget
    cells: int = 4
    pieces: int = 2
    relation: Relation = Relation.REPLACE_ONE

    name: ClassVar[str] = "laplace-sums"

    @property
    def claim(self) -> Budget:
        """What the sums cost together."""
        return self.budget

    @property
    def dimension(self) -> int:
        """How many sums there are."""
        return self.cells * self.pieces

    @property
    def _noise(self) -> LaplaceSums:
        return LaplaceSums(self.dimension, self.relation, self.budget)

    def pairs(self) -> Sequence[Pair]:
        """Return a row in one sum, and in another, spread over several, or left out."""
        one = self._row(0, [UNIT] + [0] * (self.pieces - 1))
        other = self._row(self.cells - 1, [0] * (self.pieces - 1) + [UNIT])
        nobody = self._row(-1, [0] * self.pieces)
        even = self._row(self.cells - 1, [UNIT // self.pieces] * self.pieces)
        if self.relation is Relation.ADD_REMOVE:
            return [Pair("a row, and nobody", one, nobody), Pair("spread", even, nobody)]
        return [
            Pair("a row in one sum, and in another", one, other),
            Pair("a row in one sum, and spread", one, even),
            Pair("a row, and nobody", one, nobody),
        ]

    def _row(self, cell: int, shares: list[int]) -> Rows:
        return np.array([cell]), np.array([shares], dtype=np.int64)

    def outputs(self, data: Rows, runs: int, key: Key) -> FloatArray:
        """Return the sums with simulated noise, on their grid."""
        noise = self._noise
        drawn = luck(*key).laplace(size=(runs, self.dimension)) * noise.scale
        grid = 2.0**noise.exponent
        return np.asarray(np.round((self._sums(data) + drawn) / grid) * grid)

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return the log-likelihood ratio: a difference of ℓ₁ distances."""
        one, other = (np.abs(outputs - self._sums(data)).sum(axis=1) for data in pair.both)
        return np.asarray((other - one) / self._noise.scale)

    def exact(self, data: Rows, runs: int) -> FloatArray:
        """Return real releases."""
        noise, bits = self._noise, OperatingSystemBits()
        flat = [one for cell in exact_sums(*data, self.cells) for one in cell]
        found = [noise.release(flat, bits) for _ in range(runs)]
        return np.array(found, float).reshape(runs, self.dimension) * 2.0**noise.exponent

    def _sums(self, data: Rows) -> FloatArray:
        return np.array(exact_sums(*data, self.cells), float).reshape(-1) / UNIT


@dataclass(frozen=True)
class ChoiceTarget:
    """A private choice among candidates by whole scores, by the exponential mechanism.

    Parameters
    ----------
    budget : Budget with δ = 0
    candidates : int ≥ 2
    sensitivity : int ≥ 1, Δ
    """

    budget: Budget
    candidates: int = 5
    sensitivity: int = 1000

    name: ClassVar[str] = ExponentialMechanism.name
    dimension: ClassVar[int] = 1

    @property
    def claim(self) -> Budget:
        """What a choice costs."""
        return self.budget

    def pairs(self) -> Sequence[Pair]:
        """Return scores of which one person raises the first by Δ and lowers all others by Δ."""
        found = []
        for behind in (0, 1, 2, 4, 8):
            start, step = -behind * self.sensitivity // 2, self.sensitivity
            one = (start, *[0] * (self.candidates - 1))
            other = (start + step, *[-step] * (self.candidates - 1))
            found.append(Pair(f"a candidate {behind / 2:g} behind the others", other, one))
        return found

    def outputs(self, data: tuple[int, ...], runs: int, key: Key) -> FloatArray:
        """Return simulated choices, as numbers from 0 on."""
        rng, size = luck(*key), (runs, len(data))
        rate = float(self.budget.epsilon) / (2 * self.sensitivity)
        chosen = np.argmax(rate * np.array(data) + rng.gumbel(size=size), axis=1)
        return np.asarray(chosen[:, None], dtype=np.float64)

    def exact(self, data: tuple[int, ...], runs: int) -> FloatArray:
        """Return real choices."""
        choice = ExponentialMechanism(self.sensitivity, self.budget)
        bits = OperatingSystemBits()
        return np.array([[choice.choose(data, bits)] for _ in range(runs)], float).reshape(runs, 1)
