r"""Newton's method in ball arithmetic, for tolerances that doubles cannot reach or prove.

    ∇F(θ) = Σ_i w_i ℓ'(z_i) σ_i ξ_i + γ∇R(θ) + b,      z_i = σ_i ξ_iᵀθ − o_i

Every entry is an interval that contains the true number. Doubles are exact balls, so the only width
comes from the chosen precision, and any error can be made as small as wished by raising it. Balls
are many times slower than doubles: a last resort.

A step is kept if it halves the smallest gradient norm so far, or else if the slope of F along it
lies between half of the first, negative slope and 0. Their number is bounded. Where they do not get
there, as between kinks that almost coincide, the ellipsoid method takes over, which always does:

.. math:: x' = x - \frac{P \tilde g}{p+1}, \quad
          P' = \frac{p^2}{p^2-1}\Bigl(P - \frac{2}{p+1} P \tilde g \tilde g^\top P\Bigr), \quad
          \tilde g = g / \sqrt{g^\top P g}

P' is the smallest ellipsoid around the half of P that holds the minimiser.
Proof that it ends: docs/proofs/solver-certificate.md.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from flint import arb, arb_mat, ctx

from dpwerm.arrays import FloatArray
from dpwerm.exact import fraction_of, precision, round_up
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import Block
from dpwerm.solve.gradient import Solution, solve_positive

_ROWS = 512
_KEEP = 200_000
_EXTRA = 4
_LEAST_BITS = 128
_STEPS = 100
_ROUNDS = 3
_DOUBLINGS = 16
_SOLVES = 8
_GAIN = 16
_FAR = 2.0**300


class _Part(NamedTuple):
    """Rows σ_i ξ_i (n, p), weights w_i and offsets o_i as exact balls; none where all are 0."""

    rows: arb_mat
    weights: list[arb]
    offsets: arb_mat | None

    def weighted(self, theta: list[arb], function: Callable[[arb], arb]) -> arb_mat:
        """Return the row vector of w_i·f(z_i)."""
        z = self.rows * arb_mat([[t] for t in theta])
        if self.offsets is not None:
            z -= self.offsets
        return arb_mat([[w * function(z[i, 0]) for i, w in enumerate(self.weights)]])


class BallObjective:
    """∇F and ∇²F of an objective in the current precision of flint; rows of weight 0 are left out.

    Up to 200,000 numbers are kept as balls; a larger table is turned into balls block by block.
    """

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self._kept: list[_Part] | None = None
        if objective.data.n_rows * objective.data.dimension <= _KEEP:
            blocks = objective.data.map(lambda block: list(self._convert(block)))
            self._kept = [part for block in blocks for part in block]

    def gradient(self, theta: list[arb]) -> list[arb]:
        """Return balls that contain the entries of ∇F(θ)."""
        slope = self.objective.loss.derivative_ball
        total = arb_mat(1, len(theta))
        for pull in self._each(lambda part: part.weighted(theta, slope) * part.rows):
            total += pull
        gamma = arb(self.objective.gamma)
        pulls = self.objective.regularizer.gradient_ball(theta)
        entries = [total[0, j] + gamma * pull for j, pull in enumerate(pulls)]
        for linear_term in self.objective.linear_terms:
            entries = [
                entry + arb(b) for entry, b in zip(entries, linear_term.tolist(), strict=True)
            ]
        return entries

    def hessian(self, theta: list[arb], step: arb) -> arb_mat:
        """Return about ∇²F(θ), with ℓ'' as a central difference of ℓ' over ±``step``."""
        slope = self.objective.loss.derivative_ball

        def curvature(z: arb) -> arb:
            return max(arb(0), ((slope(z + step) - slope(z - step)) / (2 * step)).mid())

        def gram(part: _Part) -> arb_mat:
            bends, rows = part.weighted(theta, curvature), part.rows
            scaled = arb_mat(
                [[bends[0, i] * rows[i, j] for j in range(len(theta))] for i in range(rows.nrows())]
            )
            return rows.transpose() * scaled

        near = np.array([float(t) for t in theta])
        total = arb_mat((self.objective.gamma * self.objective.regularizer.hessian(near)).tolist())
        for found in self._each(gram):
            total += found
        return total.mid()

    def _each(self, function: Callable[[_Part], arb_mat]) -> Iterator[arb_mat]:
        """Yield a function of a few hundred rows after the other."""
        if self._kept is not None:
            yield from map(function, self._kept)
            return
        for found in self.objective.data.map(
            lambda block: [function(part) for part in self._convert(block)]
        ):
            yield from found

    def _convert(self, block: Block) -> Iterator[_Part]:
        """Yield the rows, weights and offsets of a block, a few hundred rows at a time."""
        residual = self.objective.residual
        for start in range(0, block.n_rows, _ROWS):
            part = block.pick(slice(start, start + _ROWS))
            used = np.flatnonzero(part.weights)
            if len(used) == 0:
                continue
            rows, targets = part.design()[used], part.targets[used, None]
            yield _Part(
                rows=arb_mat((rows if residual else rows * targets).tolist()),
                weights=[arb(w) for w in part.weights[used].tolist()],
                offsets=arb_mat(targets.tolist()) if residual else None,
            )


class _Point(NamedTuple):
    """θ as exact balls, ∇F(θ) as balls, and the ball of ‖∇F(θ)‖₂."""

    theta: list[arb]
    gradient: list[arb]
    norm: arb


def finish(objective: Objective, theta: FloatArray, tolerance: float) -> Solution:
    """Return a certified point, starting from the doubles θ, in as many bits as it takes.

    Where Newton's steps do not get there in three rounds, the ellipsoid method does. After it, only
    the precision that shows this can be missing.
    """
    balls = BallObjective(objective)
    start = theta.tolist() if np.all(np.abs(theta) < _FAR) else [0.0] * len(theta)
    exact = [arb(t) for t in start]
    bits = _first_bits(objective, start, tolerance)
    rounds, doublings, shrunk = 0, 0, False
    while True:
        with precision(bits):
            target = arb(tolerance) * arb(objective.gamma)
            if not shrunk and (rounds == _ROUNDS or doublings == _DOUBLINGS):
                exact, shrunk = shrink(balls, exact, target / 2, bits), True
            point = _point(balls, exact) if shrunk else _descend(balls, exact, target)
            if point.norm.upper() <= target:
                # The bound is rounded up, but never past the proven tolerance.
                distance = round_up(fraction_of((point.norm / arb(objective.gamma)).upper()))
                proven = tuple(map(fraction_of, point.theta))
                return Solution(proven, distance_bound=min(tolerance, distance), bits=bits)
            exact = point.theta
            resolved = bool(4 * point.norm.rad() <= target)
        if resolved and not shrunk:
            rounds += 1
        else:
            bits, doublings = 2 * bits, doublings + 1


def _first_bits(objective: Objective, theta: list[float], tolerance: float) -> int:
    """Return bits that probably resolve ∇F to a fraction of τγ; a wrong guess only costs time."""
    data, loss = objective.data, objective.loss
    widest = data.column_bounds.max(initial=0.0)
    furthest = max(map(abs, theta), default=0.0)
    bend = _log2(loss.smoothness) + _log2(data.dimension) + _log2(widest) + _log2(furthest)
    slope = max(_log2(loss.lipschitz), bend)
    if objective.residual:
        target = max(data.map(lambda block: float(np.abs(block.targets).max())), default=0.0)
        slope = max(slope, _log2(loss.smoothness) + _log2(target))
    weight = max(data.map(lambda block: float(block.weights.max())), default=0.0)
    rows = _log2(data.n_rows) + _log2(weight) + _log2(widest) + slope
    linear_term = max(
        (float(np.abs(part).max(initial=0.0)) for part in objective.linear_terms), default=0.0
    )
    size = max(rows, _log2(objective.gamma) + _log2(furthest), _log2(linear_term))
    return max(_LEAST_BITS, 64 + math.ceil(size - _log2(tolerance) - _log2(objective.gamma)))


def _log2(size: float) -> float:
    """Return log₂ of a size, with 0 taken as the smallest double."""
    return math.log2(max(size, 5e-324))


def _descend(balls: BallObjective, theta: list[arb], target: arb) -> _Point:
    """Step until the target is proven, or the precision is too low to tell, or for a while.

    Full steps with the Hessian in doubles come first: near the minimiser they gain many digits
    each and cost little. Once one of them gains too little, the Hessian too is made of balls.
    """
    here = _point(balls, theta)
    best, window, quick = here.norm, _narrowest(), True
    for _ in range(_STEPS):
        if here.norm.upper() <= target or not 4 * here.norm.rad() <= target:
            break
        if quick:
            there = _full_step(balls, here)
            quick = bool(_GAIN * there.norm <= best)
        if not quick:
            there = _step(balls, here, best, window)
            window = _window(balls, here, there)
        here, best = there, min(best, there.norm)
    return here


def _full_step(balls: BallObjective, here: _Point) -> _Point:
    """Return the point after a full step with the Hessian in doubles."""
    objective = balls.objective
    with np.errstate(all="ignore"):
        near = np.array([float(t) for t in here.theta])
        hessian = objective.evaluate(near).hessian
        scale = here.norm.mid()
        gradient = np.array([float(g.mid() / scale) for g in here.gradient])
        step = solve_positive(hessian, gradient, objective.gamma)
    if not np.all(np.isfinite(step)):
        return here
    moves = zip(here.theta, step.tolist(), strict=True)
    return _point(balls, [(t - scale * arb(d)).mid() for t, d in moves])


def _step(balls: BallObjective, here: _Point, best: arb, window: arb) -> _Point:
    """Return the next point: along Newton's direction, as far as the slope of F asks for.

    The slope along the direction grows with t, so a t at which it has the wanted size is found
    by interpolating and halving in turn. Where rounding hides it, the step is not taken.
    """
    direction = _direction(balls, here, window)
    first = _dot(here.gradient, direction).mid()
    if not first < 0:
        direction = [-g.mid() for g in here.gradient]
        first = _dot(here.gradient, direction).mid()
    low, at_low = arb(0), first
    high, at_high = None, arb(0)
    t, halve = arb(1), False
    for _ in range(4 * ctx.prec):
        moved = [(a + t * d).mid() for a, d in zip(here.theta, direction, strict=True)]
        there = _point(balls, moved)
        slope = _dot(there.gradient, direction).mid()
        if 2 * there.norm <= best or first <= 2 * slope <= 0:
            return there
        if slope < 0:
            low, at_low = t, slope
        else:
            high, at_high = t, slope
        if high is None:
            t = 2 * t
        elif 2 ** (ctx.prec // 2) * (high - low) <= high:
            return there
        else:
            share = arb(0.5) if halve else ((first / 4 - at_low) / (at_high - at_low)).mid()
            t, halve = (low + share * (high - low)).mid(), not halve
    return here


def _direction(balls: BallObjective, here: _Point, window: arb) -> list[arb]:
    """Return −(∇²F)⁻¹∇F in enough extra bits for an ill-conditioned Hessian.

    A sum that rounding left singular has no inverse in any precision: then −∇F.
    """
    gradient = arb_mat([[g.mid()] for g in here.gradient])
    hessian = balls.hessian(here.theta, window)
    extra = ctx.prec
    for _ in range(_SOLVES):
        with precision(ctx.prec + extra):
            try:
                return [-entry.mid() for entry in hessian.solve(gradient).entries()]
            except ZeroDivisionError:
                extra *= 2
    return [-g.mid() for g in here.gradient]


def _window(balls: BallObjective, here: _Point, there: _Point) -> arb:
    """Return half the most that the last step can have moved a margin, at most 1."""
    bounds = balls.objective.data.column_bounds.tolist()
    moves = zip(bounds, here.theta, there.theta, strict=True)
    reach = sum((arb(s) * abs(b - a) for s, a, b in moves), arb(0)).mid()
    return max(_narrowest(), min(arb(1), reach / 2).mid())


def _narrowest() -> arb:
    """Return the window that balances the two errors of a difference quotient."""
    return arb(2) ** (-ctx.prec // 3)


def _point(balls: BallObjective, theta: list[arb]) -> _Point:
    """Return θ with its gradient and gradient norm."""
    gradient = balls.gradient(theta)
    return _Point(theta, gradient, _dot(gradient, gradient).nonnegative_part().sqrt())


def _dot(a: list[arb], b: list[arb]) -> arb:
    """Return aᵀb."""
    return sum((x * y for x, y in zip(a, b, strict=True)), arb(0))


def shrink(balls: BallObjective, theta: list[arb], target: arb, bits: int) -> list[arb]:
    """Return a point with ‖∇F‖₂ ≤ target, in as many bits as it takes, from the exact balls θ.

    ``bits`` is a precision that resolves the gradient near the minimiser.
    """
    bits *= _EXTRA
    while True:
        with precision(bits):
            found = _halve(balls, theta, target)
        if found is not None:
            return found
        bits *= 2


def _halve(balls: BallObjective, theta: list[arb], target: arb) -> list[arb] | None:
    """Return a point that meets the target, or None if the precision is too low.

    The number of steps is bounded by the precision, as it is by the logarithm of the condition.
    """
    p = len(theta)
    x = arb_mat([[t] for t in theta])
    gradient, norm = _column(balls, x)
    radius = (norm / arb(balls.objective.gamma)).upper()
    P = arb_mat([[radius * radius if i == j else arb(0) for j in range(p)] for i in range(p)])
    # More than all that rounding can take away from the ellipsoid in one step.
    swell = 1 + arb(2) ** (-ctx.prec // 2)
    for _ in range(4 * (p + 1) ** 2 * ctx.prec):
        if norm.upper() <= target:
            return x.entries()
        image = (P * gradient).mid()
        length = (gradient.transpose() * image)[0, 0]
        widest = sum((P[j, j] for j in range(p)), arb(0))
        if not length > arb(2) ** (-ctx.prec // 2) * norm * norm * widest:
            return None
        cut = (image * (1 / length.sqrt())).mid()
        if p == 1:
            x, P = (x - cut * arb(0.5)).mid(), (P * (swell / 4)).mid()
        else:
            x = (x - cut * (1 / arb(p + 1))).mid()
            grown = swell * arb(p * p) / (p * p - 1)
            P = ((P - cut * cut.transpose() * (arb(2) / (p + 1))) * grown).mid()
        gradient, norm = _column(balls, x)
    return None


def _column(balls: BallObjective, x: arb_mat) -> tuple[arb_mat, arb]:
    """Return the middle of ∇F as a column, and the ball of its norm."""
    there = _point(balls, x.entries())
    return arb_mat([[g.mid()] for g in there.gradient]), there.norm
