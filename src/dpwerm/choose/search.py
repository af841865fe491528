"""The search: successive halving over a public grid, on synthetic trials inside the bounds.

    round 1: all candidates of the leading mechanism     round 2: the best of them, on more problems
    round 3: the best few, and every other mechanism with the best of them and a γ of its own

The grid's units fit every study. γ is a share of n·W, as a sum of n terms of weight at most W
is what it stands against. The clip is a share of the largest benefit, the intercept's constant is
in units of a feature's bound, and a saturation k ≥ 1 stretches the middle 1/k of each number's
range over [−1, 1].

One rehearsal fits candidates to synthetic trials with their noise and scores the rules by the share
of people, over problems and draws of noise, who get their better arm. The objective, the
calibration and the solver are those of a real fit. The effort is a fixed count, so the same
question has the same answer whatever the machine's load. Where rows or columns are many, fewer rows
stand for all, each counting for more.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Choice, Question
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import candidates
from dpwerm.mechanisms.contract import Calibration, no_progress
from dpwerm.mechanisms.perturbed import gamma_floor
from dpwerm.parameters import SMALLEST
from dpwerm.simulate.engine.released import released, second_arm
from dpwerm.simulate.synthetic import SyntheticTrials, generator
from dpwerm.solve.batch_problems import BatchProblems

GAMMAS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
CLIPS = (0.1, 0.2, 0.4, 0.7, 1.0)
INTERCEPTS = (0.2, 0.4, 1.0)
SATURATIONS = (1.0, 1.5, 2.5)
THRESHOLDS = (0.0, 0.15, 0.25, 0.35)
ABOVE_FLOOR = (1.3, 3.0)
"""How far above the floor of objective perturbation γ starts."""


def mechanisms(question: Question) -> tuple[str, ...]:
    """Return the mechanisms to try, the most promising first."""
    if question.fixed.mechanism is not None:
        return (question.fixed.mechanism,)
    return candidates(question.spec.budget)


def grid(question: Question, mechanism: str) -> Iterator[Hyperparameters]:
    """Yield everything but γ and threshold: all of the grid that the question leaves open."""
    fixed = question.fixed
    clips = CLIPS if fixed.clip is None else (fixed.clip,)
    if question.outcome.labels:
        clips = (1.0,)  # weights come bounded by W; there is nothing to clip
    intercepts = INTERCEPTS if fixed.intercept is None else (fixed.intercept,)
    paper = question.encoding.kind == "paper"
    saturations = (1.0,) if paper or 0 not in question.widths else SATURATIONS
    if fixed.saturation is not None:
        saturations = (fixed.saturation,)
    for clip, intercept, saturation in product(clips, intercepts, saturations):
        yield Hyperparameters(mechanism, clip, intercept, saturation)


def thresholds(question: Question) -> tuple[float, ...]:
    """Return the thresholds that are tried on every released θ."""
    return THRESHOLDS if question.fixed.threshold is None else (question.fixed.threshold,)


def floor_of(question: Question, encoding: Encoding) -> float:
    """Return the floor on γ for W = 1 of objective perturbation; 0 where none applies."""
    spec = question.spec
    radius = spec.weighting.domain(encoding).radius
    try:
        return gamma_floor(1.0, spec.loss.smoothness, radius, spec.budget)
    except ParameterError:
        return 0.0  # ε = ∞, or so small an ε that only output perturbation is left


def gammas(question: Question, encoding: Encoding) -> list[float]:
    """Return γ for W = 1, falling: shares of n above the floor, and multiples of the floor.

    Multiples below the smallest share are left out: so small a γ never wins, and takes long.
    """
    floor = floor_of(question, encoding)
    shares = [share * question.n for share in GAMMAS if share * question.n > floor]
    multiples = [times * floor for times in ABOVE_FLOOR if floor > 0]
    if shares:
        multiples = [one for one in multiples if one >= GAMMAS[0] * question.n]
    rounded = {max(float(f"{one:.3g}"), SMALLEST) for one in shares + multiples}
    possible = [one for one in rounded if one <= question.most_gamma]
    return sorted(possible or [question.most_gamma], reverse=True)


# -- rehearsals ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rehearsal:
    """Synthetic trials, and the base draws of noise that every candidate shares.

    weight : float ≥ 1, what each row counts for where fewer rows stand for n people
    """

    question: Question
    synthetic: SyntheticTrials
    draws: int
    seed: tuple[int, ...]
    weight: float

    def scores(
        self, candidate: Hyperparameters, gammas: Sequence[float]
    ) -> dict[float, FloatArray]:
        """Return for each γ the mean accuracy at every threshold; none without a calibration."""
        encoding = candidate.encoding(self.question.encoding)
        rules = self.released(candidate, gammas)
        return {gamma: self._accuracy(theta, encoding) for gamma, theta in rules.items()}

    def released(
        self, candidate: Hyperparameters, gammas: Sequence[float]
    ) -> dict[float, FloatArray]:
        """Return for each γ what would be released, θ (B, R, p); none without a calibration."""
        encoding = candidate.encoding(self.question.encoding)
        calibrations = self._calibrations(candidate, encoding, gammas)
        if not calibrations:
            return {}
        problems = self.problems(candidate)
        shape = (problems.n_sets, self.draws)
        base = Draws.of(shape, problems.dimension, generator(*self.seed))
        found = released(problems, self.question.spec.loss, list(calibrations.values()), base)
        return dict(zip(calibrations, found, strict=True))

    def _calibrations(
        self, candidate: Hyperparameters, encoding: Encoding, gammas: Sequence[float]
    ) -> dict[float, Calibration]:
        """Return the calibration of each γ that the mechanism accepts."""
        found = {}
        for gamma in gammas:
            with suppress(ParameterError):
                found[gamma] = self.question.calibration(str(candidate.mechanism), encoding, gamma)
        return found

    def problems(self, candidate: Hyperparameters) -> BatchProblems:
        """Return the weighted problems that a candidate makes of the trials, with W = 1."""
        encoding = candidate.encoding(self.question.encoding)
        synthetic, outcome = self.synthetic, self.question.outcome
        bound = (candidate.clip or 1.0) * outcome.largest_clip
        v = np.clip(synthetic.benefit - outcome.centre, -bound if outcome.signed else 0.0, bound)
        labels = synthetic.arm * np.where(v < 0, -1.0, 1.0)
        weights = np.minimum(np.abs(v) / synthetic.probability * outcome.pi_min / bound, 1.0)
        X = encoding.learning_rows(encoding.of_centred(synthetic.X))
        return BatchProblems(X, labels, weights * self.weight, encoding.intercept_scale)

    def _accuracy(self, theta: FloatArray, encoding: Encoding) -> FloatArray:
        """Return the mean accuracy of θ (B, R, p) at every threshold."""
        best = self.synthetic.best[:, None] > 0
        return np.array([np.mean(one == best) for one in self.second_arm(theta, encoding)])

    def second_arm(self, theta: FloatArray, encoding: Encoding) -> Iterator[NDArray[np.bool_]]:
        """Yield for every threshold whom θ (B, R, p) gives the second arm, shape (B, R, T)."""
        rows = encoding.of_centred(self.synthetic.people)
        for threshold in thresholds(self.question):
            yield second_arm(theta, encoding, rows, threshold)


# -- the search ------------------------------------------------------------------------------


SEED = 20260
REVISION = 3
"""To be raised with every change of what is tried or on what, so that old answers are forgotten."""

EFFORT = 2e9
"""Rows times squared columns times fits that one round may take."""

MOST_ROWS = 5_000
WORTH_IT = 0.003
"""A threshold must win this much accuracy, or none is applied."""

Progress = Callable[[float], None]
"""Called with the share of the work that is done."""


@dataclass(frozen=True)
class Round:
    """How many problems and draws of noise a round uses, and how many candidates it keeps."""

    problems: int
    draws: int
    keep: int


ROUNDS = (Round(16, 2, 40), Round(48, 2, 8), Round(144, 2, 1))

Key = tuple[Hyperparameters, float]


@dataclass
class Tally:
    """The accuracy of each (candidate, γ) in one round, at every threshold."""

    found: dict[Key, FloatArray] = field(default_factory=dict)

    def best(self, keys: list[Key], count: int) -> list[Key]:
        """Return the ``count`` best of the keys, the first on ties."""
        order = sorted(range(len(keys)), key=lambda i: (-self.found[keys[i]].max(), i))
        return [keys[i] for i in order[:count]]


def search(question: Question, on_progress: Progress = no_progress) -> Choice:
    """Return the hyperparameters that gave most people of the synthetic trials their better arm."""
    leading, *others = mechanisms(question)
    keys = _grid(question, leading)
    done = 0.0
    for index, round_ in enumerate(ROUNDS):
        last = index == len(ROUNDS) - 1
        if last:
            keys = keys + _rivals(question, keys, others)
        rehearsal = _rehearsal(question, round_, index, fits=len(keys))
        tally = Tally()
        for candidate, path in _paths(keys):
            for gamma, accuracy in rehearsal.scores(candidate, path).items():
                tally.found[candidate, gamma] = accuracy
            done += len(path) / (len(ROUNDS) * len(keys))
            on_progress(done)
        keys = [key for key in keys if key in tally.found]
        if not keys:
            raise ParameterError("no candidate fits this study; set gamma and mechanism by hand")
        keys = tally.best(keys, len(keys) if last else round_.keep)
    return _choice(tally, keys, rehearsal)


def _grid(question: Question, mechanism: str) -> list[Key]:
    return [
        (candidate, gamma)
        for candidate in grid(question, mechanism)
        for gamma in gammas(question, candidate.encoding(question.encoding))
    ]


def _rivals(question: Question, keys: list[Key], others: list[str]) -> list[Key]:
    """Return the other mechanisms with the two best distinct candidates and every γ."""
    found = list(dict.fromkeys(candidate for candidate, _ in keys))[:2]
    return [
        (rival, gamma)
        for name in others
        for candidate in found
        for rival in [replace(candidate, mechanism=name)]
        for gamma in gammas(question, rival.encoding(question.encoding))
    ]


def _paths(keys: list[Key]) -> Iterator[tuple[Hyperparameters, list[float]]]:
    """Yield each candidate once with its γ, falling, so that one solution starts the next."""
    paths: dict[Hyperparameters, list[float]] = {}
    for candidate, gamma in keys:
        paths.setdefault(candidate, []).append(gamma)
    for candidate, path in paths.items():
        yield candidate, sorted(path, reverse=True)


def _rehearsal(question: Question, round_: Round, index: int, fits: int) -> Rehearsal:
    columns = question.encoding.n_columns + 1
    work = fits * round_.problems * round_.draws * columns**2
    rows = question.rows(EFFORT / work, MOST_ROWS)
    rng = generator(SEED, index + 1, 1)
    synthetic = question.outcome.trials(question.widths, count=round_.problems, rows=rows, rng=rng)
    return Rehearsal(question, synthetic, round_.draws, (SEED, index + 1, 2), question.n / rows)


def _choice(tally: Tally, keys: list[Key], rehearsal: Rehearsal) -> Choice:
    """Return the first of the keys as the winner, with its threshold if that is worth it."""
    candidate, gamma = keys[0]
    accuracies = tally.found[candidate, gamma]
    best = int(accuracies.argmax())
    place = best if accuracies[best] >= accuracies[0] + WORTH_IT else 0
    winner = replace(candidate, gamma=gamma, threshold=thresholds(rehearsal.question)[place])
    tried = ((key[0], float(tally.found[key].max())) for key in keys)
    return Choice.of(winner, float(accuracies[best]), tried, rehearsal.synthetic)
