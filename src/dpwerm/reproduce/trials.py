"""Real trials: the rows that a study file declares, and a way to try methods on them.

The data sets are public. What is measured here looks at the rows themselves and no number of it
carries a privacy claim; a method's own noise is drawn from seeds.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Literal, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.errors import Fault, TableError
from dpwerm.reproduce.measures import empirical_value, influence
from dpwerm.reproduce.paper_method import paper_release
from dpwerm.rules.treatment_rule import PrivateTreatmentRule
from dpwerm.study.declaration import Study
from dpwerm.study.encoding import Encoding
from dpwerm.study.table import read_table
from dpwerm.study.treatment import arm_labels, arm_probabilities
from dpwerm.study.trial import read_trial

SMALLEST_TRIAL = 20
"""Fewer usable rows than that are another table, not a trial."""


def study_file(name: str) -> Study:
    """Return a study file of this package: "cyp_guides" or "actg175"."""
    text = files("dpwerm.reproduce").joinpath(f"data/{name}.toml").read_text(encoding="utf-8")
    return Study.parse(text, f"study file {name}.toml")


@dataclass(frozen=True, repr=False)
class RealTrial:
    """The rows of both arms: what a study declares of them, and the benefit from its lower end.

    received: (n,) in {−1, +1}; benefit: (n,) after transform and direction, 0 at the lower end of
    its bounds; propensity: (n,) P(arm received | x); arms: what people call the two arms.
    """

    study: Study
    rows: pa.Table
    received: FloatArray
    benefit: FloatArray
    propensity: FloatArray
    arms: tuple[str, str]

    def __repr__(self) -> str:
        return f"RealTrial({self.study.id})"

    @classmethod
    def read(cls, study: Study, source: object, arms: tuple[str, str]) -> Self:
        """Return the rows with one of the two arms and a benefit; others are left out.

        That is for experiments alone: a fit on sensitive data keeps such rows, with weight 0.
        """
        table = read_trial(study, source)
        arm = arm_labels(table, study.treatment)
        outcome = table.numbers(study.benefit.column)
        usable = ~(np.isnan(arm) | np.isnan(outcome))
        if usable.sum() < SMALLEST_TRIAL or len(set(arm[usable])) < 2:
            names = ", ".join(study.treatment.arms)
            fault = Fault(study.treatment.column, f"hardly any rows have the arms {names}")
            raise TableError(table.label, [fault])
        rows = pa.table({name: table.columns[name] for name in study.columns})
        rows = rows.filter(pa.array(usable))
        kept = read_table(rows, study.columns)
        received = arm_labels(kept, study.treatment)
        changed = {"weights": "nonnegative", "declared_centre": "lower", "declared_clip": "range"}
        whole = study.benefit.model_copy(update=changed)
        benefit = whole.centred(kept.numbers(whole.column))
        propensity = arm_probabilities(kept, study.treatment, received)
        return cls(study, rows, received, benefit, propensity, arms)

    @property
    def benefit_bound(self) -> float:
        """The width of the benefit's bounds after transform: the paper's V."""
        lower, upper = self.study.benefit.range
        return upper - lower

    @property
    def n(self) -> int:
        """The number of people."""
        return len(self.received)

    def part(self, rows: NDArray[np.bool_]) -> Self:
        """Return the trial of some of its people."""
        return replace(
            self,
            rows=self.rows.filter(pa.array(rows)),
            received=self.received[rows],
            benefit=self.benefit[rows],
            propensity=self.propensity[rows],
        )

    def value(self, recommended: FloatArray, *, by_arm: bool = True) -> float:
        """Return Eqn 14 of a rule; with one propensity for both arms unless ``by_arm``."""
        propensity = self.propensity if by_arm else np.full(self.n, 0.5)
        return empirical_value(recommended, self.received, self.benefit, propensity)

    def influence(self, recommended: FloatArray, *, by_arm: bool = True) -> FloatArray:
        """Return each person's contribution to the error of that value, shape (n,)."""
        propensity = self.propensity if by_arm else np.full(self.n, 0.5)
        return influence(recommended, self.received, self.benefit, propensity)


Recommend = Callable[[RealTrial, RealTrial, str, int], FloatArray]
"""trial to learn from, people to recommend for, ε, seed → (n,) arms in {−1, +1}."""


@dataclass(frozen=True)
class TrialMethod:
    """A method by its name, and whether its value uses the propensity of each arm."""

    name: str
    recommend: Recommend
    by_arm: bool = True


def automatic() -> TrialMethod:
    """Return this library with everything left to it."""

    def recommend(trial: RealTrial, people: RealTrial, epsilon: str, seed: int) -> FloatArray:
        rule = PrivateTreatmentRule.from_study(trial.study, epsilon, random_state=seed)
        scores = rule.fit(trial.rows).decision_function(people.rows)
        default = 1.0 if rule.rule_.default == rule.rule_.arms[1] else -1.0
        return np.where(scores == 0, default, np.sign(scores))

    return TrialMethod("automatic", recommend)


def papers(name: str, *, gamma: float, intercept: Literal[0, 1], by_arm: bool) -> TrialMethod:
    """Return the paper's method: its encoding, W = V/π_min, spherical Laplace noise.

    intercept: whether there is a constant; by_arm: whether weights use the propensity of each arm
    or one for both, which is π_min so that no weight exceeds W.
    """

    def recommend(trial: RealTrial, people: RealTrial, epsilon: str, seed: int) -> FloatArray:
        smallest = trial.study.treatment.pi_min
        blocks = trial.study.encoding().blocks
        encoding = Encoding(kind="paper", intercept=float(intercept), blocks=blocks)
        columns = trial.study.feature_columns
        release = paper_release(
            encoding.encode(read_table(trial.rows, columns)),
            trial.received,
            trial.benefit,
            trial.propensity if by_arm else np.full(trial.n, smallest),
            encoding=encoding,
            benefit_bound=trial.benefit_bound,
            smallest_propensity=smallest,
            gamma=gamma,
            epsilon=epsilon,
            rng=np.random.default_rng(seed),
        )
        scores = release.score(encoding.encode(read_table(people.rows, columns)))
        return np.where(scores > 0, 1.0, -1.0)

    return TrialMethod(name, recommend, by_arm)
