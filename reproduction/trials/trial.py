"""Trials whose rows may be looked at, because they are public or simulated.

No number that is measured on them carries a privacy claim; the noise of methods comes from seeds.
"""

from dataclasses import dataclass
from importlib.resources import files
from typing import Self

import numpy as np
import pyarrow as pa

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.data.table import read_table
from dpwerm.errors import Fault, TableError
from dpwerm.features.encoding import Encoding
from dpwerm.study.study import Study, read_trial
from dpwerm.study.treatment import arm_labels
from reproduction.artefact import Page
from reproduction.paper_method import arm_probabilities
from reproduction.trials.measures import empirical_value, influence

PAGE = Page("trials", "Real trials")
SMALLEST_TRIAL = 20
"""Fewer usable rows than that are another table, not a trial."""


def study_file(name: str) -> Study:
    """Return a study file of this package: "cyp_guides" or "actg175"."""
    text = files("reproduction").joinpath(f"data/{name}.toml").read_text(encoding="utf-8")
    return Study.parse(text, f"study file {name}.toml")


@dataclass(frozen=True, repr=False)
class OpenTrial:
    """The rows of both arms: what a study declares of them, and the benefit from its lower end.

    received: (n,) in {−1, +1}; benefit: (n,) after transform and direction, 0 at the lower end of
    its bounds or above; propensity: (n,) P(arm received | x); arms: what people call the two arms.
    """

    study: Study
    rows: pa.Table
    received: FloatArray
    benefit: FloatArray
    propensity: FloatArray
    arms: tuple[str, str]

    def __repr__(self) -> str:
        return f"OpenTrial({self.study.id})"

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

    def encoded(self, encoding: Encoding) -> FloatArray:
        """Return everybody's encoded features, (n, d)."""
        return encoding.encode(read_table(self.rows, self.study.feature_columns))

    def everybody(self) -> IntArray:
        """Return the trial itself as the choice of its rows, (1, n)."""
        return np.arange(self.n)[None]

    def value(self, recommended: FloatArray, *, by_arm: bool = True) -> float:
        """Return Eqn 14 of a rule; with one propensity for both arms unless ``by_arm``."""
        propensity = self.propensity if by_arm else np.full(self.n, 0.5)
        return empirical_value(recommended, self.received, self.benefit, propensity)

    def influence(self, recommended: FloatArray, *, by_arm: bool = True) -> FloatArray:
        """Return each person's contribution to the error of that value, shape (n,)."""
        propensity = self.propensity if by_arm else np.full(self.n, 0.5)
        return influence(recommended, self.received, self.benefit, propensity)
