"""Newton's method in ball arithmetic, for tolerances that doubles cannot reach or prove.

A step is kept if it halves the smallest gradient norm so far, or else if the slope of F along it
lies between half of the first, negative slope and 0. The second kind lowers F by at least
(γ/4Λ²)‖∇F‖², Λ being the Lipschitz constant of ∇F, and always exists; so the steps converge, at
every precision that resolves the gradient, and the precision doubles until it does. Between kinks
that almost coincide they can converge too slowly to wait for; the ellipsoid method then takes over,
whose number of steps does not depend on the condition of F.
"""

import math
from dataclasses import dataclass

import numpy as np
from flint import arb, arb_mat, ctx

from dpwerm.arrays import FloatArray
from dpwerm.exact import fraction_of, precision, round_up
from dpwerm.objective.objective import Objective
from dpwerm.solve.balls import BallObjective, shrink
from dpwerm.solve.certificate import Solution, solve_positive

_LEAST_BITS = 128
_STEPS = 100
_ROUNDS = 3
_GAIN = 16
_FAR = 2.0**300


@dataclass(frozen=True)
class _Point:
    """θ as exact balls, ∇F(θ) as balls, and the ball of ‖∇F(θ)‖₂."""

    theta: list[arb]
    gradient: list[arb]
    norm: arb


def finish(objective: Objective, theta: FloatArray, tolerance: float) -> Solution:
    """Return a certified point, starting from the doubles θ, in as many bits as it takes.

    Where Newton's steps do not get there in three rounds, the ellipsoid method does.
    """
    balls = BallObjective(objective)
    start = theta.tolist() if np.all(np.abs(theta) < _FAR) else [0.0] * len(theta)
    exact = [arb(t) for t in start]
    bits = _first_bits(objective, start, tolerance)
    rounds = 0
    while True:
        with precision(bits):
            target = arb(tolerance) * arb(objective.gamma)
            if rounds == _ROUNDS:
                exact = shrink(balls, exact, target / 2, bits)
            point = _descend(balls, exact, target)
            if point.norm.upper() <= target:
                return _solution(objective, point, tolerance, bits)
            exact = point.theta
            resolved = bool(4 * point.norm.rad() <= target)
        if resolved:
            rounds = min(rounds + 1, _ROUNDS)
        else:
            bits *= 2


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
    tilt = max((float(np.abs(part).max(initial=0.0)) for part in objective.tilts), default=0.0)
    size = max(rows, _log2(objective.gamma) + _log2(furthest), _log2(tilt))
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
    by interpolating and halving in turn.
    """
    direction = _direction(balls, here, window)
    first = _dot(here.gradient, direction).mid()
    if not first < 0:
        direction = [-g.mid() for g in here.gradient]
        first = _dot(here.gradient, direction).mid()
    low, at_low = arb(0), first
    high, at_high = None, arb(0)
    t, halve = arb(1), False
    while True:
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


def _direction(balls: BallObjective, here: _Point, window: arb) -> list[arb]:
    """Return −(∇²F)⁻¹∇F in enough extra bits for an ill-conditioned Hessian."""
    gradient = arb_mat([[g.mid()] for g in here.gradient])
    hessian = balls.hessian(here.theta, window)
    extra = ctx.prec
    while True:
        with precision(ctx.prec + extra):
            try:
                return [-entry.mid() for entry in hessian.solve(gradient).entries()]
            except ZeroDivisionError:
                extra *= 2


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


def _solution(objective: Objective, point: _Point, tolerance: float, bits: int) -> Solution:
    """Return the proven point; the bound is rounded up, but never past the proven tolerance."""
    distance = fraction_of((point.norm / arb(objective.gamma)).upper())
    return Solution(
        theta=tuple(map(fraction_of, point.theta)),
        distance_bound=min(tolerance, round_up(distance)),
        bits=bits,
    )
