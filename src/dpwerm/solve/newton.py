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
from dpwerm.solve.certificate import Certificate, Solution, certify, solve_positive
from dpwerm.solve.exact_newton import finish

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
    if reached.certificate.distance <= tolerance:
        theta = tuple(map(Fraction, reached.theta.tolist()))
        return Solution(theta, distance_bound=reached.certificate.distance, bits=53)
    return finish(objective, reached.theta, tolerance)


class _Reached(NamedTuple):
    """The last point reached in doubles, its certificate, proven or not, and a Hessian near it."""

    theta: FloatArray
    certificate: Certificate
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
    model = Evaluation(math.nan, certify(objective, near.theta).gradient, near.hessian)
    theta, certificate = _polish(objective, near.theta, model, tolerance)
    if certificate.distance <= tolerance:
        return _Reached(theta, certificate, near.hessian)
    if not _norm(certificate.gradient) < _norm(model.gradient):
        theta = near.theta
    return _descend(objective, theta, objective.evaluate(theta), tolerance)


def _refine(objective: Objective, reached: _Reached, tolerance: float) -> _Reached:
    """Take the last steps with gradients summed in blocks of 32 rows, if that proves more.

    With many rows the rounding error of a block of 1,024 is what stands in the way.
    """
    if reached.certificate.distance <= tolerance or objective.data.n_rows <= _FINE_ROWS:
        return reached
    fine = certify(objective, reached.theta, _FINE_ROWS)
    if fine.distance <= tolerance:
        return reached._replace(certificate=fine)
    model = Evaluation(math.nan, fine.gradient, reached.hessian)
    theta, fine = _polish(objective, reached.theta, model, tolerance, _FINE_ROWS)
    return _Reached(theta, fine, reached.hessian) if fine.distance <= tolerance else reached


def _descend(
    objective: Objective, theta: FloatArray, here: Evaluation, tolerance: float
) -> _Reached:
    """Step from θ, evaluated as ``here``, until the tolerance is proven or doubles are blind."""
    for _ in range(_NEWTON_STEPS):
        polished, certificate = _polish(objective, theta, here, tolerance)
        if certificate.distance <= tolerance or _blind(certificate, here):
            return _Reached(polished, certificate, here.hessian)
        if _norm(certificate.gradient) < _CONTRACTION * _norm(here.gradient):
            theta, here = polished, objective.evaluate(polished)
            continue
        moved = _search(objective, theta, here)
        if moved is None:
            break
        theta, here = moved
    return _Reached(theta, certify(objective, theta), here.hessian)


def _polish(
    objective: Objective,
    theta: FloatArray,
    here: Evaluation,
    tolerance: float,
    block_rows: int | None = None,
) -> tuple[FloatArray, Certificate]:
    """Take full steps with one Hessian while each shrinks the gradient twentyfold."""
    gradient = here.gradient
    while True:
        trial = theta - solve_positive(here.hessian, gradient, objective.gamma)
        certificate = certify(objective, trial, block_rows)
        shrunk = _norm(certificate.gradient) < _CONTRACTION * _norm(gradient)
        if certificate.distance <= tolerance or not shrunk or _blind(certificate, here):
            return trial, certificate
        theta, gradient = trial, certificate.gradient


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
        cut = slope / (slope - end) if end > 0 else 0.5
        t *= min(max(cut, 0.1), 0.5)
    return None


def _blind(certificate: Certificate, here: Evaluation) -> bool:
    """Say whether the gradient has sunk into its own rounding error, below where it was."""
    size = _norm(certificate.gradient)
    return size <= certificate.error and size + certificate.error <= _norm(here.gradient)


def _norm(gradient: FloatArray) -> float:
    """Return ‖g‖₂, infinite if any entry is not a number."""
    size = float(np.linalg.norm(gradient))
    return size if math.isfinite(size) else math.inf
