"""Rules that EconML and CausalML learn from the trials of ``make utility``, without privacy.

Run by hand in an environment of its own, because neither is a dependency of this project::

    python3 -m venv peers
    peers/bin/pip install econml causalml --editable .
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 peers/bin/python -m benchmarks.peers

It takes about 15 minutes of one core and writes benchmarks/results/peers.csv;
``python -m benchmarks.peers_page`` then fills the tables of docs/comparison.md.

    a trial = (scenario, n, repeat), the very ones of benchmarks/utility     the rule = f(x) > 0

Every learner has its own defaults, with a seed, but for two things. Those that take propensities
are told that the trial was randomised. And the trees and forests of EconML get the outcome model
that CausalML has by default, gradient boosting: in three trials it was as good as EconML's own
choice among several, or better, and several times as fast. LinearDML fared worse with it and keeps
its own. Estimators of effects recommend the arm with the larger estimated mean.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from benchmarks.accuracy import PEOPLE, trial_rng, with_halves
from benchmarks.campaign import Campaign
from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios import SCENARIOS
from dpwerm.simulate.scenarios.scenario import ARM, BENEFIT, numbers

RESULTS = Path(__file__).parent / "results" / "peers.csv"
PLAN = (("paper", 200, 50), ("paper", 500, 50), ("paper", 1000, 50), ("circle", 1000, 25))
"""Scenario, n and how many trials."""

NUMBERS = ("accuracy", "accuracy_half_width")
Second = NDArray[np.bool_]
Learner = Callable[[FloatArray, FloatArray, FloatArray, FloatArray, int], Second]
"""X, arm (0 or 1), benefit, the people's X, seed → who of the people gets the second arm."""


def _policy(name: str, **options: int) -> Learner:
    """Return a policy learner of EconML; its prediction is the arm."""

    def learn(X: FloatArray, t: FloatArray, y: FloatArray, people: FloatArray, seed: int) -> Second:
        kind: Any = getattr(import_module("econml.policy"), name)
        parts = {
            "model_propensity": DummyClassifier(strategy="prior"),
            "model_regression": GradientBoostingRegressor(random_state=seed),
        }
        model = kind(random_state=seed, **parts, **options)
        return np.ravel(model.fit(y, t, X=X).predict(people) == 1)

    return learn


def _effect(name: str, *, boosting: bool, **options: int) -> Learner:
    """Return an estimator of effects of EconML; its rule is the sign of the effect."""

    def learn(X: FloatArray, t: FloatArray, y: FloatArray, people: FloatArray, seed: int) -> Second:
        kind: Any = getattr(import_module("econml.dml"), name)
        parts = {
            "model_t": DummyClassifier(strategy="prior"),
            "model_y": GradientBoostingRegressor(random_state=seed) if boosting else "auto",
        }
        model = kind(discrete_treatment=True, random_state=seed, **parts, **options)
        return np.ravel(model.fit(y, t, X=X).effect(people) > 0)

    return learn


def _policy_learner(policy: type[BaseEstimator]) -> Learner:
    """Return CausalML's policy learner with its default outcome model, seeded."""

    def learn(X: FloatArray, t: FloatArray, y: FloatArray, people: FloatArray, seed: int) -> Second:
        kind: Any = import_module("causalml.optimize").PolicyLearner
        parts = {
            "outcome_learner": GradientBoostingRegressor(random_state=seed),
            "policy_learner": policy(random_state=seed),
        }
        model = kind(random_state=seed, **parts)
        model.fit(X, t, y, p=np.full(len(t), 0.5))
        return np.ravel(model.predict(people) == 1)

    return learn


def _t_learner(name: str, *arguments: object) -> Learner:
    """Return two regressions, one for each arm; the rule compares them."""

    def learn(X: FloatArray, t: FloatArray, y: FloatArray, people: FloatArray, seed: int) -> Second:
        kind: Any = getattr(import_module("causalml.inference.meta"), name)
        options = {} if arguments else {"random_state": seed}
        model = kind(*arguments, control_name=0, **options)
        model.fit(X, t, y)
        return np.ravel(model.predict(people) > 0)

    return learn


LEARNERS: Mapping[tuple[str, str], Learner] = {
    ("econml", "DRPolicyTree"): _policy("DRPolicyTree"),
    ("econml", "DRPolicyForest"): _policy("DRPolicyForest", n_jobs=1),
    ("econml", "LinearDML"): _effect("LinearDML", boosting=False),
    ("econml", "CausalForestDML"): _effect("CausalForestDML", boosting=True, n_jobs=1),
    ("causalml", "PolicyLearner"): _policy_learner(DecisionTreeClassifier),
    ("causalml", "PolicyLearner, logistic"): _policy_learner(LogisticRegression),
    ("causalml", "T-learner, linear"): _t_learner("BaseTRegressor", LinearRegression()),
    ("causalml", "T-learner, XGBoost"): _t_learner("XGBTRegressor"),
}


@dataclass(frozen=True)
class Cell:
    """What is measured; ``version`` is the package's."""

    scenario: str
    n: int
    package: str
    version: str
    learner: str
    repeats: int


@dataclass(frozen=True)
class Result:
    """Mean accuracy in % with the half width of its 95 % interval, and the day."""

    cell: Cell
    accuracy: float
    accuracy_half: float
    date: str


def run(cell: Cell) -> Result:
    """Return the accuracy of one learner over the cell's trials."""
    warnings.simplefilter("ignore")
    scenario, learn = SCENARIOS[cell.scenario], LEARNERS[cell.package, cell.learner]
    people = scenario.people(PEOPLE, trial_rng(cell.scenario, cell.n, -1))
    scores = []
    for repeat in range(cell.repeats):
        trial = scenario.draw(cell.n, trial_rng(cell.scenario, cell.n, repeat))
        received = (np.array(trial[ARM].to_pylist()) == scenario.arms[1]).astype(np.int64)
        second = learn(_x(trial), received, numbers(trial, BENEFIT), _x(people), repeat)
        arms = np.where(second, scenario.arms[1], scenario.arms[0]).astype(object)
        scores.append(100 * scenario.accuracy(people, arms))
    ((mean, half),) = with_halves(np.array(scores)[:, None])
    return Result(cell, mean, half, datetime.now(UTC).date().isoformat())


def _x(table: pa.Table) -> FloatArray:
    names = [name for name in table.column_names if name not in (ARM, BENEFIT)]
    return np.column_stack([numbers(table, name) for name in names])


def cells() -> Iterator[Cell]:
    """Yield every cell, by the versions that are installed here."""
    for scenario, n, repeats in PLAN:
        for package, learner in LEARNERS:
            yield Cell(scenario, n, package, version(package), learner, repeats)


def row(result: Result) -> dict[str, object]:
    """Return a result as a row of the file."""
    shown = (f"{number:.4f}" for number in (result.accuracy, result.accuracy_half))
    return asdict(result.cell) | dict(zip(NUMBERS, shown, strict=True)) | {"date": result.date}


def read(row: Mapping[str, str]) -> Result:
    """Return the result that a row of the file holds."""
    names = (row["package"], row["version"], row["learner"])
    cell = Cell(row["scenario"], int(row["n"]), *names, int(row["repeats"]))
    mean, half = (float(row[name]) for name in NUMBERS)
    return Result(cell, mean, half, row["date"])


def main() -> None:
    """Measure every learner."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("--jobs", type=int, help="processes; all processors")
    parser.add_argument("--resume", action="store_true", help="keep the cells already measured")
    arguments = parser.parse_args()
    campaign = Campaign(run, RESULTS, row, read)
    campaign.measure(list(cells()), jobs=arguments.jobs, resume=arguments.resume, quick=False)


if __name__ == "__main__":
    main()
