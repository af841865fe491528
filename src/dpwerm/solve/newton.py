"""Damped Newton: θ ← θ − t(∇²F)⁻¹∇F until the certificate proves the tolerance.

F is strongly convex and its gradient Lipschitz on every level set, so a step that satisfies
Armijo's condition always exists and the steps converge. Near the minimiser the Hessian hardly
changes, so it is kept and only certified gradients are computed. What doubles cannot reach or
cannot prove, ball arithmetic finishes.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.objective.objective import Evaluation, Objective
from dpwerm.objective.rows import every
from dpwerm.solve.exact_newton import finish
from dpwerm.solve.gradient import ProvenGradient, Solution, proven_gradient, solve_positive

_ARMIJO = 1e-4
_NEWTON_STEPS = 60
_TRIALS = 40
_CONTRACTION = 0.05
_WINDOW = 0.5
_STRIDE = 16
_LARGE = 32_768
_FINE_ROWS = 32


def minimise(objective: Objective, tolerance: float) -> Solution:
    """Return a point proven to lie within τ of argmin F, for every finite data set.

    The tolerance τ > 0 is a distance in θ, fixed before the data are seen.
    """
    if not (math.isfinite(tolerance) and tolerance > 0):
        raise ParameterError("tolerance must be finite and positive")
    with np.errstate(all="ignore"):
        reached = _refine(objective, _solve(objective, tolerance), tolerance)
    if reached.proven.distance <= tolerance:
        theta = tuple(map(Fraction, reached.theta.tolist()))
        return Solution(theta, distance_bound=reached.proven.distance, bits=53)
    return finish(objective, reached.theta, tolerance)


class _Reached(NamedTuple):
    """The last point reached in doubles, what is proven of it, and a Hessian near it."""

    theta: FloatArray
    proven: ProvenGradient
    hessian: FloatArray


def _solve(objective: Objective, tolerance: float) -> _Reached:
    """Return the best that doubles can do, by way of every 16th row if there are many.

    The sample is solved only as finely as sampling noise in its gradient, L r √Σw², deserves.
    Its Hessian is good enough for the first steps on all rows.
    """
    data = objective.data
    theta = np.zeros(data.dimension)
    if data.n_rows < _LARGE:
        return _descend(objective, theta, objective.evaluate(theta, window=1.0), tolerance)
    sample = every(data, _STRIDE)
    rough = replace(objective, data=sample)
    radius = float(np.linalg.norm(sample.column_bounds))
    squares = sum(sample.map(lambda block: float(block.weights @ block.weights)))
    noise = objective.loss.lipschitz * radius * math.sqrt(squares)
    near = _solve(rough, 0.03 * noise / objective.gamma)
    model = Evaluation(math.nan, proven_gradient(objective, near.theta).gradient, near.hessian)
    theta, proven = _polish(objective, near.theta, model, tolerance)
    if proven.distance <= tolerance:
        return _Reached(theta, proven, near.hessian)
    if not _norm(proven.gradient) < _norm(model.gradient):
        theta = near.theta
    return _descend(objective, theta, objective.evaluate(theta), tolerance)


def _refine(objective: Objective, reached: _Reached, tolerance: float) -> _Reached:
    """Take the last steps with gradients summed in blocks of 32 rows, if that proves more.

    With many rows the rounding error of a block of 1,024 is what stands in the way.
    """
    if reached.proven.distance <= tolerance or objective.data.n_rows <= _FINE_ROWS:
        return reached
    fine = proven_gradient(objective, reached.theta, _FINE_ROWS)
    if fine.distance <= tolerance:
        return reached._replace(proven=fine)
    model = Evaluation(math.nan, fine.gradient, reached.hessian)
    theta, fine = _polish(objective, reached.theta, model, tolerance, _FINE_ROWS)
    return _Reached(theta, fine, reached.hessian) if fine.distance <= tolerance else reached


def _descend(
    objective: Objective, theta: FloatArray, here: Evaluation, tolerance: float
) -> _Reached:
    """Step from θ, evaluated as ``here``, until the tolerance is proven or doubles are blind."""
    for _ in range(_NEWTON_STEPS):
        polished, proven = _polish(objective, theta, here, tolerance)
        if proven.distance <= tolerance or _blind(proven, here):
            return _Reached(polished, proven, here.hessian)
        if _norm(proven.gradient) < _CONTRACTION * _norm(here.gradient):
            theta, here = polished, objective.evaluate(polished)
            continue
        moved = _search(objective, theta, here)
        if moved is None:
            break
        theta, here = moved
    return _Reached(theta, proven_gradient(objective, theta), here.hessian)


def _polish(
    objective: Objective,
    theta: FloatArray,
    here: Evaluation,
    tolerance: float,
    block_rows: int | None = None,
) -> tuple[FloatArray, ProvenGradient]:
    """Take full steps with one Hessian while each shrinks the gradient twentyfold."""
    gradient = here.gradient
    while True:
        trial = theta - solve_positive(here.hessian, gradient, objective.gamma)
        proven = proven_gradient(objective, trial, block_rows)
        shrunk = _norm(proven.gradient) < _CONTRACTION * _norm(gradient)
        if proven.distance <= tolerance or not shrunk or _blind(proven, here):
            return trial, proven
        theta, gradient = trial, proven.gradient


def _search(
    objective: Objective, theta: FloatArray, here: Evaluation
) -> tuple[FloatArray, Evaluation] | None:
    """Return a point with enough decrease along the Newton direction, or None if rounding hides it.

    Armijo: F(θ+td) ≤ F(θ) + 1e-4·t·∇Fᵀd. Where F itself is too coarse to tell, a clear drop of
    the slope along d is accepted instead.
    """
    direction = -solve_positive(here.hessian, here.gradient, objective.gamma)
    slope = float(here.gradient @ direction)
    reach = float(objective.data.column_bounds @ np.abs(direction))
    coarse = 1e-12 * abs(here.value)
    t = 1.0
    for _ in range(_TRIALS):
        trial = theta + t * direction
        there = objective.evaluate(trial, min(1.0, _WINDOW * t * reach))
        end = float(there.gradient @ direction)
        rise = there.value - here.value
        if rise <= _ARMIJO * t * slope or (rise <= coarse and abs(end) <= 0.9 * abs(slope)):
            return None if np.array_equal(trial, theta) else (trial, there)
        cut = slope / (slope - end) if slope < 0 < end else 0.5
        t *= min(max(cut, 0.1), 0.5)
    return None


def _blind(proven: ProvenGradient, here: Evaluation) -> bool:
    """Say whether the gradient has sunk into its own rounding error, below where it was."""
    size = _norm(proven.gradient)
    return size <= proven.error and size + proven.error <= _norm(here.gradient)


def _norm(gradient: FloatArray) -> float:
    """Return ‖g‖₂, infinite if any entry is not a number."""
    size = float(np.linalg.norm(gradient))
    return size if math.isfinite(size) else math.inf
