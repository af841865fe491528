"""The methods that are compared: each turns a simulated trial into a recommendation.

The paper's method gets the γ that turns out best for the cell at hand, which nobody could have
known before; ours gets what it chooses by itself before it sees the trial.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from dpwerm import PrivateTreatmentRule
from dpwerm.arrays import FloatArray
from dpwerm.data.table import read_table
from dpwerm.simulate.scenarios.scenario import ARM, BENEFIT, ArmArray, Scenario
from dpwerm.study.study import Study
from reproduction.paper_method import paper_benefit_bound, paper_rule

PAPER_GAMMAS = (0.2, 1.0, 3.0, 10.0, 30.0)
"""γ of the paper's method in units of W; the published ones lie between 0.2 and 7."""

DELTA = "1e-6"
Fit = Callable[[Scenario, pa.Table, pa.Table, str, int], Sequence[ArmArray]]
"""scenario, trial, people, ε, seed → the arms of the people, one answer for each variant."""


@dataclass(frozen=True)
class Method:
    """A method by its name; of several variants the one best over all repeats is shown.

    private : whether it is fitted at each ε, or once at ε = ∞
    single : whether it is a mechanism of ours, which is tried on the paper's problem only
    step : whether it is auto without some of its steps, which is tried on sloppy trials only
    """

    name: str
    fit: Fit
    private: bool = True
    single: bool = False
    step: bool = False


def _paper(
    scenario: Scenario, trial: pa.Table, people: pa.Table, epsilon: str, seed: int
) -> list[ArmArray]:
    study, observed = _as_observed(scenario, trial)
    table, fresh = read_table(observed, study.columns), read_table(people, study.feature_columns)
    bound = paper_benefit_bound(study.benefit.bounds) / study.treatment.pi_min
    answers: list[ArmArray] = []
    for share in PAPER_GAMMAS:
        rng = np.random.default_rng(seed)
        release = paper_rule(study, table, gamma=share * bound, epsilon=epsilon, rng=rng)
        second = release.score(release.encoding.encode(fresh)) > 0
        answers.append(np.where(second, scenario.arms[1], scenario.arms[0]).astype(object))
    return answers


def _as_observed(scenario: Scenario, trial: pa.Table) -> tuple[Study, pa.Table]:
    """Return study and trial with a benefit of which more is better, as the paper's method needs.

    Where the study declares a transform or that less is better, the column is changed beforehand.
    """
    study = scenario.study()
    benefit = study.benefit
    if (benefit.transform, benefit.direction) == ("identity", "larger"):
        return study, trial
    low, high = benefit.range
    column = benefit.scaled(trial[BENEFIT].to_numpy()) * (high - low) / 2 + (low + high) / 2
    place = trial.column_names.index(BENEFIT)
    keys = {"column": BENEFIT, "bounds": [low, high]}
    changed = trial.set_column(place, BENEFIT, pa.array(column))
    return scenario.study_with(scenario.treatment(), keys), changed


def _ours(delta: str = "0", **named: str | float) -> Fit:
    def fit(
        scenario: Scenario, trial: pa.Table, people: pa.Table, epsilon: str, seed: int
    ) -> list[ArmArray]:
        rule = PrivateTreatmentRule.from_study(
            scenario.study(),
            epsilon,
            delta=delta,
            random_state=seed,
            **named,
        )
        return [rule.fit(trial).predict(people)]

    return fit


def t_learner(
    scenario: Scenario, trial: pa.Table, people: pa.Table, epsilon: str, seed: int
) -> list[ArmArray]:
    """Return the arm with the larger mean by least squares in each arm, without any privacy."""
    del epsilon, seed
    study = scenario.study()
    encoding = study.encoding()
    benefit = study.benefit.scaled(trial[BENEFIT].to_numpy())
    X = _with_constant(encoding.encode(read_table(trial, study.columns)))
    fresh = _with_constant(encoding.encode(read_table(people, study.feature_columns)))
    received = trial[ARM].to_numpy(zero_copy_only=False)
    first, second = (
        fresh @ np.linalg.lstsq(X[received == arm], benefit[received == arm], rcond=None)[0]
        for arm in scenario.arms
    )
    return [np.where(second > first, scenario.arms[1], scenario.arms[0]).astype(object)]


def _with_constant(X: FloatArray) -> FloatArray:
    return np.column_stack([np.ones(len(X)), X])


SINGLE = ("product-laplace", "spherical-laplace", "objective-l2", "objective-block")
ESTIMATORS = ("outcome-weighted", "contrast", "arm-wise")

METHODS = {
    method.name: method
    for method in (
        Method("paper", _paper),
        *(Method(name, _ours(estimator=name)) for name in ESTIMATORS),
        Method("auto", _ours()),
        Method("auto, no guard", _ours(guard=0.0), step=True),
        Method(
            "auto, no guard, no ranges",
            _ours(tightness=0.0, guard=0.0, ranges=0.0, feature_ranges=0.0),
            step=True,
        ),
        Method("T-learner, no privacy", t_learner, private=False),
        Method("paper, no privacy", _paper, private=False),
        Method("auto, no privacy", _ours(), private=False),
        *(Method(name, _ours(mechanism=name), single=True) for name in SINGLE),
        *(
            Method(name, _ours(DELTA, mechanism=name), single=True)
            for name in ("gaussian", "objective-gaussian")
        ),
    )
}
"""Every method; δ is 1e-6 for the Gaussian mechanisms, else 0.

Whatever a method of ours does not fix is automatic: the estimator and all its hyperparameters.
"""
