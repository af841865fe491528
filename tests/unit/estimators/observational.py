"""A small trial without randomisation, and rules fitted to it by study and by arrays."""

from typing import Any

import numpy as np
from tests.unit.small import small_study

from dpwerm import PrivateTreatmentRule, Study
from dpwerm.releases.release import Rule

N = 73
ARMS = """arms = ["a", "b"]
propensity = { model = "private" }
propensity_floor = 0.1"""
REPLACE_ONE = 'relation = "replace_one"'
STUDY = small_study(ARMS, "[budget]\nepsilon = 2\n[method]\ngamma = 50\n", about=REPLACE_ONE)
EXTERNAL = {"model": "external", "arm": "b", "intercept": 0.2, "coefficients": {"x0": 1, "x1": 0.1}}


def columns(n: int = N, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    arm = np.where(rng.random(n) < 1 / (1 + np.exp(-2 * x)), "b", "a")
    outcome = np.where((x > 0) == (arm == "b"), 3.0, 1.0)
    return {"x": x, "z": rng.uniform(0, 10, n), "arm": arm, "outcome": outcome}


def arrays(epsilon: object = 1, **other: Any) -> PrivateTreatmentRule:
    parameters: dict[str, Any] = {
        "feature_bounds": [(-1, 1), (0, 10)],
        "benefit_bounds": (0, 4),
        "arms": ("a", "b"),
        "ledger": "none",
        "propensity": "private",
        "propensity_floor": 0.1,
        "gamma": 50.0,
    }
    return PrivateTreatmentRule(epsilon, **(parameters | other))


def fitted(epsilon: object = 1, data: dict[str, Any] | None = None, **other: Any) -> Rule:
    given = columns() if data is None else data
    X = np.column_stack([given["x"], given["z"]])
    return arrays(epsilon, **other).fit(X, given["arm"], given["outcome"]).rule_


def by_study(epsilon: object = 1, text: str = STUDY, **other: Any) -> PrivateTreatmentRule:
    return PrivateTreatmentRule.from_study(
        Study.parse(text), epsilon, **({"ledger": "none"} | other)
    )
