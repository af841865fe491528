r"""What a rule may be worth: fresh simulated trials inside the bounds, fitted as planned.

.. math:: \text{share of attainable value} = \frac{V(T) - V(coin)}{V^* - V(coin)}
          = \frac{E[|\Delta(x)| (1(right) - 1(wrong))]}{E|\Delta(x)|}

Δ(x) is what one arm gains over the other. 0 is a coin for everybody, 1 the better arm for each. The
trials and their noise have another seed than those on which settings are chosen, so a setting that
was lucky there is not lucky here.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.choose.answer import narrowed
from dpwerm.choose.candidates import floor_of
from dpwerm.choose.question import Question
from dpwerm.choose.search import Progress, Rehearsal, no_progress
from dpwerm.errors import ParameterError
from dpwerm.plan.settle import Settled
from dpwerm.simulate.synthetic import Proxies, generator, random_trials

SEED = 72026
"""Of the trials here; settings are chosen on trials of another seed."""

TRIALS, QUICK_TRIALS = 480, 120
DRAWS = 2
"""How often noise is drawn for each trial."""

AT_ONCE = 24
MOST_ROWS = 20_000
EFFORT = 4e9
"""Rows times squared columns times fits; beyond it fewer rows stand for all, and count for more."""

NORMAL_95 = 1.96
BoolArray = NDArray[np.bool_]
_JUST_ABOVE = 1.001


@dataclass(frozen=True)
class Spread:
    """A mean over simulated trials, half its 95 % interval, and what one trial in ten is beyond.

    mean, half : of all trials, and of the simulation's own error; low, high : the 10th and the 90th
    percentile over trials
    """

    mean: float
    half: float
    low: float
    high: float

    @classmethod
    def of(cls, found: FloatArray) -> "Spread":
        """Return the spread of numbers (B, R): B independent trials, R draws of noise each."""
        means = found.mean(axis=1)
        spread = float(means.std(ddof=1)) if len(means) > 1 else math.nan
        low, high = np.quantile(found, (0.1, 0.9))
        half = NORMAL_95 * spread / math.sqrt(len(means))
        return cls(float(means.mean()), half, float(low), float(high))


@dataclass(frozen=True)
class Expected:
    """Accuracy and share of attainable value of the planned rule and of one arm for everybody.

    trials : how many were simulated; rows : of how many rows each
    """

    accuracy: Spread
    value: Spread
    single_accuracy: Spread
    single_value: Spread
    trials: int
    rows: int


def expected(
    settled: Settled, trials: int = TRIALS, on_progress: Progress = no_progress
) -> Expected:
    """Return what the planned fit is worth on fresh simulated trials.

    Parameters
    ----------
    settled : Settled
    trials : int ≥ 1, rounded up to a multiple of 24
    """
    question, gamma = rehearsed(settled)
    parts = math.ceil(trials / AT_ONCE)
    rows = rows_for(question, parts * AT_ONCE)
    found = []
    for part in range(parts):
        proxies = fresh_trials(question, AT_ONCE, rows, part)
        rehearsal = Rehearsal(question, proxies, DRAWS, (SEED, part, 2), question.n / rows)
        found.append(_judged(rehearsal, settled, gamma))
        on_progress((part + 1) / parts)
    spreads = [Spread.of(np.concatenate(one)) for one in zip(*found, strict=True)]
    accuracy, value, single_accuracy, single_value = spreads
    return Expected(
        accuracy, value, single_accuracy, single_value, trials=parts * AT_ONCE, rows=rows
    )


def rehearsed(settled: Settled) -> tuple[Question, float]:
    """Return the question that is simulated and its γ/W.

    A study of more than 32 columns is simulated by analogy, as its settings are chosen.
    """
    question, gamma = settled.question, settled.gamma
    narrow = narrowed(question)
    if narrow is None:
        return question, gamma
    scaled = gamma * narrow.n / question.n
    return narrow, max(
        scaled, _JUST_ABOVE * floor_of(narrow, settled.setting.encoding(narrow.encoding))
    )


def rows_for(question: Question, trials: int) -> int:
    """Return how many rows each simulated trial has: n, or fewer that stand for all."""
    columns = sum(max(width, 1) for width in question.widths) + 1
    affordable = EFFORT / (trials * DRAWS * columns**2)
    return int(min(question.n, MOST_ROWS, max(150, affordable)))


def fresh_trials(question: Question, count: int, rows: int, part: int) -> Proxies:
    """Return trials inside the declared bounds that no setting was chosen on."""
    return random_trials(
        question.widths,
        count=count,
        rows=rows,
        propensity=question.outcome.propensity,
        rng=generator(SEED, part, 1),
        around=question.outcome.around,
        spread=question.outcome.spread,
    )


def _judged(rehearsal: Rehearsal, settled: Settled, gamma: float) -> tuple[FloatArray, ...]:
    """Return accuracy and value share of the rule (B, R), and of the better single arm (B, 1)."""
    setting = settled.setting
    rules = rehearsal.released(setting, [gamma])
    if not rules:
        raise ParameterError("no claim can be made with these settings; set gamma or mechanism")
    (second,) = rehearsal.second_arm(rules[gamma], setting.encoding(rehearsal.question.encoding))
    contrast = rehearsal.proxies.contrast[:, None]
    mean = contrast.mean(axis=-1, keepdims=True)
    everybody = np.broadcast_to(mean > 0, contrast.shape)
    return tuple(
        measure(given, contrast)
        for given in (second, everybody)
        for measure in (_accuracy, value_share)
    )


def _accuracy(second: BoolArray, contrast: FloatArray) -> FloatArray:
    return np.asarray(((contrast > 0) == second).mean(axis=-1))


def value_share(second: BoolArray, contrast: FloatArray) -> FloatArray:
    """Return the share of attainable value (…) of giving some people (…, T) the second arm.

    Where no arm is better for anybody every rule attains all there is.
    """
    gained = (contrast * np.where(second, 1.0, -1.0)).mean(axis=-1)
    most = np.broadcast_to(np.abs(contrast).mean(axis=-1), gained.shape)
    share: FloatArray = np.divide(gained, most, out=np.ones_like(gained), where=most > 0)
    return share
