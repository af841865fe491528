"""A small trial, a rule for it, and Eqn 14 of the paper computed by hand."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.releases.release import Rule
from dpwerm.study.study import Study

STUDY = """\
format = 1
[study]
id = "small"
relation = "replace_one"
[features.age]
kind = "number"
bounds = [20, 60]
[features.sex]
kind = "category"
levels = ["F", "M"]
[treatment]
column = "arm"
arms = { pill = "2/3", therapy = "1/3" }
[benefit]
column = "gain"
bounds = [-5, 15]
[budget]
epsilon = 2
[method]
gamma = 5
"""
DESIGN = 'arms = { pill = "2/3", therapy = "1/3" }'
COLUMN = (
    'arms = ["pill", "therapy"]\npropensity = "chance"\npropensity_floor = 0.1\norigin = "external"'
)
EXTERNAL = (
    'arms = ["pill", "therapy"]\npropensity_floor = 0.1\n'
    'propensity = { model = "external", arm = "therapy", intercept = -3, '
    'coefficients = { age = 0.05, "sex=M" = 0.7 } }'
)
PRIVATE = (
    'arms = ["pill", "therapy"]\npropensity_floor = 0.1\n'
    'propensity = { model = "private", share = 0.5 }'
)


def study(treatment: str = DESIGN, *changes: tuple[str, str]) -> Study:
    text = STUDY.replace(DESIGN, treatment)
    for old, new in changes:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return Study.parse(text)


def table(n: int = 300, seed: int = 3, spread: float = 4.0) -> pa.Table:
    rng = np.random.default_rng(seed)
    age, sex = rng.integers(18, 65, n), rng.choice(["F", "M"], n)
    second = 1 / (1 + np.exp(3 - 0.05 * np.clip(age, 20, 60) - 0.7 * (sex == "M")))
    arm = np.where(rng.uniform(size=n) < second, "therapy", "pill")
    gain = rng.normal(4 + 3 * np.where(arm == "therapy", 1, -1) * (age - 40) / 20, spread)
    return pa.table({"age": age, "sex": sex, "arm": arm, "gain": gain, "chance": second})


def fitted(
    declared: Study, data: pa.Table | None = None, epsilon: float = math.inf, **parameters: Any
) -> Rule:
    estimator = PrivateTreatmentRule.from_study(
        declared, epsilon, **({"ledger": "none"} | parameters)
    )
    rule: Rule = estimator.fit(table(400, 9) if data is None else data).rule_
    return rule


@dataclass(frozen=True)
class Naive:
    """Values of the rule, of the first arm and of the second, each a ratio of plain sums."""

    rule: float
    first: float
    second: float

    @property
    def all(self) -> tuple[float, float, float]:
        return self.rule, self.first, self.second


def naive_value(
    rule: Rule, data: pa.Table, probability: Sequence[float], *, sign: float = 1.0
) -> Naive:
    """Return Σ 1(y = f(x))·B/P / Σ 1(y = f(x))/P for the three policies; P of the arm received."""
    told = rule.arms_for(rule.score_table(data))
    got = data["arm"].to_numpy(zero_copy_only=False)
    benefit = sign * np.clip(data["gain"].to_numpy().astype(float), -5, 15)
    weight = 1 / np.asarray(probability)

    def ratio(chosen: Any) -> float:
        return float((chosen * benefit * weight).sum() / (chosen * weight).sum())

    return Naive(ratio(got == told), ratio(got == "pill"), ratio(got == "therapy"))
