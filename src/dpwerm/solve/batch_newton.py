"""Damped Newton in lockstep: θ ← θ − t(∇²F)⁻¹∇F for every replicate of every data set of a block.

F is convex, so its slope along a step grows with t: a step that ends where F still falls, or
rises at most half as fast as it fell at the start, is kept; a longer one is cut where a straight
line puts the zero of the slope. No value of ℓ is ever needed. Problems that are done leave as
soon as they are half of all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.problem.losses.protocol import MarginLoss
from dpwerm.solve.batch_block import Block, curvature
from dpwerm.solve.batch_certificate import Rounding

_ROUNDS = 40
_WINDOW = 1.0
_OVERSHOOT = 0.5
_CHORD = 0.25


@dataclass(frozen=True, eq=False)
class Asked:
    """What is asked of each problem: γ and the tolerance (b, R), and the tilt (b, R, p)."""

    gamma: FloatArray
    tilt: FloatArray
    tolerance: FloatArray

    def only(self, i: int, which: NDArray[np.intp]) -> "Asked":
        """Return some replicates of data set i."""
        return Asked(*(a[i, which][None] for a in (self.gamma, self.tilt, self.tolerance)))


@dataclass(eq=False)
class Model:
    """The data's part of F near θ (b, R, p): its gradient there and a Hessian from nearby.

    The ridge and the tilt are added when a step is made, so one model gives the first step for
    any γ and any tilt. ``distance`` (b, R) is what was certified of θ for the last γ and tilt.
    """

    theta: FloatArray
    slope: FloatArray
    bend: FloatArray
    distance: FloatArray

    def only(self, i: int, which: NDArray[np.intp]) -> "Model":
        """Return some replicates of data set i."""
        whole = (self.theta, self.slope, self.bend, self.distance)
        return Model(*(a[i, which][None] for a in whole))

    def put(self, i: int, which: NDArray[np.intp], other: "Model") -> None:
        """Write some replicates of data set i back."""
        self.theta[i, which] = other.theta[0]
        self.slope[i, which] = other.slope[0]
        self.bend[i, which] = other.bend[0]
        self.distance[i, which] = other.distance[0]


def model_at_zero(block: Block, loss: MarginLoss, replicates: int) -> Model:
    """Return the model at θ = 0, where every margin is 0 and ℓ' one number.

    Its Hessian takes the mean of ℓ'' over margins within 1 of 0: a loss may be straight at 0 and
    bend only where the first step leads.
    """
    ends = loss.derivative(np.array([-_WINDOW, 0.0, _WINDOW]))
    ones = np.ones((len(block.rows), 1, block.n_rows))
    mean = max(0.0, float(ends[2] - ends[0]) / (2 * _WINDOW))
    shape = (len(block.rows), replicates, block.dimension)
    return Model(
        theta=np.zeros(shape),
        slope=np.broadcast_to(ends[1] * block.gradient(ones), shape).copy(),
        bend=np.broadcast_to(mean * block.hessian(ones), (*shape, block.dimension)).copy(),
        distance=np.full(shape[:2], np.inf),
    )


def model_at(block: Block, loss: MarginLoss, theta: FloatArray) -> Model:
    """Return the model at given points θ (b, R, p)."""
    z = block.margins(theta)
    slope = loss.derivative(z)
    bend = block.hessian(curvature(loss, z, slope))
    return Model(theta, block.gradient(slope), bend, np.full(theta.shape[:2], np.inf))


def descend(block: Block, loss: MarginLoss, asked: Asked, model: Model) -> Model:
    """Return the model at points that are certified, but for those that need another method."""
    model = _lockstep(block, loss, asked, model)
    unsolved = ~(model.distance <= asked.tolerance)
    if 2 * np.count_nonzero(unsolved) > unsolved.size:
        return model
    for i in np.flatnonzero(unsolved.any(axis=1)).tolist():
        which = np.flatnonzero(unsolved[i])
        model.put(
            i, which, descend(block.only(i), loss, asked.only(i, which), model.only(i, which))
        )
    return model


def _lockstep(block: Block, loss: MarginLoss, asked: Asked, model: Model) -> Model:
    """Step all problems together until at least half of them are done, or for a while."""
    rounding = Rounding.of(block, loss)
    gamma, tilt, tolerance = asked.gamma[:, :, None], asked.tilt, asked.tolerance
    theta, data, bend = model.theta, model.slope, model.bend
    distance = np.full(asked.gamma.shape, np.inf)
    force = data + gamma * theta + tilt
    size = _size(force)
    step = _newton(bend, gamma, force)
    t = np.ones_like(gamma)
    for _ in range(_ROUNDS):
        trial = theta + t * step
        z = block.margins(trial)
        slopes = loss.derivative(z)
        there = block.gradient(slopes)
        force_there, distance_there = rounding.distance(trial, there, tilt, gamma)
        size_there = _size(force_there)
        first, last = (step * force).sum(axis=-1), (step * force_there).sum(axis=-1)
        good = (last <= -_OVERSHOOT * first) | (2 * size_there <= size)
        moved = np.where(
            distance <= tolerance,
            distance_there < distance,
            good | (distance_there <= tolerance),
        )
        rate = size_there * np.minimum(1, size_there / np.maximum(size, 1e-300))
        if moved.all():
            theta, data, force = trial, there, force_there
            size, distance = size_there, distance_there
        else:
            every = moved[:, :, None]
            theta, data = np.where(every, trial, theta), np.where(every, there, data)
            force = np.where(every, force_there, force)
            size = np.where(moved, size_there, size)
            distance = np.where(moved, distance_there, distance)
        unsolved = ~(distance <= tolerance)
        if 2 * np.count_nonzero(unsolved) <= unsolved.size:
            break
        if np.any(unsolved & moved & (rate > _CHORD * tolerance * asked.gamma)):
            fresh = block.hessian(curvature(loss, z, slopes))
            bend = fresh if moved.all() else np.where(moved[:, :, None, None], fresh, bend)
        step = _newton(bend, gamma, force)
        cut = np.clip(first / (first - last), 0.1, 0.7)
        t = np.where(moved, 1.0, t[:, :, 0] * cut)[:, :, None]
    return Model(theta, data, bend, distance)


def _size(force: FloatArray) -> FloatArray:
    """Return ‖∇F‖₂, about."""
    size: FloatArray = np.sqrt((force * force).sum(axis=-1))
    return size


def _newton(bend: FloatArray, gamma: FloatArray, force: FloatArray) -> FloatArray:
    """Return −(bend + γI)⁻¹ force; where rounding hides γ, eigenvalues are raised to it."""
    p = force.shape[-1]
    matrix = bend + gamma[..., None] * np.eye(p)
    try:
        step = np.linalg.solve(matrix, -force[..., None])
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(np.nan_to_num(matrix))
        turned = vectors.swapaxes(-1, -2) @ force[..., None]
        step = vectors @ (-turned / np.maximum(values, gamma)[..., None])
    return np.asarray(step[..., 0], dtype=np.float64)
