r"""Fit a propensity model to the people of the trial: released, or kept secret.

.. math:: \hat\beta = \arg\min_\beta \sum_i \log(1 + e^{-y_i x_i^\top\beta})
          + \tfrac{\gamma_p}{2}\|\beta\|^2

y is the arm received; a row without an arm has weight 0 and still counts in n.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.choose.propensity import propensity_settings
from dpwerm.learn.pipeline import Stage, fit_release, no_progress
from dpwerm.learn.release import Release
from dpwerm.learn.specification import Chosen, Specification
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.plan import spent
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.relation import Relation
from dpwerm.privacy.ridge_origin import RidgeModel
from dpwerm.problem.losses import Logistic
from dpwerm.problem.objective import Objective, WeightedData
from dpwerm.problem.regularizers import Ridge
from dpwerm.rules.propensity import model_encoding
from dpwerm.rules.trial import Trial
from dpwerm.solve.newton import minimise
from dpwerm.study.encoding import Encoding

CHOSEN = ("gamma", "mechanism", "intercept_scale")


@dataclass(frozen=True)
class PrivateModel:
    """A private propensity model before it is fitted: its settings, all of them public."""

    encoding: Encoding
    spec: Specification


def settle_private(
    encoding: Encoding,
    *,
    budget: Budget,
    people: int,
    relation: Relation,
    floor: float,
    on_stage: Stage = no_progress,
) -> PrivateModel:
    """Return a logistic propensity model with settings chosen by simulation.

    people: the public or the planned number of people; floor: π_min.
    """
    stage = "choosing settings of the propensity model"
    on_stage(stage)
    seen = model_encoding(encoding)
    choice = propensity_settings(
        seen, people, budget, relation, floor, lambda share: on_stage(f"{stage}: {share:.0%}")
    )
    spec = Specification(
        budget=spent(get_mechanism(choice.mechanism), budget),
        gamma=choice.gamma,
        weight_bound=1.0,
        mechanism=choice.mechanism,
        relation=relation,
        loss=Logistic(),
        chosen=Chosen(CHOSEN, max(0.0, 1.0 - choice.error), choice.reason),
    )
    return PrivateModel(seen.changed(intercept=choice.intercept), spec)


def fit_private(
    trial: Trial, model: PrivateModel, bits: BitSource, on_stage: Stage = no_progress
) -> Release:
    """Return the release of a propensity model."""
    labels, weights = _labels(trial)
    return fit_release(
        trial.encode(model.encoding),
        labels,
        weights,
        encoding=model.encoding,
        spec=model.spec,
        bits=bits,
        on_stage=lambda name: on_stage(f"propensity model: {name}"),
    )


def secret_second_arm(trial: Trial, encoding: Encoding, model: RidgeModel) -> FloatArray:
    """Return P(second arm | x) (n,) from a ridge model of the same people; never released.

    The model, its scores and these probabilities are sensitive; the constant of ``model`` pays for
    their use in the weights of a rule.
    """
    seen = model_encoding(encoding)
    labels, weights = _labels(trial)
    X = trial.encode(seen)
    data = WeightedData(X, labels, weights, seen.intercept_scale, seen.column_bounds)
    solution = minimise(Objective(data, Logistic(), model.gamma, Ridge()), model.tolerance)
    beta = np.array([float(value) for value in solution.theta])
    scores = seen.intercept_scale * beta[0] + np.einsum("ij,j->i", X, beta[1:])
    return np.asarray(expit(scores))


def _labels(trial: Trial) -> tuple[FloatArray, FloatArray]:
    """Return labels in {−1, +1} and weights, 0 where the arm is not known."""
    known = ~np.isnan(trial.arm)
    return np.where(known, trial.arm, 1.0), known.astype(np.float64)
