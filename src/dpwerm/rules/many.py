"""Many trials out of one table: the settings of a planned fit, for the engine.

Each trial is a choice of rows of the table, with or without replacement. Everything here is as
sensitive as the table; nothing is released.
"""

from typing import Any

from dpwerm.arrays import IntArray
from dpwerm.errors import ParameterError
from dpwerm.learn.certificate import certify
from dpwerm.mechanisms.plan import Plan
from dpwerm.rules.probabilities import second_arm
from dpwerm.rules.settle import Settled
from dpwerm.rules.trial import Trial
from dpwerm.rules.trial_rows import rows_of
from dpwerm.solve.batch import BatchProblems


def problems_of(settled: Settled, trial: Trial, rows: IntArray) -> BatchProblems:
    """Return the weighted problems of B trials; rows: (B, n), which rows each of them has."""
    if trial.given_propensity is None:
        raise ParameterError(
            "many trials at once need known propensities: arms with probabilities, or a column"
        )
    second = second_arm(settled.declaration, trial, settled.encoding, None)
    found = rows_of(trial, settled.declaration, settled.encoding, second)
    X = settled.encoding.learning_rows(found.X)
    return BatchProblems(
        X[rows], found.labels[rows], found.weights[rows], settled.encoding.intercept_scale
    )


def plan_of(settled: Settled, n: int, **settings: Any) -> Plan:
    """Return the plan of a fit on n people, with other settings where they are given."""
    spec = settled.spec.with_settings(**settings)
    _, plan = certify(spec, settled.encoding, n, secure=False, library="")
    return plan
