r"""The ellipsoid method in ball arithmetic: slow, and sure for every convex F.

.. math:: x' = x - \frac{P \tilde g}{p+1}, \quad
          P' = \frac{p^2}{p^2-1}\Bigl(P - \frac{2}{p+1} P \tilde g \tilde g^\top P\Bigr), \quad
          \tilde g = g / \sqrt{g^\top P g}

The minimiser lies in {u : ∇F(x)ᵀ(u − x) ≤ 0}, so the smallest ellipsoid around that half of the
last one still holds it, and its volume has shrunk by exp(−1/(2(p+1))) whatever the condition of F.
Newton's steps can zigzag between kinks that almost coincide; this cannot.
"""

from flint import arb, arb_mat, ctx

from dpwerm.balls import precision
from dpwerm.solve.ball_gradient import BallObjective

_EXTRA = 4


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
