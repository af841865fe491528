"""Thousands of small problems at once: stacked data sets, many tilts each, and paths of γ.

    F(θ) = Σ_i w_i ℓ(y_i x_iᵀθ) + ½γ‖θ‖² + tiltᵀθ

for every data set, every γ and every tilt. It is the objective of dpwerm.problem.objective with
the ridge, and each answer carries the same kind of proven distance to the minimiser. Data sets are
taken a few at a time, so that they stay in the processor's cache for every step, γ and tilt.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.exact import round_up, sqrt_up
from dpwerm.problem.losses.protocol import MarginLoss
from dpwerm.problem.objective import Objective
from dpwerm.solve.batch_block import numbers_kept, prepare
from dpwerm.solve.batch_newton import Asked, descend, model_at, model_at_zero
from dpwerm.solve.batch_problems import BatchProblems, Requests
from dpwerm.solve.newton import minimise

__all__ = ["BatchProblems", "BatchSolution", "minimise_batch", "minimise_path"]

_IN_CACHE = 2**18
"""Doubles worked on at once."""


@dataclass(frozen=True, eq=False)
class BatchSolution:
    """Points θ (…, p) with ‖θ − argmin F‖₂ ≤ ``distance`` (…), both as sensitive as the data.

    ``distance`` is at most the tolerance asked for, unless no double is that near.
    """

    theta: FloatArray
    distance: FloatArray


def minimise_batch(
    problems: BatchProblems,
    loss: MarginLoss,
    gamma: ArrayLike,
    *,
    tilt: ArrayLike | None = None,
    start: ArrayLike | None = None,
    tolerance: ArrayLike,
) -> BatchSolution:
    """Return a point proven to lie within ``tolerance`` of argmin F for every problem.

    If ``gamma`` or ``tolerance`` has two axes, or ``tilt`` or ``start`` three, there are R
    replicates per data set and θ has shape (B, R, p); otherwise it has shape (B, p). An axis of
    length 1 is repeated as needed.

    Parameters
    ----------
    problems : BatchProblems
    loss : MarginLoss
    gamma : float, array (B,) or (B, R), in [1e-12, 1e12]
    tilt : array (B, p) or (B, R, p), optional
        A linear term of F, 0 if left out.
    start : array (B, p) or (B, R, p), optional
        Where to begin; by default at 0.
    tolerance : float, array (B,) or (B, R), > 0
        τ, the distance in θ.
    """
    asked = [None if a is None else np.asarray(a)[None] for a in (tilt, start)]
    requests = Requests.of(problems, np.asarray(gamma)[None], np.asarray(tolerance)[None], *asked)
    path = _solve(problems, loss, requests)
    return BatchSolution(path.theta[0], path.distance[0])


def minimise_path(
    problems: BatchProblems,
    loss: MarginLoss,
    gammas: ArrayLike,
    *,
    tilts: ArrayLike | None = None,
    tolerance: ArrayLike,
) -> BatchSolution:
    """Return θ (G, B, p) or (G, B, R, p) for one γ after the other, each started from the last.

    Neighbouring γ should be near each other, in either order.

    Parameters
    ----------
    problems : BatchProblems
    loss : MarginLoss
    gammas : array (G,), (G, B) or (G, B, R), in [1e-12, 1e12]
    tilts : array (G, B, p) or (G, B, R, p), optional
    tolerance : float, or array like ``gammas``, > 0
    """
    if np.ndim(gammas) == 0:
        raise ParameterError("gammas must be a sequence")
    return _solve(problems, loss, Requests.of(problems, gammas, tolerance, tilts))


def _solve(problems: BatchProblems, loss: MarginLoss, requests: Requests) -> BatchSolution:
    """Solve every problem, part by part, and what remains one by one."""
    shape = requests.gamma.shape
    theta = np.empty((*shape, problems.dimension))
    distance = np.empty(shape)
    with np.errstate(all="ignore"):
        for sets, replicates in _parts(problems, shape[2]):
            _walk(problems, loss, requests, sets, replicates, theta, distance)
    for g, b, r in np.argwhere(~(distance <= requests.tolerance)).tolist():
        theta[g, b, r], distance[g, b, r] = _alone(problems, loss, requests, (g, b, r))
    if not requests.replicated:
        return BatchSolution(theta[:, :, 0], distance[:, :, 0])
    return BatchSolution(theta, distance)


def _parts(problems: BatchProblems, replicates: int) -> Iterator[tuple[slice, slice]]:
    """Yield a few data sets, and as many of their replicates as can be held in cache."""
    n, p = max(1, problems.n_rows), problems.dimension
    at_once = max(1, min(replicates, _IN_CACHE // (4 * n)))
    few = max(1, _IN_CACHE // max(1, numbers_kept(n, p, at_once)))
    for b in range(0, problems.n_sets, few):
        for r in range(0, replicates, at_once):
            yield slice(b, b + few), slice(r, r + at_once)


def _walk(
    problems: BatchProblems,
    loss: MarginLoss,
    requests: Requests,
    sets: slice,
    replicates: slice,
    theta: FloatArray,
    distance: FloatArray,
) -> None:
    """Write θ and its distance along the whole path for some data sets and replicates."""
    part = (slice(None), sets, replicates)
    gamma, tolerance, tilt = (a[part] for a in (requests.gamma, requests.tolerance, requests.tilt))
    rows = (problems.X[sets], problems.y[sets], problems.weights[sets])
    block = prepare(*rows, problems.intercept_scale, gamma.shape[2])
    if requests.start is None:
        model = model_at_zero(block, loss, gamma.shape[2])
    else:
        model = model_at(block, loss, requests.start[sets, replicates])
    for g in range(len(gamma)):
        model = descend(block, loss, Asked(gamma[g], tilt[g], tolerance[g]), model)
        theta[g, sets, replicates] = model.theta
        distance[g, sets, replicates] = model.distance


def _alone(
    problems: BatchProblems, loss: MarginLoss, requests: Requests, place: tuple[int, int, int]
) -> tuple[FloatArray, float]:
    """Return the single solver's answer in doubles, and its distance with their rounding added."""
    data = problems.data(place[1])
    tilt = requests.tilt[place]
    objective = Objective(data, loss, float(requests.gamma[place]), tilt=(tilt,))
    solution = minimise(objective, float(requests.tolerance[place]) / 2)
    theta = np.array([float(t) for t in solution.theta])
    pairs = zip(solution.theta, theta.tolist(), strict=True)
    moved = sqrt_up(sum(((t - Fraction(d)) ** 2 for t, d in pairs), Fraction(0)))
    return theta, round_up(Fraction(solution.distance_bound) + Fraction(moved))
