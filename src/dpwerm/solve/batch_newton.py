"""Damped Newton in lockstep: θ ← θ − t(∇²F)⁻¹∇F for every replicate of every data set of a block.

F is convex, so its slope along a step grows with t: a step that ends where F still falls, or rises
at most half as fast as it fell at the start, is kept; a longer one is cut to about where a straight
line puts the zero of the slope. No value of ℓ is ever needed. Once few problems are left, each data
set goes on alone with the replicates that still need it.

Each point carries the certificate of docs/proofs/solver-certificate.md,

    ‖θ − argmin F‖ ≤ (‖computed gradient‖ + ‖E‖)/γ,

E_j being a bound on the rounding error of coordinate j. Sums run over all n rows in one go, so n
stands where the single solver has the length of its blocks, and Σ w (L + e_ℓ) bounds Σ w |ℓ'|.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.exact import ETA, SLACK, U, growth
from dpwerm.objective.losses import Loss, mean_curvature
from dpwerm.solve.batch_problems import Block

_SHARE = 0.5
_TURN = 0.75
_ROUNDS = 45
_FEW = 5
_OVERSHOOT = 0.5
_SHORTEST, _LONGEST = 0.33, 0.6
_CHORD = 0.25
_ZERO_WINDOW = 1.0


def curvature(
    loss: Loss, z: FloatArray, slope: FloatArray, reach: FloatArray | None = None
) -> FloatArray:
    """Return ℓ''(z), or its mean over a window while steps are long, shape (b, R, n).

    The window b is half of ``reach`` (b, R), the most that z of each problem has just moved; 0 if
    left out. Where ℓ' can change by more than ¾L within b, ℓ''(z) says little about the next step;
    the mean also sees the bends that it will meet. ``slope`` is ℓ'(z): a loss may have a method
    ``curvature_at_slope``, ℓ'' as a function of ℓ', which is quicker than ``second_derivative``.
    """
    from_slope = getattr(loss, "curvature_at_slope", None)
    bend: FloatArray = loss.second_derivative(z) if from_slope is None else from_slope(slope)
    if reach is not None:
        wide = _SHARE * reach > _TURN * loss.lipschitz / loss.smoothness
        if np.count_nonzero(wide):
            bend[wide] = mean_curvature(loss, z[wide], _SHARE * reach[wide, None])
    return bend


@dataclass(frozen=True, eq=False)
class Rounding:
    """What the rounding error of one block's gradients needs to know before θ is known.

    E_j = ``fixed_j`` + ``per_margin_j``·Σ_k s_k|θ_k| + 4u·(sizes of the terms added last), and the
    error of Mθ if R is not the ridge.
    """

    bounds: FloatArray
    fixed: FloatArray
    per_margin: FloatArray
    inflate: float

    @classmethod
    def of(cls, block: Block, loss: Loss) -> "Rounding":
        """Return the constants of a block (b, 1, p) under a loss."""
        n, p = block.n_rows, block.dimension
        bounds = block.bounds[:, None, :]
        weight = block.weight[:, :, None] / (1 - 2 * (n + 1) * U)
        slope = loss.lipschitz + loss.derivative_error
        slip = loss.smoothness * 4 * (p + 1) * ETA + loss.derivative_error
        tiny = 4 * (n + 1) * (1 + slope) * ETA
        rows = weight * (slip + growth(n + 3) * slope) + tiny
        # A score has p + 1 roundings, and a residual is one more of the score and of its target.
        residual = block.offsets is not None
        if residual:
            offset = block.offset[:, :, None] / (1 - 2 * (n + 1) * U)
            rows += loss.smoothness * growth(1) * offset
        return cls(
            bounds=bounds,
            fixed=bounds * rows + tiny,
            per_margin=bounds * (weight * loss.smoothness * growth(p + 1 + int(residual))),
            inflate=SLACK + p * U,
        )

    def only(self, i: int) -> "Rounding":
        """Return the constants of data set i."""
        part = slice(i, i + 1)
        return Rounding(self.bounds[part], self.fixed[part], self.per_margin[part], self.inflate)

    def permits(self, target: FloatArray) -> NDArray[np.bool_]:
        """Say whether the error that no θ escapes leaves room for ‖∇F‖ ≤ ``target`` (b, R)."""
        return np.asarray(self.fixed.max(axis=-1, initial=0.0) < target)

    def distance(self, theta: FloatArray, data: FloatArray, asked: "Goal") -> FloatArray:
        """Return the certified distance (b, R) of θ from the minimiser.

        ``data`` (b, R, p) is the computed Σ w ℓ' a at θ. ∇F is computed as (γMθ + data) + b.
        """
        gamma, linear_term = asked.gamma[:, :, None], asked.linear_term
        pull = asked.pull(theta)
        entries = pull + data
        entries += linear_term
        entries = np.abs(entries)
        entries += self.fixed
        entries += self.per_margin * np.vecdot(np.abs(theta), self.bounds)[:, :, None]
        entries += 4 * U * (np.abs(data) + np.abs(pull) + np.abs(linear_term))
        if asked.matrix is not None:
            p = theta.shape[-1]
            entries += gamma * (growth(p + 1) * (np.abs(theta) @ np.abs(asked.matrix)))
            entries += 4 * (p + 1) * (1 + gamma) * ETA
        largest = entries.max(axis=-1, initial=ETA)
        entries /= largest[:, :, None]
        norm = np.sqrt(np.vecdot(entries, entries)) * largest
        norm *= self.inflate * self.inflate * SLACK
        norm /= gamma[:, :, 0]
        return np.asarray(np.nextafter(norm, np.inf))


class Goal(NamedTuple):
    """What is asked of each problem: γ and the tolerance (b, R), and the linear term (b, R, p).

    ``matrix`` (p, p) is M of the penalty ½γθᵀMθ, None for the identity.
    """

    gamma: FloatArray
    linear_term: FloatArray
    tolerance: FloatArray
    matrix: FloatArray | None = None

    def only(self, i: int, which: NDArray[np.intp]) -> "Goal":
        """Return some replicates of data set i."""
        gamma, linear_term, tolerance = (a[i, which][None] for a in self[:3])
        return Goal(gamma, linear_term, tolerance, self.matrix)

    def pull(self, theta: FloatArray) -> FloatArray:
        """Return γMθ (b, R, p), the gradient of the penalty."""
        gamma = self.gamma[:, :, None]
        return gamma * theta if self.matrix is None else gamma * (theta @ self.matrix)


class Model(NamedTuple):
    """The data's part of F near θ (b, R, p): its gradient there and a Hessian from nearby.

    The penalty and the linear term are added when a step is made, so one model gives the first step
    for any γ and any linear term. ``distance`` (b, R) is what was certified of θ for the last ones.
    """

    theta: FloatArray
    slope: FloatArray
    bend: FloatArray
    distance: FloatArray

    def only(self, i: int, which: NDArray[np.intp]) -> "Model":
        """Return some replicates of data set i."""
        return Model(*(a[i, which][None] for a in self))

    def repeat(self, replicates: int) -> "Model":
        """Return the model of one replicate per data set as that of many."""
        return Model(*(np.repeat(a, replicates, axis=1) for a in self))

    def put(self, i: int, which: NDArray[np.intp], other: "Model") -> None:
        """Write some replicates of data set i back."""
        for mine, theirs in zip(self, other, strict=True):
            mine[i, which] = theirs[0]


def model_at_zero(block: Block, loss: Loss) -> Model:
    """Return the model at θ = 0, where z = −o: 0 and ℓ' one number under a margin loss; R = 1.

    Its Hessian takes the mean of ℓ'' over all within 1 of z: a loss may be straight there and bend
    only where the first step leads.
    """
    theta = np.zeros((len(block.rows), 1, block.dimension))
    if block.offsets is None:
        low, middle, high = loss.derivative(np.array([-_ZERO_WINDOW, 0.0, _ZERO_WINDOW])).tolist()
        ones = np.ones((len(theta), 1, block.n_rows))
        slope = middle * block.gradient(ones)
        bend = max(0.0, (high - low) / (2 * _ZERO_WINDOW)) * block.hessian(ones)
    else:
        z = block.arguments(theta)
        slope = block.gradient(loss.derivative(z))
        bend = block.hessian(mean_curvature(loss, z, _ZERO_WINDOW))
    return Model(theta, slope, bend, np.full(theta.shape[:2], np.inf))


def descend(
    block: Block, loss: Loss, asked: Goal, model: Model, rounding: Rounding | None = None
) -> Model:
    """Return the model at points that are certified, but for those that need another method."""
    rounding = rounding or Rounding.of(block, loss)
    model = _lockstep(block, loss, asked, model, rounding)
    waiting = ~(model.distance <= asked.tolerance) & rounding.permits(asked.tolerance * asked.gamma)
    if _FEW * np.count_nonzero(waiting) > waiting.size:
        return model
    for i in np.flatnonzero(waiting.any(axis=1)).tolist():
        which = np.flatnonzero(waiting[i])
        own, start, errors = asked.only(i, which), model.only(i, which), rounding.only(i)
        model.put(i, which, descend(block.only(i), loss, own, start, errors))
    return model


class _Points(NamedTuple):
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
            np.where(every, there.theta, self.theta),
            np.where(every, there.data, self.data),
            np.where(every, there.force, self.force),
            np.where(moved, there.square, self.square),
            np.where(moved, there.distance, self.distance),
        )


@np.errstate(all="ignore")
def _lockstep(block: Block, loss: Loss, asked: Goal, model: Model, rounding: Rounding) -> Model:
    """Step all problems together until only few of them are left, or for a while.

    Where the last step shrank ∇F so much that the next one will do even with the Hessian of
    before, that Hessian is kept.
    """
    gamma, linear_term, tolerance = asked.gamma[:, :, None], asked.linear_term, asked.tolerance
    target = tolerance * asked.gamma
    hopeless = ~rounding.permits(target)
    near, soon = target * target, (_CHORD * target) ** 2
    far = np.full(target.shape, np.inf)
    matrix = np.eye(block.dimension) if asked.matrix is None else asked.matrix
    bend, ridge = model.bend, asked.gamma[:, :, None, None] * matrix
    force = model.slope + asked.pull(model.theta) + linear_term
    here = _Points(model.theta, model.slope, force, np.vecdot(force, force), far)
    step = _newton(bend + ridge, force, gamma)
    t, hop, first = np.ones_like(target), step, np.vecdot(step, force)
    for _ in range(_ROUNDS):
        trial = here.theta + hop
        z = block.arguments(trial)
        slopes = loss.derivative(z)
        data = block.gradient(slopes)
        force = asked.pull(trial)
        force += data
        force += linear_term
        square, last = np.vecdot(force, force), np.vecdot(step, force)
        moved = (last <= -_OVERSHOOT * first) | (4 * square <= here.square)
        chord = square * square <= soon * here.square
        closed = far
        if np.count_nonzero(square <= near):
            closed = rounding.distance(trial, data, asked)
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
