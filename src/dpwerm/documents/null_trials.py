r"""The bar: how large coefficients become by privacy noise and chance together.

A coefficient is told as something that was learned only if it goes beyond what a trial would show
in which there is nothing to learn: benefits u that have nothing to do with the arm a. Such trials
are drawn in the shape of the rule's own, fitted as it was, noise included:

.. math:: u \perp a, \qquad
          t_j = \varphi_j \max_{\text{shape of } u} c \cdot \text{quantile of } |\theta^*_j|

with c so that no coefficient goes beyond its t in 95 of 100 releases. Of benefits with few values
it is 97.5: there coefficients depend more on how features are spread, and 95 of 100 trials of other
kinds would not be held. How benefits are spread inside
their bounds is not public, so several shapes are tried (and features as a released tightness has
them, or tight and loose ones), from one that fills the declared range to
one that needs a small part of it, and the largest t counts. The same benefits are also dealt out
by features, in both arms alike: large benefits of people with large features leave more to chance,
and where the arms have other sizes the penalty shrinks the smaller one more, which makes a contrast
of a main effect. Given x and u, all chance is in who got which arm. Where fewer rows m stand for n
people, each row is counted in its own arm with a share √(m/n) beyond what its arm's probability
says, and in the other arm with the rest, so that chance is that of n people.

Nothing goes in but a released rule, and none of its coefficients: rules that were made alike have
the same bar. Whether a rule as a whole goes beyond it says ``dpwerm.documents.verdict``.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from dpwerm.arrays import FloatArray
from dpwerm.choose.question import FEWEST_ROWS, Question
from dpwerm.choose.search import Rehearsal
from dpwerm.documents.effects import signs_are_shared
from dpwerm.documents.half_widths import (
    QUANTILE,
    alike,
    calibration_for,
    no_trials,
    question_of,
)
from dpwerm.draws import Draws
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import Calibration
from dpwerm.releases.release import Rule
from dpwerm.simulate.engine.released import released
from dpwerm.simulate.judged import SyntheticTrials
from dpwerm.simulate.synthetic import generator
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.study.variables import Benefit

SEED = 53026
"""Of the trials and the noise here."""

TRIALS, DRAWS = 240, 2
COVERAGE, COUNTED_COVERAGE = 0.95, 0.975
"""Of the bar, for any benefits and for those of few values."""

EFFORT = 1.5e9
"""Rows times squared columns times fits; beyond it fewer rows stand for all."""

MOST_ROWS = 2_000
NEAR = 1e-3
"""How near to a minimiser, in units of the largest slope of the loss."""

GAINS = (-0.4, 0.4)
"""Half of what the second arm gains everybody, where levels of a category may take a part of it."""

MAIN = 2.0
"""Stands in the place of a gain where benefits follow from features, in both arms alike."""

KINDS = (*GAINS, MAIN)

Shape = Callable[[Generator, tuple[int, int]], FloatArray]
"""Benefits (B, n) in [−1, 1] that have nothing to do with the arm."""


def _even(rng: Generator, shape: tuple[int, int]) -> FloatArray:
    """Return benefits all over their range."""
    return rng.uniform(-1.0, 1.0, shape)


def _around(spread: float) -> Shape:
    """Return normal benefits of a spread, anywhere inside the range."""

    def drawn(rng: Generator, shape: tuple[int, int]) -> FloatArray:
        place = (1 - 2 * spread) * rng.uniform(-1.0, 1.0, (shape[0], 1))
        return np.clip(place + spread * rng.normal(size=shape), -1.0, 1.0)

    return drawn


def _from_an_end(spread: float) -> Shape:
    """Return skewed benefits from one end of the range, three in ten at the end itself."""

    def drawn(rng: Generator, shape: tuple[int, int]) -> FloatArray:
        away = 2 * spread * rng.exponential(size=shape) * (rng.uniform(size=shape) < 0.7)
        return np.clip(rng.choice([-1.0, 1.0], (shape[0], 1)) * (1 - away), -1.0, 1.0)

    return drawn


def _of_values(count: int, share: float) -> Shape:
    """Return benefits of so many values: a share evenly over them, the rest at one end."""

    def drawn(rng: Generator, shape: tuple[int, int]) -> FloatArray:
        values = rng.integers(0, count, shape) * (2.0 / (count - 1)) - 1.0
        end = rng.choice([-1.0, 1.0], (shape[0], 1))
        return np.where(rng.uniform(size=shape) < share, values, end)

    return drawn


ANY = (_even, _around(0.3), _around(0.1), _around(0.03), _from_an_end(0.2), _from_an_end(0.05))


def shapes(benefit: Benefit) -> list[tuple[Shape, float]]:
    """Return how benefits may be spread, by what is declared of them, each with its coverage.

    Bounds that are whole numbers one apart count as those of a yes or no, too.
    """
    lower, upper = benefit.bounds
    values = benefit.values
    if values is None and upper - lower == 1 and float(lower).is_integer():
        values = 2
    counted = []
    if values is not None:
        counted = [(_of_values(values, share), COUNTED_COVERAGE) for share in (1.0, 0.4)]
    return [*([] if benefit.kind == "yes-no" else [(one, COVERAGE) for one in ANY]), *counted]


@dataclass(frozen=True, eq=False)
class Bar:
    """How large effects become where there is nothing to learn; ``sizes``: (p,), one for each.

    trials : synthetic trials of each of so many ``shapes`` of the benefit
    """

    sizes: FloatArray
    trials: int
    shapes: int
    noisy: bool

    @property
    def what(self) -> str:
        """What the bar covers."""
        return "privacy noise and chance" if self.noisy else "chance"

    @property
    def words(self) -> str:
        """Say what the bar is."""
        return (
            f"The bar covers {self.what}: on {self.trials:,} synthetic trials inside the same "
            "bounds, in which the arm does nothing to the benefit, no coefficient went beyond its "
            "bar in 95 of 100 releases. How benefits are spread is not known here, so "
            f"{self.shapes} shapes were tried, and the largest bar counts."
        )


def bar_of(rule: Rule) -> Bar | None:
    """Return the bar of a rule, None where ``no_trials`` gives a reason."""
    if no_trials(rule):
        return None
    question = question_of(rule)
    calibration = calibration_for(rule, question)
    encoding = rule.release.encoding
    tried, groups = shapes(rule.declaration.benefit), list(alike(encoding))
    judged = [(place, 0.0, groups) for place in range(len(tried))]
    large = [] if signs_are_shared(rule) else _large(encoding)
    if large:
        judged += [(place, gain, large) for place in range(len(tried)) for gain in GAINS]
    judged += [(place, MAIN, groups) for place in range(len(tried))]
    sizes = np.zeros(len(encoding.coefficient_names))
    for place, gain, group in judged:
        key = (SEED, place, 1 + KINDS.index(gain) if gain else 0)
        shape, coverage = tried[place]
        found = _sizes(question, calibration, shape, gain, key, len(judged))
        sizes = np.maximum(sizes, _together(found * encoding.stretch, group, coverage))
    return Bar(sizes, TRIALS * len(tried), len(tried), rule.release.certificate.budget.is_private)


def _by_features(drawn: SyntheticTrials, benefit: FloatArray, rng: Generator) -> FloatArray:
    """Return the same benefits (B, n), dealt out by what one feature or a few do in both arms."""
    columns = drawn.X.shape[-1]
    theta = rng.normal(size=(TRIALS, columns))
    theta *= rng.uniform(size=(TRIALS, columns)) < rng.choice([1 / columns, 0.5], (TRIALS, 1))
    theta[np.arange(TRIALS), rng.integers(0, columns, TRIALS)] += 2.0
    main = np.einsum("bnd,bd->bn", drawn.X, theta)
    main = main + 0.1 * main.std(axis=1, keepdims=True) * rng.normal(size=main.shape)
    ranks = main.argsort(axis=1).argsort(axis=1)
    return np.take_along_axis(np.sort(benefit, axis=1), ranks, axis=1)


def _large(encoding: Encoding) -> list[list[int]]:
    """Return the places of the levels of categories with more than two."""
    widths = [block.width for block in encoding.blocks]
    starts = np.cumsum([int(encoding.intercept > 0), *widths]).tolist()
    pairs = zip(starts, widths, strict=False)
    return [list(range(start, start + width)) for start, width in pairs if width > 1]


def _together(sizes: FloatArray, groups: list[list[int]], coverage: float) -> FloatArray:
    """Return what no size (B, R, p) goes beyond in such a share, by groups; 0 elsewhere."""
    alone = np.full(sizes.shape[-1], np.inf)
    for places in groups:
        alone[places] = np.quantile(sizes[..., places], coverage, method=QUANTILE)
    most = np.quantile((sizes / alone).max(axis=-1), coverage, method=QUANTILE)
    return np.where(np.isinf(alone), 0.0, max(float(most), 1.0) * alone)


def _sizes(
    question: Question,
    calibration: Calibration,
    shape: Shape,
    gain: float,
    key: tuple[int, ...],
    parts: int,
) -> FloatArray:
    """Return |θ*| of every trial, draw and coefficient of the score, (B, R, p)."""
    spec, encoding = question.designed(question.fixed)
    p = calibration.facts.dimension
    affordable = EFFORT / (parts * TRIALS * DRAWS * p**2)
    rows = question.rows(affordable, MOST_ROWS, fewest=max(FEWEST_ROWS, 5 * p))
    rng = generator(*key, 1)
    drawn = question.trials(TRIALS, rows, rng)
    benefit = shape(rng, (TRIALS, rows))
    if gain == MAIN:
        benefit, gain = _by_features(drawn, benefit, rng), 0.0
    problems = _counted(question, replace(drawn, benefit=benefit), gain)
    base = Draws.of((TRIALS, DRAWS), p, generator(*key, 2))
    near = NEAR * min(1.0, spec.loss.lipschitz)
    (theta,) = released(problems, spec.loss, [calibration], base, tolerance=near)
    return np.asarray(np.abs(spec.weighting.rules(theta, encoding)))


def _counted(question: Question, drawn: SyntheticTrials, gain: float) -> BatchProblems:
    """Return the problems of trials, with chance as in trials of n people."""
    n, rows = question.n, drawn.arm.shape[1]
    drawn = replace(drawn, other=drawn.benefit).standing_for(n)
    if gain:
        drawn = replace(drawn, benefit=np.clip(drawn.benefit + gain * drawn.arm, -1.0, 1.0))
    return Rehearsal(question, drawn, DRAWS, (SEED,), n / rows).problems(question.fixed)
