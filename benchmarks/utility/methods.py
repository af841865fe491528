"""The methods that are compared: each turns a simulated trial into a recommendation.

The paper's method gets the γ that turns out best for the cell at hand, which nobody could have
known before; ours gets what it chooses by itself before it sees the trial.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpwerm import PrivateTreatmentRule
from dpwerm.data.table import read_table
from dpwerm.simulate.scenarios.scenario import Scenario
from reproduction.paper_method import paper_benefit_bound, paper_rule

PAPER_GAMMAS = (0.2, 1.0, 3.0, 10.0, 30.0)
"""γ of the paper's method in units of W; the published ones lie between 0.2 and 7."""

DELTA = "1e-6"
Arms = NDArray[np.object_]
Fit = Callable[[Scenario, pa.Table, pa.Table, str, int], Sequence[Arms]]
"""scenario, trial, people, ε, seed → the arms of the people, one answer for each variant."""


@dataclass(frozen=True)
class Method:
    """A method by its name; of several variants the one best over all repeats is shown."""

    name: str
    fit: Fit
    private: bool = True


def _paper(
    scenario: Scenario, trial: pa.Table, people: pa.Table, epsilon: str, seed: int
) -> list[Arms]:
    study = scenario.study()
    table, fresh = read_table(trial, study.columns), read_table(people, study.feature_columns)
    bound = paper_benefit_bound(study.benefit.bounds) / study.treatment.pi_min
    answers: list[Arms] = []
    for share in PAPER_GAMMAS:
        rng = np.random.default_rng(seed)
        release = paper_rule(study, table, gamma=share * bound, epsilon=epsilon, rng=rng)
        second = release.score(release.encoding.encode(fresh)) > 0
        answers.append(np.where(second, scenario.arms[1], scenario.arms[0]).astype(object))
    return answers


def _ours(mechanism: str, delta: str = "0") -> Fit:
    def fit(
        scenario: Scenario, trial: pa.Table, people: pa.Table, epsilon: str, seed: int
    ) -> list[Arms]:
        rule = PrivateTreatmentRule.from_study(
            scenario.study(), epsilon, mechanism=mechanism, delta=delta, random_state=seed
        )
        return [rule.fit(trial).predict(people)]

    return fit


METHODS = {
    method.name: method
    for method in (
        Method("paper", _paper),
        Method("product-laplace", _ours("product-laplace")),
        Method("spherical-laplace", _ours("spherical-laplace")),
        Method("objective-l2", _ours("objective-l2")),
        Method("objective-block", _ours("objective-block")),
        Method("gaussian", _ours("gaussian", DELTA)),
        Method("objective-gaussian", _ours("objective-gaussian", DELTA)),
        Method("auto", _ours("auto")),
        Method("paper, no privacy", _paper, private=False),
        Method("auto, no privacy", _ours("auto"), private=False),
    )
}
"""Every method; the last two are fitted at ε = ∞. δ is 1e-6 for the Gaussian ones, else 0.

Whatever a method of ours does not fix is automatic: γ, clip, intercept, saturation, threshold.
"""
