"""From a trial to the cell and the shares of each of its rows: a public map, row by row.

A row whose arm, benefit or propensity is missing is in no cell. It is left out whatever the others
are, so it neither stops an evaluation nor shows in one.
"""

from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.rules.declaration import Declaration
from dpwerm.rules.probabilities import probabilities
from dpwerm.rules.rule import Rule
from dpwerm.rules.trial import Trial
from dpwerm.rules.value.layout import Layout, layout_by_design, layout_by_row, layout_robust
from dpwerm.rules.value.outcome import OutcomeModel
from dpwerm.rules.value.shares import split_evenly, split_pair, split_weighted
from dpwerm.study.encoding import Encoding


@dataclass(frozen=True, repr=False)
class SharedRows:
    """The cell (n,) and the shares (n, K) of each row: sensitive, never printed."""

    cells: IntArray
    shares: IntArray


def layout_for(declaration: Declaration, *, robust: bool) -> Layout:
    """Return which sums are released, from public facts alone."""
    treatment = declaration.treatment
    if robust:
        return layout_robust(treatment.arms, largest_weights(declaration))
    if treatment.probabilities is not None:
        return layout_by_design(treatment.arms, treatment.probabilities)
    return layout_by_row(treatment.arms, treatment.pi_min)


def largest_weights(declaration: Declaration) -> tuple[float, float]:
    """Return the largest 1/P of each arm."""
    treatment = declaration.treatment
    if treatment.probabilities is not None:
        first, second = treatment.probabilities
        return 1 / float(first), 1 / float(second)
    return 1 / treatment.pi_min, 1 / treatment.pi_min


def shared_rows(
    rule: Rule,
    declaration: Declaration,
    trial: Trial,
    encoding: Encoding,
    model: OutcomeModel | None = None,
) -> SharedRows:
    """Return the cells and shares of a trial; declaration as ``for_evaluation`` gives it.

    encoding : the features' encoding that an external or an outcome model is about
    """
    treatment = declaration.treatment
    u = _unit(declaration, trial.outcome)
    probability = probabilities(declaration, trial, encoding, rule.propensity)
    told = rule.arms_for(rule.release.score(trial.encode(rule.release.encoding))) == rule.arms[1]
    usable = ~(np.isnan(trial.arm) | np.isnan(u) | np.isnan(probability))
    u, probability = np.where(usable, u, 0.0), np.where(usable, probability, 1.0)
    second = trial.arm > 0
    if model is not None:
        predicted = [
            _unit(declaration, model.predict(arm, trial, encoding)) for arm in treatment.arms
        ]
        terms = [
            robust_term(one, u, probability, got, most)
            for one, got, most in zip(
                predicted, (~second, second), largest_weights(declaration), strict=True
            )
        ]
        return SharedRows(np.where(usable, told, -1).astype(np.int64), split_pair(*terms))
    cells = np.where(usable, 2 * second + told, -1).astype(np.int64)
    if treatment.probabilities is not None:
        return SharedRows(cells, split_evenly(u))
    return SharedRows(cells, split_weighted(u, np.minimum(treatment.pi_min / probability, 1.0)))


def _unit(declaration: Declaration, outcome: FloatArray) -> FloatArray:
    """Return the benefit as u in [0, 1], 1 the best; NaN where it is missing."""
    bound = declaration.benefit.clip
    u: FloatArray = np.clip((declaration.benefit.centred(outcome) / bound + 1) / 2, 0.0, 1.0)
    return u


def robust_term(
    predicted: FloatArray,
    u: FloatArray,
    probability: FloatArray,
    received: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    most: float,
) -> FloatArray:
    """Return ψ of one arm as a number y in [0, 1]: y = (ψ + a − 1)/(2a − 1), a = ``most``."""
    residual = np.where(received, (u - predicted) / probability, 0.0)
    term: FloatArray = np.clip((predicted + residual + most - 1) / (2 * most - 1), 0.0, 1.0)
    return term
