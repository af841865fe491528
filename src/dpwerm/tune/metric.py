r"""What a rule is worth to the people who validate; larger is better.

.. math:: \text{value} = \frac{\sum_i 1(y_i = T(x_i)) B_i/P_i}{\sum_i 1(y_i = T(x_i))/P_i}, \quad
          \text{loss} = -\frac1m \sum_i \frac{w_i}{W}\, 1(y'_i \ne T(x_i))

and accuracy, the share of people with their better arm, where that is known. A value is NaN where
nobody who validates received what the rule gives; such a repeat is left out for every γ.
"""

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.parameters import one_of
from dpwerm.tune.people import Validation

BoolArray = NDArray[np.bool_]
Metric = Callable[[BoolArray, Validation], FloatArray]
"""From whom rules give the second arm, (B, R, T), and those people (B, T) to scores (B, R)."""


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
        raise ParameterError(
            "accuracy needs people whose better arm is known, as in simulated data; "
            "use metric value or loss"
        )
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
