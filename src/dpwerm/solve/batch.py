"""Thousands of small problems at once: stacked data sets, many linear terms each, and paths of γ.

    F(θ) = Σ_i w_i ℓ(z_i) + ½γθᵀMθ + bᵀθ

for every data set, every γ and every linear term b. It is the objective of
dpwerm.objective.objective with a quadratic penalty, M = I by default, and each answer carries the
same kind of proven distance to the minimiser. Data sets are taken a few at a time, so that they
stay in the processor's cache for every step, γ and linear term.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.exact import round_up, sqrt_up
from dpwerm.objective.losses import Loss, form_of
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Regularizer, Ridge, checked_matrix
from dpwerm.solve.batch_newton import Goal, Model, descend, model_at_zero
from dpwerm.solve.batch_problems import BatchProblems, Block, Requests, Room, numbers_kept
from dpwerm.solve.newton import minimise

_AT_ONCE = 2**20  # doubles kept for the data sets worked on at once: 8 MB, to stay in cache
_PASSING = 2**17  # arguments of ℓ computed at once: 1 MB, for the same reason
_MANY = 5  # from this many replicates on, finding their middle first pays off
_ROUGH = 0.01  # how near that middle, as a share of what one row of weight 1 can do
_RIDGE = Ridge()


class BatchSolution(NamedTuple):
    """Points θ (…, p) with ‖θ − argmin F‖₂ ≤ ``distance`` (…), both as sensitive as the data.

    ``distance`` is at most the tolerance asked for, unless no double is that near.
    """

    theta: FloatArray
    distance: FloatArray


def minimise_batch(
    problems: BatchProblems,
    loss: Loss,
    gamma: ArrayLike,
    *,
    linear_term: ArrayLike | None = None,
    tolerance: ArrayLike,
    regularizer: Regularizer = _RIDGE,
) -> BatchSolution:
    """Return a point proven to lie within ``tolerance`` of argmin F for every problem.

    If ``gamma`` or ``tolerance`` has two axes, or ``linear_term`` three, there are R replicates per
    data set and θ has shape (B, R, p); otherwise it has shape (B, p). An axis of length 1 is
    repeated as needed. γ in [1e-12, 1e12] and the tolerance τ > 0, a distance in θ, are numbers or
    arrays (B,) or (B, R). The linear term b is an array (B, p) or (B, R, p), 0 if left out. The
    regularizer is quadratic.
    """
    gammas, near = np.asarray(gamma)[None], np.asarray(tolerance)[None]
    linear_terms = None if linear_term is None else np.asarray(linear_term)[None]
    path = _solve(problems, loss, Requests.of(problems, gammas, near, linear_terms), regularizer)
    return BatchSolution(path.theta[0], path.distance[0])


def minimise_path(
    problems: BatchProblems,
    loss: Loss,
    gammas: ArrayLike,
    *,
    linear_terms: ArrayLike | None = None,
    tolerance: ArrayLike,
    regularizer: Regularizer = _RIDGE,
) -> BatchSolution:
    """Return θ (G, B, p) or (G, B, R, p) for one γ after the other, each started from the last.

    Neighbouring γ should be near each other, in either order. ``gammas`` has the shape (G,), (G, B)
    or (G, B, R), ``linear_terms`` (G, B, p) or (G, B, R, p); the rest is as in ``minimise_batch``.
    """
    if np.ndim(gammas) == 0:
        raise ParameterError("gammas must be a sequence")
    return _solve(
        problems, loss, Requests.of(problems, gammas, tolerance, linear_terms), regularizer
    )


def _solve(
    problems: BatchProblems, loss: Loss, requests: Requests, regularizer: Regularizer
) -> BatchSolution:
    """Solve every problem, part by part, and what remains one by one."""
    form, n, p = form_of(loss), problems.n_rows, problems.dimension
    if form == "margin" and not problems.signed:
        raise ParameterError("targets must hold -1 and +1 only")
    matrix = checked_matrix(regularizer, p)
    if matrix is None:
        raise ParameterError(f"regularizer {regularizer.name} is not quadratic")
    if type(regularizer) is Ridge:
        matrix = None
    shape = requests.gamma.shape
    theta, distance = np.empty((*shape, p)), np.empty(shape)
    replicates = max(1, min(shape[2], _PASSING // max(1, n)))
    sets = min(_AT_ONCE // numbers_kept(n, p, replicates), _PASSING // max(1, n * replicates))
    sets = max(1, min(sets, problems.n_sets))
    room = Room(sets, n, p, replicates)
    for b in range(0, shape[1], sets):
        block = room.fill(problems, slice(b, b + sets), form)
        for r in range(0, shape[2], replicates):
            part = (slice(None), slice(b, b + sets), slice(r, r + replicates))
            theta[part], distance[part] = _walk(block, loss, requests.part(part), matrix)
    for g, b, r in np.argwhere(~(distance <= requests.tolerance)).tolist():
        place = g, b, r
        theta[place], distance[place] = _alone(problems, loss, requests, place, regularizer)
    one = slice(None) if requests.replicated else 0
    return BatchSolution(theta[:, :, one], distance[:, :, one])


def _walk(
    block: Block, loss: Loss, requests: Requests, matrix: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return θ and its distance along the whole path of γ, each point started from the last."""
    theta, distance = np.empty_like(requests.linear_term), np.empty_like(requests.gamma)
    model = _common_start(block, loss, requests, matrix)
    for g, gamma in enumerate(requests.gamma):
        asked = Goal(gamma, requests.linear_term[g], requests.tolerance[g], matrix)
        model = descend(block, loss, asked, model)
        theta[g], distance[g] = model.theta, model.distance
    return theta, distance


def _common_start(block: Block, loss: Loss, requests: Requests, matrix: FloatArray | None) -> Model:
    """Return the model at 0, or at the middle of the replicates if there are many.

    The middle has the mean γ and the mean linear term. It costs one replicate more and spares each
    of them the way from 0.
    """
    model = model_at_zero(block, loss)
    replicates = requests.gamma.shape[2]
    if replicates >= _MANY:
        gamma = requests.gamma[0].mean(axis=1, keepdims=True)
        linear_term = requests.linear_term[0].mean(axis=1, keepdims=True)
        rough = block.bounds.max(axis=1, keepdims=True, initial=0.0) * loss.lipschitz / gamma
        model = descend(block, loss, Goal(gamma, linear_term, _ROUGH * rough, matrix), model)
    return model.repeat(replicates)


def _alone(
    problems: BatchProblems,
    loss: Loss,
    requests: Requests,
    place: tuple[int, int, int],
    regularizer: Regularizer,
) -> tuple[FloatArray, float]:
    """Return the single solver's answer in doubles, and its distance with their rounding added."""
    data, gamma = problems.data(place[1]), float(requests.gamma[place])
    objective = Objective(data, loss, gamma, regularizer, (requests.linear_term[place],))
    solution = minimise(objective, float(requests.tolerance[place]) / 2)
    theta = np.array([float(t) for t in solution.theta])
    pairs = zip(solution.theta, theta.tolist(), strict=True)
    moved = sqrt_up(sum(((t - Fraction(d)) ** 2 for t, d in pairs), Fraction(0)))
    return theta, round_up(Fraction(solution.distance_bound) + Fraction(moved))
