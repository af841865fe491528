"""The search: successive halving over a public grid, on synthetic trials inside the bounds.

    round 1: all candidates of the leading mechanism, with ranges of the features and without
    round 2: the best of them, on more problems, each also with other constants and larger ranges
    round 3: the best few, also with a guard, and every other mechanism with the best of them

One rehearsal fits candidates to synthetic trials with their noise and scores the rules by what they
gain over the better single arm, a loss counting three times, or, in trials that were declared
tightly, by the share of people who get the wrong arm, squared. Where a tightness is released, there
is a search for trials that were declared tightly, and one for all others. The objective, the
calibration and the solver are those of a real fit. The effort is a fixed count, so the same
question has the same answer whatever the machine's load. Where rows or columns are many, fewer rows
stand for all, each counting for more.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.choose.grid import gammas, grid, mechanisms, others, thresholds
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import LOOSE, TIGHT, Choice, Question
from dpwerm.choose.shares import Key, forms, varied
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import Calibration, no_progress
from dpwerm.releases.guard import CANDIDATES, SECOND, signed, simulated_choice
from dpwerm.releases.tightness import AMONG
from dpwerm.simulate.engine.released import released, second_arm
from dpwerm.simulate.judged import Judged, SyntheticTrials
from dpwerm.simulate.synthetic import generator
from dpwerm.solve.batch_problems import BatchProblems

# -- rehearsals ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rehearsal:
    """Synthetic trials, and the base draws of noise that every candidate shares.

    synthetic : the trials as they were declared; candidates with private ranges see them inside
    weight : float ≥ 1, what each row counts for where fewer rows stand for n people
    """

    question: Question
    synthetic: SyntheticTrials
    draws: int
    seed: tuple[int, ...]
    weight: float
    _inside: dict[tuple[Any, ...], SyntheticTrials] = field(
        init=False, default_factory=dict, repr=False, compare=False
    )

    def inside(self, candidate: Hyperparameters) -> SyntheticTrials:
        """Return the trials as a fit of the candidate sees them: inside its private ranges."""
        key = (candidate.ranges or 0.0, candidate.feature_ranges or 0.0)
        if key not in self._inside:
            rng = generator(*self.seed, 4)
            self._inside[key] = self.question.inside(self.synthetic, candidate, rng)
        return self._inside[key]

    def scores(
        self, candidate: Hyperparameters, gammas: Sequence[float]
    ) -> dict[float, FloatArray]:
        """Return for each γ the mean score at every threshold, (T,); none without a calibration."""
        return {gamma: one.mean(axis=1) for gamma, one in self.each(candidate, gammas).items()}

    def each(self, candidate: Hyperparameters, gammas: Sequence[float]) -> dict[float, FloatArray]:
        """Return for each γ the score at every threshold on every trial, (T, B)."""
        synthetic, found = self.inside(candidate), {}
        for gamma, second in self.given(candidate, gammas).items():
            found[gamma] = np.array([synthetic.score(one).mean(axis=1) for one in second])
        return found

    def given(
        self, candidate: Hyperparameters, gammas: Sequence[float]
    ) -> dict[float, list[NDArray[np.bool_]]]:
        """Return for each γ and threshold whom releases give the second arm, (B, R, T) each."""
        raw, (spec, encoding) = self.fitted(candidate, gammas), self.question.designed(candidate)
        found = {}
        for gamma, theta in raw.items():
            rules = spec.weighting.rules(theta, encoding)
            second = list(self.second_arm(rules, encoding, self.inside(candidate).people))
            found[gamma] = self._guarded(second, theta, rules, candidate)
        return found

    def _guarded(
        self,
        second: list[NDArray[np.bool_]],
        theta: FloatArray,
        rules: FloatArray,
        candidate: Hyperparameters,
    ) -> list[NDArray[np.bool_]]:
        """Return whom is given the second arm once a guard has chosen between rule and arms."""
        part = candidate.parts(self.question.spec.budget)[0].get("guard")
        if part is None:
            return second
        spec, encoding = self.question.designed(candidate)
        synthetic, pi_min = self.inside(candidate), self.question.outcome.pi_min
        X = encoding.of_centred(synthetic.X)
        middle = spec.weighting.middle(theta, encoding.learning_rows(X)[:, None], encoding)
        counts = synthetic.counts[:, None] if synthetic.counts.size else 1.0
        residual = synthetic.benefit[:, None] - middle
        arm, chance = synthetic.arm[:, None], synthetic.probability[:, None]
        signs = signed(arm, residual, chance, pi_min) * counts * self.weight
        gumbel = generator(*self.seed, 3).gumbel(size=(*theta.shape[:2], len(CANDIDATES)))
        kept = []
        for one, threshold in zip(second, thresholds(self.question), strict=True):
            told = np.where(second_arm(rules, encoding, X, threshold), 1.0, -1.0)
            place = simulated_choice(signs, told, float(part.epsilon), gumbel)[..., None]
            kept.append(np.where(place == 0, one, place == CANDIDATES.index(SECOND)))
        return kept

    def released(
        self, candidate: Hyperparameters, gammas: Sequence[float]
    ) -> dict[float, FloatArray]:
        """Return for each γ the rules that would be released, (B, R, p); none without a claim."""
        spec, encoding = self.question.designed(candidate)
        found = self.fitted(candidate, gammas)
        return {gamma: spec.weighting.rules(one, encoding) for gamma, one in found.items()}

    def fitted(
        self, candidate: Hyperparameters, gammas: Sequence[float]
    ) -> dict[float, FloatArray]:
        """Return for each γ all that would be released, θ (B, R, p); none without a claim."""
        calibrations = self._calibrations(candidate, gammas)
        if not calibrations:
            return {}
        problems = self.problems(candidate)
        spec, _ = self.question.designed(candidate)
        shape = (problems.n_sets, self.draws)
        base = Draws.of(shape, problems.dimension, generator(*self.seed))
        found = released(problems, spec.loss, list(calibrations.values()), base)
        return dict(zip(calibrations, found, strict=True))

    def _calibrations(
        self, candidate: Hyperparameters, gammas: Sequence[float]
    ) -> dict[float, Calibration]:
        """Return the calibration of each γ that the mechanism accepts."""
        found = {}
        for gamma in gammas:
            with suppress(ParameterError):
                found[gamma] = self.question.calibration(candidate, gamma)
        return found

    def problems(self, candidate: Hyperparameters) -> BatchProblems:
        """Return the weighted problems that a candidate makes of the trials, with W = 1."""
        spec, encoding = self.question.designed(candidate)
        synthetic, weighting = self.inside(candidate), spec.weighting
        arm, clip = synthetic.arm, 1.0 if candidate.clip is None else candidate.clip
        targets, weights = weighting.simulated(
            arm, synthetic.benefit, synthetic.probability, self.question.outcome, clip
        )
        X = encoding.learning_rows(encoding.of_centred(synthetic.X))
        design = weighting.design(X, arm, encoding)
        constant = weighting.constant(encoding)
        counts = synthetic.counts if synthetic.counts.size else 1.0
        return BatchProblems(design, targets, weights * counts * self.weight, constant)

    def judged(self, winner: Hyperparameters) -> Judged:
        """Return what a candidate with its γ and threshold did on these trials."""
        (second,) = self.given(winner, [winner.gamma or 1.0]).values()
        place = thresholds(self.question).index(winner.threshold or 0.0)
        return self.synthetic.judged(second[place])

    def second_arm(
        self, theta: FloatArray, encoding: Encoding, people: FloatArray
    ) -> Iterator[NDArray[np.bool_]]:
        """Yield for every threshold whom θ (B, R, p) gives the second arm, shape (B, R, T)."""
        rows = encoding.of_centred(people)
        for threshold in thresholds(self.question):
            yield second_arm(theta, encoding, rows, threshold)


# -- the search ------------------------------------------------------------------------------


SEED = 20260
REVISION = 18
"""To be raised with every change of what is tried or on what, so that old answers are forgotten."""

EFFORT, SPARE = 1e10, 3e9
"""Rows times squared columns times fits that one round may take, and up to which it takes more
trials than it must."""

MOST_ROWS = 5_000
WORTH_IT = 0.003
"""A threshold must win this much of the score, or none is applied."""

Progress = Callable[[float], None]
"""Called with the share of the work that is done."""


@dataclass(frozen=True)
class Round:
    """How many problems and draws of noise a round uses, and how many candidates it keeps.

    most : how many problems it uses where they are small; as few where that is left out
    """

    problems: int
    draws: int
    keep: int
    most: int = 0


ROUNDS = (Round(36, 1, 16, 120), Round(96, 1, 6, 240), Round(240, 1, 1, 480))


@dataclass
class Tally:
    """The score of each (candidate, γ) in one round, at every threshold."""

    found: dict[Key, FloatArray] = field(default_factory=dict)

    def ranked(self, keys: list[Key]) -> list[Key]:
        """Return the keys, the best first."""
        order = sorted(range(len(keys)), key=lambda i: (-self.found[keys[i]].max(), i))
        return [keys[i] for i in order]

    def best(self, keys: list[Key], count: int) -> list[Key]:
        """Return the ``count`` best of the keys and the best of each estimator."""
        ranked = self.ranked(keys)
        leaders = {one.estimator: (one, gamma) for one, gamma in reversed(ranked)}
        chosen = {*ranked[:count], *leaders.values()}
        return [key for key in ranked if key in chosen]


def search(question: Question, on_progress: Progress = no_progress) -> Choice:
    """Return the hyperparameters whose rules did most good on the synthetic trials.

    Where a tightness decides, those for trials declared tightly, and with them those for others.
    """
    found, asked = [], forms(question)
    for index, form in enumerate(asked):
        part = partial(_shared_progress, on_progress, index, len(asked))
        found.append(_searched(replace(question, form=form), part))
    first, *loose = found
    return replace(first, loose=loose[0]) if loose else first


def _shared_progress(on_progress: Progress, index: int, count: int, share: float) -> None:
    on_progress((index + share) / count)


def _searched(question: Question, on_progress: Progress) -> Choice:
    """Return the best for one form of the question."""
    leading, *rest = mechanisms(question)
    keys = _grid(question, leading)
    done = 0.0
    for index, round_ in enumerate(ROUNDS):
        last = index == len(ROUNDS) - 1
        if index == 1:
            keys = others(question, keys)
        keys = varied(question, keys, index)
        if last:
            keys = keys + _rivals(question, keys, rest)
        rehearsal = _rehearsal(question, round_, index, keys)
        tally = Tally()
        for candidate, path in _paths(keys):
            for gamma, scores in rehearsal.scores(candidate, path).items():
                tally.found[candidate, gamma] = scores
            done += len(path) / (len(ROUNDS) * len(keys))
            on_progress(done)
        keys = [key for key in keys if key in tally.found]
        if not keys:
            raise ParameterError("no candidate fits this study; set gamma and mechanism by hand")
        if not last:
            keys = tally.best(keys, round_.keep)
    return _choice(tally, keys, rehearsal)


def _grid(question: Question, mechanism: str) -> list[Key]:
    return [
        (candidate, gamma)
        for candidate in grid(question, mechanism)
        for gamma in gammas(question, candidate)
    ]


def _rivals(question: Question, keys: list[Key], rest: list[str]) -> list[Key]:
    """Return the other mechanisms with the best candidate and every γ."""
    found = list(dict.fromkeys(candidate for candidate, _ in keys))[:1]
    return [
        (rival, gamma)
        for name in rest
        for candidate in found
        for rival in [replace(candidate, mechanism=name)]
        for gamma in gammas(question, rival)
    ]


def _paths(keys: list[Key]) -> Iterator[tuple[Hyperparameters, list[float]]]:
    """Yield each candidate once with its γ, falling, so that one solution starts the next."""
    paths: dict[Hyperparameters, list[float]] = {}
    for candidate, gamma in keys:
        paths.setdefault(candidate, []).append(gamma)
    for candidate, path in paths.items():
        yield candidate, sorted(path, reverse=True)


def _rehearsal(question: Question, round_: Round, index: int, keys: list[Key]) -> Rehearsal:
    sizes = {name: _columns(question, name) ** 2 for name in question.estimators}
    work = round_.draws * sum(sizes[str(candidate.estimator)] for candidate, _ in keys)
    n, least = question.n, round_.problems
    count = int(min(max(least, SPARE / (work * n)), max(least, round_.most)))
    affordable = EFFORT / (work * count)
    rows = n if n <= min(affordable, MOST_ROWS) else question.rows(affordable / 2, MOST_ROWS // 2)
    rng = generator(SEED, index + 1, 1)
    synthetic = question.trials(count, rows, rng)
    seed = (SEED, index + 1, 2)
    return Rehearsal(question, synthetic.standing_for(n), round_.draws, seed, n / rows)


def _columns(question: Question, estimator: str) -> int:
    """Return the number of coefficients that an estimator has."""
    spec, encoding = question.designed(Hyperparameters(estimator=estimator, width=1.0))
    return spec.weighting.domain(encoding).dimension


def _is_worth_it(tally: Tally, first: Key, second: Key, rehearsal: Rehearsal) -> bool:
    """Whether one key wins more over another than the standard error of the difference."""
    scores = []
    for candidate, gamma in (first, second):
        place = int(tally.found[candidate, gamma].argmax())
        scores.append(rehearsal.each(candidate, [gamma])[gamma][place])
    won = scores[0] - scores[1]
    return bool(won.mean() > won.std() / math.sqrt(len(won)))


def _choice(tally: Tally, keys: list[Key], rehearsal: Rehearsal) -> Choice:
    """Return the best of the keys, with its threshold if that is worth it.

    A guard that wins is left out unless it wins more than the simulation's own error.
    """
    ranked = tally.ranked(keys)
    plain = [key for key in ranked if not key[0].guard]
    if plain and plain[0] != ranked[0] and not _is_worth_it(tally, ranked[0], plain[0], rehearsal):
        ranked = plain
    candidate, gamma = ranked[0]
    scores = tally.found[candidate, gamma]
    best = int(scores.argmax())
    place = best if scores[best] >= scores[0] + WORTH_IT else 0
    winner = replace(candidate, gamma=gamma, threshold=thresholds(rehearsal.question)[place])
    tried = ((key[0], float(tally.found[key].max())) for key in ranked)
    return Choice.of(
        winner,
        rehearsal.judged(winner),
        float(scores[best]),
        tried,
        rehearsal.synthetic.arm.shape,
        {TIGHT: AMONG[0], LOOSE: AMONG[1]}.get(rehearsal.question.form, ""),
    )
