"""A small study to tune on, and tables of it."""

from typing import Any

import numpy as np
import pyarrow as pa
from tests.unit.small import small_study

from dpwerm import Study

N = 60
GAMMAS = (40.0, 120.0, 400.0)
STUDY = small_study(
    "arms = { a = 0.5, b = 0.5 }",
    "[budget]\nepsilon = 5\n[method]\ngamma = 100\n",
    about='relation = "replace_one"',
)
PRIVATE_MODEL = STUDY.replace(
    "arms = { a = 0.5, b = 0.5 }",
    'arms = ["a", "b"]\npropensity = { model = "private", share = 0.25 }\npropensity_floor = 0.1',
)


def study(text: str = STUDY) -> Study:
    return Study.parse(text)


def columns(n: int = N, seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, n)
    arm = rng.choice(["a", "b"], n)
    outcome = np.where((x > 0) == (arm == "b"), 3.0, 1.0)
    return {"x": x, "z": rng.uniform(0, 10, n), "arm": arm, "outcome": outcome}


def table(n: int = N, seed: int = 0, **changed: Any) -> pa.Table:
    return pa.table(columns(n, seed) | changed)
