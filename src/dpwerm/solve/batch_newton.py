"""Damped Newton in lockstep: θ ← θ − t(∇²F)⁻¹∇F for every replicate of every data set of a block.

F is convex, so its slope along a step grows with t: a step that ends where F still falls, or
rises at most half as fast as it fell at the start, is kept; a longer one is cut to about where a
straight line puts the zero of the slope. No value of ℓ is ever needed. Once few problems are left,
each data set goes on alone with the replicates that still need it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.problem.losses.protocol import MarginLoss
from dpwerm.solve.batch_block import Block
from dpwerm.solve.batch_certificate import Rounding
from dpwerm.solve.batch_curvature import curvature

_ROUNDS = 45
_FEW = 5
_OVERSHOOT = 0.5
_SHORTEST, _LONGEST = 0.33, 0.6
_CHORD = 0.25
_ZERO_WINDOW = 1.0


@dataclass(frozen=True, eq=False)
class Goal:
    """What is asked of each problem: γ and the tolerance (b, R), and the tilt (b, R, p)."""

    gamma: FloatArray
    tilt: FloatArray
    tolerance: FloatArray

    def only(self, i: int, which: NDArray[np.intp]) -> "Goal":
        """Return some replicates of data set i."""
        return Goal(*(a[i, which][None] for a in (self.gamma, self.tilt, self.tolerance)))


@dataclass(frozen=True, eq=False)
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
        return Model(*(a[i, which][None] for a in self.arrays))

    def repeat(self, replicates: int) -> "Model":
        """Return the model of one replicate per data set as that of many."""
        return Model(*(np.repeat(a, replicates, axis=1) for a in self.arrays))

    def put(self, i: int, which: NDArray[np.intp], other: "Model") -> None:
        """Write some replicates of data set i back."""
        for mine, theirs in zip(self.arrays, other.arrays, strict=True):
            mine[i, which] = theirs[0]

    @property
    def arrays(self) -> tuple[FloatArray, ...]:
        """All four."""
        return self.theta, self.slope, self.bend, self.distance


def model_at_zero(block: Block, loss: MarginLoss) -> Model:
    """Return the model at θ = 0, where every margin is 0 and ℓ' one number, for R = 1.

    Its Hessian takes the mean of ℓ'' over margins within 1 of 0: a loss may be straight at 0 and
    bend only where the first step leads.
    """
    low, middle, high = loss.derivative(np.array([-_ZERO_WINDOW, 0.0, _ZERO_WINDOW])).tolist()
    ones = np.ones((len(block.rows), 1, block.n_rows))
    mean = max(0.0, (high - low) / (2 * _ZERO_WINDOW))
    return Model(
        theta=np.zeros((len(ones), 1, block.dimension)),
        slope=middle * block.gradient(ones),
        bend=mean * block.hessian(ones),
        distance=np.full((len(ones), 1), np.inf),
    )


def model_at(block: Block, loss: MarginLoss, theta: FloatArray) -> Model:
    """Return the model at given points θ (b, R, p)."""
    z = block.margins(theta)
    slope = loss.derivative(z)
    bend = block.hessian(curvature(loss, z, slope))
    return Model(theta, block.gradient(slope), bend, np.full(theta.shape[:2], np.inf))


def descend(block: Block, loss: MarginLoss, asked: Goal, model: Model) -> Model:
    """Return the model at points that are certified, but for those that need another method."""
    rounding = Rounding.of(block, loss)
    model = _lockstep(block, loss, asked, model, rounding)
    waiting = ~(model.distance <= asked.tolerance) & rounding.permits(asked.tolerance * asked.gamma)
    if _FEW * np.count_nonzero(waiting) > waiting.size:
        return model
    for i in np.flatnonzero(waiting.any(axis=1)).tolist():
        which = np.flatnonzero(waiting[i])
        rest = descend(block.only(i), loss, asked.only(i, which), model.only(i, which))
        model.put(i, which, rest)
    return model


@dataclass(eq=False)
class _Points:
    """Where the problems are: θ, Σ w ℓ' a and ∇F there, ‖∇F‖², and the certified distance."""

    theta: FloatArray
    data: FloatArray
    force: FloatArray
    square: FloatArray
    distance: FloatArray

    def move(self, there: "_Points", moved: NDArray[np.bool_]) -> "_Points":
        """Return these points with those that moved replaced."""
        if np.count_nonzero(moved) == moved.size:
            return there
        every = moved[:, :, None]
        return _Points(
            theta=np.where(every, there.theta, self.theta),
            data=np.where(every, there.data, self.data),
            force=np.where(every, there.force, self.force),
            square=np.where(moved, there.square, self.square),
            distance=np.where(moved, there.distance, self.distance),
        )


@np.errstate(all="ignore")
def _lockstep(
    block: Block, loss: MarginLoss, asked: Goal, model: Model, rounding: Rounding
) -> Model:
    """Step all problems together until only few of them are left, or for a while.

    Where the last step shrank ∇F so much that the next one will do even with the Hessian of
    before, that Hessian is kept.
    """
    gamma, tilt, tolerance = asked.gamma[:, :, None], asked.tilt, asked.tolerance
    target = tolerance * asked.gamma
    hopeless = ~rounding.permits(target)
    near, soon = target * target, (_CHORD * target) ** 2
    far = np.full(target.shape, np.inf)
    bend, ridge = model.bend, gamma[..., None] * np.eye(block.dimension)
    force = model.slope + gamma * model.theta + tilt
    here = _Points(model.theta, model.slope, force, np.vecdot(force, force), far)
    step = _newton(bend + ridge, force, gamma)
    t, hop, first = np.ones_like(target), step, np.vecdot(step, force)
    for _ in range(_ROUNDS):
        trial = here.theta + hop
        z = block.margins(trial)
        slopes = loss.derivative(z)
        data = block.gradient(slopes)
        force = gamma * trial
        force += data
        force += tilt
        square, last = np.vecdot(force, force), np.vecdot(step, force)
        moved = (last <= -_OVERSHOOT * first) | (4 * square <= here.square)
        chord = square * square <= soon * here.square
        closed = far
        if np.count_nonzero(square <= near):
            closed = rounding.distance(trial, data, tilt, gamma)
            moved |= closed <= tolerance
        moved &= (closed <= here.distance) | ~(here.distance <= tolerance)
        here = here.move(_Points(trial, data, force, square, closed), moved)
        waiting = ~((here.distance <= tolerance) | hopeless)
        if _FEW * np.count_nonzero(waiting) <= waiting.size:
            break
        still = np.count_nonzero(moved) < moved.size
        if np.count_nonzero(waiting & moved & ~chord):
            fresh = block.hessian(curvature(loss, z, slopes, block.reach(hop)))
            bend = np.where(moved[:, :, None, None], fresh, bend) if still else fresh
        step = _newton(bend + ridge, here.force, gamma)
        if still:
            cut = np.minimum(np.maximum(first / (first - last), _SHORTEST), _LONGEST)
            t = np.where(moved, 1.0, t * cut)
            hop = t[:, :, None] * step
        else:
            t, hop = np.ones_like(target), step
        first = np.vecdot(step, here.force)
    return Model(here.theta, here.data, bend, here.distance)


def _newton(matrix: FloatArray, force: FloatArray, gamma: FloatArray) -> FloatArray:
    """Return −matrix⁻¹ force; where rounding hides matrix ⪰ γI, eigenvalues are raised to γ."""
    try:
        step = np.linalg.solve(matrix, -force[..., None])
    except np.linalg.LinAlgError:
        values, vectors = np.linalg.eigh(np.nan_to_num(matrix))
        turned = vectors.swapaxes(-1, -2) @ force[..., None]
        step = vectors @ (-turned / np.maximum(values, gamma)[..., None])
    return np.asarray(step[..., 0], dtype=np.float64)
