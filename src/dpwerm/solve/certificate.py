"""A rigorous bound on ‖∇F(θ)‖₂ from one walk over the rows in doubles.

    ‖θ − argmin F‖ ≤ ‖∇F(θ)‖/γ ≤ (‖computed gradient‖ + rounding error)/γ

because F is γ-strongly convex. Every rounding is accounted for: docs/proofs/solver-certificate.md
derives E_j, the bound on the error of coordinate j, in the symbols used here.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.exact import round_up, sqrt_up
from dpwerm.problem.data import BLOCK_ROWS
from dpwerm.problem.objective import Objective

_U = Fraction(1, 2**53)
_ETA = Fraction(1, 2**1022)


@dataclass(frozen=True)
class Certificate:
    """A gradient in doubles and rigorous bounds that follow from it.

    ``error`` bounds ‖gradient − ∇F(θ)‖₂ and ``distance`` bounds ‖θ − argmin F‖₂.
    """

    gradient: FloatArray
    error: float
    distance: float


@dataclass
class _Sums:
    """Block sums of the data gradient (one row per block) and the sizes that bound its error."""

    blocks: list[FloatArray]
    weight: float = 0.0
    size: float = 0.0


def certify(objective: Objective, theta: FloatArray) -> Certificate:
    """Return the gradient at θ, exact up to a proven error, and the distance it certifies.

    Parameters
    ----------
    objective : Objective
    theta : array (p,)
        Finite doubles, taken as exact.
    """
    sums = _walk(objective, theta)
    slope = objective.gamma * objective.regularizer.gradient(theta)
    terms = np.vstack([*sums.blocks, slope])
    if not np.all(np.isfinite(terms)):
        return Certificate(np.full(len(theta), np.nan), math.inf, math.inf)
    gradient = np.array([math.fsum(column) for column in terms.T])
    errors = _errors(objective, theta, gradient, sums)
    reach = [abs(Fraction(g)) + e for g, e in zip(gradient.tolist(), errors, strict=True)]
    return Certificate(
        gradient=gradient,
        error=round_up(_norm(errors)),
        distance=round_up(_norm(reach) / Fraction(objective.gamma)),
    )


def _walk(objective: Objective, theta: FloatArray) -> _Sums:
    """Sum w ℓ'(z) y x over blocks of at most 1,024 rows."""
    data, first = objective.data, objective.data.first_feature
    sums = _Sums(blocks=[np.zeros((0, data.dimension))])
    for rows in data.chunks():
        a = objective.loss.derivative(data.margins(theta, rows))
        a *= data.weights[rows]
        a *= data.y[rows]
        whole = len(a) // BLOCK_ROWS * BLOCK_ROWS
        for part, X in ((a[:whole], data.X[rows][:whole]), (a[whole:], data.X[rows][whole:])):
            if len(part):
                height = min(BLOCK_ROWS, len(part))
                part = part.reshape(-1, height)
                block = np.empty((len(part), data.dimension))
                np.matmul(
                    part[:, None], X.reshape(len(part), height, X.shape[1]), out=block[:, None, first:]
                )
                if first:
                    block[:, 0] = part.sum(axis=1) * data.intercept_scale
                sums.blocks.append(block)
        sums.weight += float(data.weights[rows].sum())
        sums.size += float(np.abs(a).sum())
    return sums


def _errors(
    objective: Objective, theta: FloatArray, gradient: FloatArray, sums: _Sums
) -> list[Fraction]:
    """Return E_j, the bound on |computed − true| for every coordinate of ∇F."""
    loss, gamma, n = objective.loss, Fraction(objective.gamma), objective.data.n_rows
    bounds = [Fraction(s) for s in objective.data.column_bounds.tolist()]
    inflate = 1 / (1 - 2 * (n + 1) * _U)
    weight, size = Fraction(sums.weight) * inflate, Fraction(sums.size) * inflate
    reach = sum((s * abs(Fraction(t)) for s, t in zip(bounds, theta.tolist(), strict=True)), _ETA)
    margin = _growth(len(bounds) + 1) * reach + 2 * (len(bounds) + 1) * _ETA
    per_weight = Fraction(loss.smoothness) * margin + Fraction(loss.derivative_error)
    rows = weight * per_weight + (_U / (1 - _U) + _growth(BLOCK_ROWS + 1)) * size + 2 * n * _ETA
    slope = objective.regularizer.gradient(theta).tolist()
    slip = objective.regularizer.gradient_error(theta).tolist()
    return [
        s * rows
        + 4 * (n + 1) * _ETA
        + 2 * _U * (abs(Fraction(g)) + gamma * abs(Fraction(v)))
        + gamma * Fraction(e)
        for s, g, v, e in zip(bounds, gradient.tolist(), slope, slip, strict=True)
    ]


def _growth(k: int) -> Fraction:
    """Return ku/(1−ku), the relative error that k roundings can build up."""
    return k * _U / (1 - k * _U)


def _norm(entries: list[Fraction]) -> Fraction:
    """Return a bound on the Euclidean norm; scaling keeps the squares away from underflow."""
    largest = max(entries, default=Fraction(0))
    if largest == 0:
        return Fraction(0)
    ratios = [Fraction(round_up(entry / largest)) for entry in entries]
    return largest * Fraction(sqrt_up(sum((q * q for q in ratios), Fraction(0))))
