r"""∇F in ball arithmetic, and the ellipsoid method in it: slow, and sure for every convex F.

    ∇F(θ) = Σ_i w_i ℓ'(z_i) σ_i ξ_i + γ∇R(θ) + b,      z_i = σ_i ξ_iᵀθ − o_i

Every entry is an interval that contains the true number. Doubles are exact balls, so the only width
comes from the chosen precision, and any error can be made as small as wished by raising it. Balls
are many times slower than doubles: a last resort.

.. math:: x' = x - \frac{P \tilde g}{p+1}, \quad
          P' = \frac{p^2}{p^2-1}\Bigl(P - \frac{2}{p+1} P \tilde g \tilde g^\top P\Bigr), \quad
          \tilde g = g / \sqrt{g^\top P g}

The minimiser lies in {u : ∇F(x)ᵀ(u − x) ≤ 0}, so the smallest ellipsoid around that half of the
last one still holds it, and its volume has shrunk by exp(−1/(2(p+1))) whatever the condition of
F. Newton's steps can zigzag between kinks that almost coincide; this cannot.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from flint import arb, arb_mat, ctx

from dpwerm.exact import precision
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import Block

_ROWS = 512
_KEEP = 200_000
_EXTRA = 4


@dataclass(frozen=True, eq=False)
class _Part:
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
        for tilt in self.objective.tilts:
            entries = [entry + arb(b) for entry, b in zip(entries, tilt.tolist(), strict=True)]
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
        pull = self.objective.gamma * self.objective.regularizer.hessian(near)
        total = arb_mat(pull.tolist())
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


def shrink(balls: BallObjective, theta: list[arb], target: arb, bits: int) -> list[arb]:
    """Return a point with ‖∇F‖₂ ≤ target, in as many bits as it takes.

    Parameters
    ----------
    balls : BallObjective
    theta : exact balls, the start
    target : arb > 0
    bits : int
        A precision that resolves the gradient near the minimiser.
    """
    bits *= _EXTRA
    while True:
        with precision(bits):
            found = _halve(balls, theta, target)
        if found is not None:
            return found
        bits *= 2


def _halve(balls: BallObjective, theta: list[arb], target: arb) -> list[arb] | None:
    """Return a point that meets the target, or None if the precision is too low."""
    p = len(theta)
    x = arb_mat([[t] for t in theta])
    gradient, norm = _gradient(balls, x)
    radius = (norm / arb(balls.objective.gamma)).upper()
    P = _diagonal(p, radius * radius)
    # More than all that rounding can take away from the ellipsoid in one step.
    swell = 1 + arb(2) ** (-ctx.prec // 2)
    while not norm.upper() <= target:
        image = _middle(P * gradient)
        length = _dot(gradient, image)
        widest = sum((P[j, j] for j in range(p)), arb(0))
        if not length > arb(2) ** (-ctx.prec // 2) * norm * norm * widest:
            return None
        cut = _middle(image * (1 / length.sqrt()))
        if p == 1:
            x, P = _middle(x - cut * arb(0.5)), _middle(P * (swell / 4))
        else:
            x = _middle(x - cut * (1 / arb(p + 1)))
            grown = swell * arb(p * p) / (p * p - 1)
            P = _middle((P - cut * cut.transpose() * (arb(2) / (p + 1))) * grown)
        gradient, norm = _gradient(balls, x)
    return [x[j, 0] for j in range(p)]


def _gradient(balls: BallObjective, x: arb_mat) -> tuple[arb_mat, arb]:
    """Return the middle of ∇F as a column, and the ball of its norm."""
    entries = balls.gradient([x[j, 0] for j in range(x.nrows())])
    norm = sum((g * g for g in entries), arb(0)).nonnegative_part().sqrt()
    return arb_mat([[g.mid()] for g in entries]), norm


def _middle(matrix: arb_mat) -> arb_mat:
    """Return the matrix of midpoints."""
    rows, columns = matrix.nrows(), matrix.ncols()
    return arb_mat([[matrix[i, j].mid() for j in range(columns)] for i in range(rows)])


def _diagonal(p: int, value: arb) -> arb_mat:
    """Return value times the identity."""
    return arb_mat([[value if i == j else arb(0) for j in range(p)] for i in range(p)])


def _dot(a: arb_mat, b: arb_mat) -> arb:
    """Return aᵀb of two columns."""
    return (a.transpose() * b)[0, 0]
