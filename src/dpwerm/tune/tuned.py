r"""What Algorithm 2 found: the mean score of each γ, and the γ that is best.

.. math:: \bar v_i = \frac1r \sum_j v_{ij}, \qquad
          \gamma^* = \max\{\gamma_i : \bar v_i = \max_k \bar v_k\}

Means are rounded once, so equal scores have equal means in whatever order they come; a tie goes to
the larger γ. An interval is 1.96 standard errors over repeats: the error of the simulation, given
the people it was run on.

Scores say what a rule is worth to the people who validate; larger is better:

.. math:: \text{value} = \frac{\sum_i 1(y_i = T(x_i)) B_i/P_i}{\sum_i 1(y_i = T(x_i))/P_i}, \quad
          \text{loss} = -\frac1m \sum_i \frac{w_i}{W}\, 1(y'_i \ne T(x_i))

and accuracy, the share of people with their better arm, where that is known. A value is NaN where
nobody who validates received what the rule gives; such a repeat is left out for every γ.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from dpwerm.arrays import BoolArray, FloatArray
from dpwerm.errors import ParameterError
from dpwerm.parameters import one_of
from dpwerm.tune.people import Validation

INDEPENDENT, SIMULATED, PORTION = OPEN_WAYS = ("independent", "simulated", "portion")
"""The ways to tune on people who may be looked at; the others are private."""

NO_TRUTH = (
    "accuracy needs people whose better arm is known, as in simulated data; "
    "use metric value or loss"
)
Metric = Callable[[BoolArray, Validation], FloatArray]
"""From whom rules give the second arm, (B, R, T), and those people (B, T) to scores (B, R)."""


@dataclass(frozen=True)
class Gain:
    """How much better the best γ is than the automatic one, in the same repeats."""

    mean: float
    half: float


@dataclass(frozen=True)
class Tuned:
    """The candidates of one ε with their scores.

    gammas : the candidates, ascending
    means, halves : the mean score of each, and half its 95 % interval
    n, epsilon, delta, mechanism : of the fit that was rehearsed
    size : n₀; validated : how many people judged each rule
    repeats : how many counted; left_out : how many had no score
    bootstrapped : whether training sets were drawn with replacement
    metric : its name; source : where the people come from
    private_cost : ``"free"`` or ``"NOT PRIVATE"``, for the study of which γ is tuned
    lowest : what the metric has at worst, from which the window is measured
    automatic : the γ that would be used without tuning; gain : over that, if it was tried
    """

    gammas: tuple[float, ...]
    means: tuple[float, ...]
    halves: tuple[float, ...]
    n: int
    epsilon: str
    delta: str
    mechanism: str
    size: int
    validated: int
    repeats: int
    left_out: int
    bootstrapped: bool
    metric: str
    source: str
    private_cost: str
    lowest: float
    automatic: float
    gain: Gain | None = None

    @property
    def best_place(self) -> int:
        """Where the best γ stands; of equal ones the largest."""
        return place_of_best(self.means)

    @property
    def best(self) -> float:
        """γ*."""
        return self.gammas[self.best_place]

    @property
    def window(self) -> tuple[float, float]:
        """The candidates next to γ* whose scores lie within 5 % of the best, from its worst."""
        top = self.means[self.best_place]
        least = top - 0.05 * (top - self.lowest)
        low = high = self.best_place
        while low > 0 and self.means[low - 1] >= least:
            low -= 1
        while high + 1 < len(self.means) and self.means[high + 1] >= least:
            high += 1
        return self.gammas[low], self.gammas[high]

    @property
    def is_at_an_end(self) -> bool:
        """Whether γ* is the smallest or the largest candidate, so that others may be better."""
        return self.best_place in (0, len(self.gammas) - 1)

    def content(self) -> dict[str, Any]:
        """Return plain content for a file, with what it cost in its first lines."""
        found = {"best": self.best, "window": list(self.window)}
        return {"private_cost": self.private_cost} | found | asdict(self)


def file_content(study: str, results: Sequence[Tuned], notice: str) -> dict[str, Any]:
    """Return the plain content of a file of results; what they cost comes first."""
    return {
        "format": "dpwerm-tuned",
        "version": 1,
        "private_cost": results[0].private_cost,
        "notice": notice,
        "study": study,
        "results": [one.content() for one in results],
    }


def place_of_best(means: Sequence[float]) -> int:
    """Return where the largest mean stands; of equal ones the last, whose γ is the largest."""
    top = max(means)
    return max(place for place, mean in enumerate(means) if mean == top)


def complete(scores: FloatArray) -> FloatArray:
    """Return the repeats (K, r') in which every candidate has a score; there must be two."""
    kept = scores[:, np.isfinite(scores).all(axis=0)]
    if kept.shape[1] < 2:
        raise ParameterError(
            "too few repeats have a score for every gamma: let more people validate, or use "
            "another metric"
        )
    return kept


def means_of(scores: FloatArray) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the mean of each row of (K, r) and half its 95 % interval."""
    means = tuple(mean_of(row) for row in scores)
    return means, tuple(half_of(row) for row in scores)


def mean_of(row: FloatArray) -> float:
    """Return the mean of numbers, rounded once."""
    return math.fsum(row.tolist()) / len(row)


def half_of(row: FloatArray) -> float:
    """Return half the 95 % interval of a mean of independent numbers."""
    return 1.96 * float(row.std(ddof=1)) / math.sqrt(len(row))


def gain_of(scores: FloatArray, gammas: Sequence[float], usual: float) -> Gain | None:
    """Return the gain of the best candidate over the usual one, None if that was not tried."""
    if usual not in gammas:
        return None
    best = place_of_best(means_of(scores)[0])
    difference = scores[best] - scores[list(gammas).index(usual)]
    return Gain(mean_of(difference), half_of(difference))


def value(second: BoolArray, people: Validation) -> FloatArray:
    """Return Eqn 14 of the paper, (B, R), with the benefit in its own units."""
    usable = ~np.isnan(people.arm + people.benefit + people.probability)
    weights = np.divide(usable, people.probability, out=np.zeros(usable.shape), where=usable)
    followed = (second == (people.arm > 0)[:, None]) * weights[:, None]
    benefit = np.where(usable, people.benefit, 0.0)[:, None]
    total = followed.sum(axis=-1)
    gained = (followed * benefit).sum(axis=-1)
    found: FloatArray = np.divide(gained, total, out=np.full(total.shape, np.nan), where=total > 0)
    return found


def accuracy(second: BoolArray, people: Validation) -> FloatArray:
    """Return the share of people with their better arm, (B, R); where both are equal, either."""
    if people.better is None:
        raise ParameterError(NO_TRUTH)
    better = people.better[:, None]
    return np.asarray(((better == 0) | ((better > 0) == second)).mean(axis=-1))


def loss(second: BoolArray, people: Validation) -> FloatArray:
    """Return minus the mean over all people of w/W where the rule is wrong, (B, R)."""
    wrong = second != (people.label > 0)[:, None]
    return np.asarray(-(wrong * people.weight[:, None]).mean(axis=-1))


METRICS: Mapping[str, Metric] = {"value": value, "accuracy": accuracy, "loss": loss}
OWN = "own function"
"""What a metric that is not registered is called."""


def metric_of(asked: str | Metric) -> tuple[str, Metric]:
    """Return the name of a metric and its function."""
    if callable(asked):
        return OWN, asked
    name = one_of("metric", asked, METRICS)
    return name, METRICS[name]


def scored(metric: Metric, second: BoolArray, people: Validation) -> FloatArray:
    """Return the scores (B, R) of a metric; one of another shape is refused."""
    scores = np.asarray(metric(second, people), dtype=np.float64)
    if scores.shape != second.shape[:-1]:
        raise ParameterError(
            f"the metric returns shape {scores.shape} for rules of shape {second.shape[:-1]}: one "
            "score for each rule"
        )
    return scores
