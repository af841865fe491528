"""Many trials out of one table: the settings of a planned fit, for the engine.

Each trial is a choice of rows of the table, with or without replacement. Everything here is as
sensitive as the table; nothing is released.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import ParameterError
from dpwerm.mechanisms.contract import Calibration
from dpwerm.plan.settle import Settled
from dpwerm.releases.certificate import certify
from dpwerm.simulate.engine.released import TOLERANCE, Draws, released
from dpwerm.solve.batch_problems import BatchProblems
from dpwerm.weighting.propensity import second_arm
from dpwerm.weighting.trial import Trial, rows_of


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


def rules_of(
    settled: Settled,
    trial: Trial,
    rows: IntArray,
    rng: np.random.Generator,
    *,
    factors: Sequence[float] = (1.0,),
    draws: int = 1,
    tolerance: float = TOLERANCE,
) -> dict[float, FloatArray]:
    """Return what would be released with γ times each factor, θ (B, R, p).

    Noise inside the objective needs a γ of some size: a factor with which it is too small has no
    rules. Every factor has the same luck; draws: R, how often noise is drawn for each trial.
    """
    calibrations = {}
    for factor in factors:
        with suppress(ParameterError):
            calibrations[factor] = calibration_of(
                settled, rows.shape[1], gamma=settled.spec.gamma * factor
            )
    if not calibrations:
        return {}
    problems = problems_of(settled, trial, rows)
    luck = Draws.of((len(rows), draws), problems.dimension, rng)
    loss = settled.spec.loss
    theta = released(problems, loss, list(calibrations.values()), luck, tolerance=tolerance)
    return dict(zip(calibrations, theta, strict=True))


def calibration_of(settled: Settled, n: int, **settings: Any) -> Calibration:
    """Return the calibration of a fit on n people, with other settings where they are given."""
    spec = settled.spec.with_settings(**settings)
    _, calibration = certify(spec, settled.encoding, n, secure=False, library="")
    return calibration
