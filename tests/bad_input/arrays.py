"""Sound arrays for both estimators, and fits of them with one thing spoilt."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.bad_input.base import NUMBER_CANARY, N

from dpwerm import PrivateTreatmentRule, PrivateWeightedClassifier

Estimator = PrivateWeightedClassifier | PrivateTreatmentRule
DATA = ("X", "y", "sample_weight", "treatment", "benefit", "propensity_values")


@dataclass(frozen=True)
class Fit:
    """One fit of arrays: the estimator and what its ``fit`` is given."""

    estimator: Estimator
    data: Mapping[str, Any]

    def run(self) -> None:
        """Fit."""
        self.estimator.fit(**self.data)


def features() -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """Return numbers in two columns, one of them a canary beyond its bounds."""
    X = np.column_stack([np.linspace(-1, 1, N), np.cos(np.arange(N))])
    X[-1, 0] = float(NUMBER_CANARY)
    return X


def spoilt(values: Any, value: Any, place: Any = 0) -> Any:
    """Return a copy of an array with one entry replaced."""
    copy = np.array(values)
    copy[place] = value
    return copy


X = features()
Y = np.where(np.arange(N) % 2, "yes", "no")
WEIGHTS = np.where(np.arange(N) == N - 1, float(NUMBER_CANARY), 1.0 + np.arange(N) % 3)
ARMS = np.where(np.arange(N) % 2, "therapy", "pill")
BENEFIT = np.where(np.arange(N) == N - 1, float(NUMBER_CANARY), np.sin(np.arange(N)))


def classifier(**changes: Any) -> Fit:
    """Return a fit of the classifier; changes replace its parameters or its data."""
    sound: dict[str, Any] = {
        "epsilon": 1.0,
        "feature_bounds": (-1, 1),
        "weight_bound": 3.0,
        "classes": ("no", "yes"),
        "gamma": 50.0,
        "ledger": "none",
    }
    data = {"X": X, "y": Y, "sample_weight": WEIGHTS}
    return _fit(PrivateWeightedClassifier, sound, data, changes)


def rule(**changes: Any) -> Fit:
    """Return a fit of the treatment rule; changes replace its parameters or its data."""
    sound: dict[str, Any] = {
        "epsilon": 1.0,
        "feature_bounds": (-1, 1),
        "benefit_bounds": (-1, 1),
        "propensity": {"pill": 0.5, "therapy": 0.5},
        "gamma": 50.0,
        "ledger": "none",
    }
    data = {"X": X, "treatment": ARMS, "benefit": BENEFIT}
    return _fit(PrivateTreatmentRule, sound, data, changes)


def both(**changes: Any) -> tuple[Fit, Fit]:
    """Return the same change for both estimators."""
    return classifier(**changes), rule(**changes)


def with_column(**changes: Any) -> Fit:
    """Return a fit of the treatment rule with a propensity for each row."""
    return rule(
        **{
            "arms": ("pill", "therapy"),
            "propensity": "column",
            "propensity_floor": 0.1,
            "weight_origin": "external",
            "propensity_values": np.full(N, 0.4),
            **changes,
        }
    )


def _fit(
    kind: type[Estimator], sound: dict[str, Any], data: dict[str, Any], changes: dict[str, Any]
) -> Fit:
    given = data | {key: value for key, value in changes.items() if key in DATA}
    if "propensity_values" in given:
        given["propensity"] = given.pop("propensity_values")
    parameters = sound | {key: value for key, value in changes.items() if key not in DATA}
    epsilon = parameters.pop("epsilon")
    return Fit(kind(epsilon, **parameters), given)
