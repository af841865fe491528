r"""The log-likelihood ratio of a release under two data sets; the attacker knows the calibration.

Output perturbation: the density of θ at its minimiser θ̂ is the noise's at θ − θ̂. Objective
perturbation: θ belongs to exactly one b, so

    log p(θ; D) = log ν(b(θ; D)) + log det ∇²F(θ; D),   b(θ; D) = −∇F(θ; D)

up to a constant; the second noise is too small to matter. Everything is vectorised over θ (m, p).
"""

from collections.abc import Hashable
from functools import lru_cache
from typing import cast

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import Loss
from dpwerm.objective.losses.contract import form_of
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.sensitivity import Facts
from dpwerm.solve.batch import minimise_path
from dpwerm.solve.batch_problems import BatchProblems

_AT_ONCE = 1 << 14
"""Outputs whose Hessians are kept at once."""


def stacked(data: MemoryRows) -> BatchProblems:
    """Return one data set as the batch solver takes it."""
    return BatchProblems(data.X[None], data.targets[None], data.weights[None], data.intercept_scale)


def minimiser(data: MemoryRows, loss: Loss, calibration: Calibration) -> FloatArray:
    """Return θ̂ (p,), as near as the calibration's solver comes."""
    # Every registered loss is a frozen dataclass.
    return _minimiser(data, cast("Hashable", loss), calibration.facts, calibration.tolerance)


@lru_cache(maxsize=64)
def _minimiser(data: MemoryRows, loss: Hashable, facts: Facts, tolerance: float) -> FloatArray:
    """Return θ̂; a pair is looked at many times. The data are made up, so they may be kept."""
    known = cast("Loss", loss)
    found = minimise_path(
        stacked(data), known, [facts.gamma], tolerance=tolerance, regularizer=facts.regularizer
    )
    return np.asarray(found.theta[0, 0])


def log_density(
    outputs: FloatArray, data: MemoryRows, loss: Loss, calibration: Calibration
) -> FloatArray:
    """Return log p(θ; D) up to a constant that no data set changes, (m,)."""
    if calibration.inside is None:
        noise = outputs - minimiser(data, loss, calibration)
        return get_mechanism(calibration.mechanism).log_density(calibration, noise)
    parts = range(0, len(outputs), _AT_ONCE)
    found = [_inside(outputs[at : at + _AT_ONCE], data, loss, calibration) for at in parts]
    return np.concatenate(found) if found else np.zeros(0)


def _inside(
    theta: FloatArray, data: MemoryRows, loss: Loss, calibration: Calibration
) -> FloatArray:
    """Return log ν(b(θ)) + log det ∇²F(θ)."""
    facts, rows, targets = calibration.facts, data.whole.design(), data.targets
    matrix = facts.regularizer.matrix(facts.dimension)
    if matrix is None:
        raise ParameterError(f"regularizer {facts.regularizer.name} is not quadratic")
    if form_of(loss) == "residual":
        z = theta @ rows.T - targets
    else:
        rows = rows * targets[:, None]
        z = theta @ rows.T
    slopes, bends = data.weights * loss.derivative(z), data.weights * loss.second_derivative(z)
    b = -(slopes @ rows + facts.gamma * (theta @ matrix))
    law = get_mechanism(calibration.mechanism).log_density(calibration, b)
    # det(γM + RᵀDR) is det(I + R'ᵀDR'/γ) up to a factor, with R' = RL⁻ᵀ and M = LLᵀ.
    whitened = np.linalg.solve(np.linalg.cholesky(matrix), rows.T).T
    return np.asarray(law + _log_determinant(bends / facts.gamma, whitened))


def _log_determinant(bends: FloatArray, rows: FloatArray) -> FloatArray:
    """Return log det(I + RᵀDR) for each D = diag(bends), (m,); bends: (m, n), rows: (n, p)."""
    n, p = rows.shape
    if n < p:  # det(I + RᵀDR) = det(I + D^½RRᵀD^½), as small as the number of rows
        roots = np.sqrt(bends)
        hessians = roots[:, :, None] * roots[:, None, :] * (rows @ rows.T)
    else:
        products = (rows[:, :, None] * rows[:, None, :]).reshape(n, p * p)
        hessians = (bends @ products).reshape(-1, p, p)
    return np.asarray(np.linalg.slogdet(np.eye(min(n, p)) + hessians)[1])
