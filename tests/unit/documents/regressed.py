"""Rules learned by regression from the demo trial, to make documents from."""

import functools
from typing import Any

from tests.unit.documents.test_summary import TEXT, demo_rule

from dpwerm.releases.release import Rule

OUTCOME = TEXT.replace(
    "arms = { pill = 0.5, therapy = 0.5 }",
    'arms = ["pill", "therapy"]\npropensity = { model = "outcome" }',
)
CENTRED = TEXT.replace("bounds = [-12, 28]", "bounds = [-12, 28]\ncentre = 3")
KINDS: dict[str, dict[str, Any]] = {
    "contrast": {"estimator": "contrast"},
    "arm-wise": {"estimator": "arm-wise"},
    "cubes": {"estimator": "arm-wise", "main_effect": "cubes"},
    "outcome": {"estimator": "arm-wise", "text": OUTCOME},
    "output": {"estimator": "contrast", "mechanism": "spherical-laplace"},
    "centre": {"estimator": "contrast", "text": CENTRED},
}


@functools.cache
def regressed(kind: str, epsilon: object = 1) -> Rule:
    """Return a rule of a kind, fitted once for all tests."""
    chosen: dict[str, Any] = {"mechanism": "objective-block", "gamma": 40.0, "width": 0.1}
    return demo_rule(epsilon, **chosen | KINDS[kind])
