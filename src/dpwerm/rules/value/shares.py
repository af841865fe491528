r"""How a row is divided into shares: Bernstein polynomials, which add up to 1 whatever the row.

    (1 − u)² + 2u(1 − u) + u² = 1,   u in [0, 1]

Three sums of these shares tell Σ1, Σu and Σu² and cost what one count costs. A weight 1/P that
differs from row to row is divided in the same way: t² + 2t(1 − t) ≤ 1 with t = π_min/P.
"""

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.mechanisms.laplace_sums import UNIT, whole_shares


def split_evenly(u: FloatArray) -> IntArray:
    """Return the shares (1 − u)², 2u(1 − u), u² of each row, shape (n, 3), of total 1."""
    return _three(u, np.full(len(u), UNIT), np.ones(len(u)))


def split_weighted(u: FloatArray, t: FloatArray) -> IntArray:
    """Return the shares of rows with weights, shape (n, 5), of total t² + 2t(1 − t) ≤ 1.

    t²(1 − u)², 2t²u(1 − u), t²u², 2t(1 − t)(1 − u), 2t(1 − t)u; u, t: (n,) in [0, 1].
    """
    everything = np.full(len(u), UNIT)
    square = whole_shares(t * t, everything)
    mixed = whole_shares(2 * t * (1 - t), everything - square)
    upper = whole_shares(2 * t * (1 - t) * u, mixed)
    return np.column_stack([_three(u, square, t * t), mixed - upper, upper])


def split_pair(u: FloatArray, w: FloatArray) -> IntArray:
    """Return the nine products of the shares of u and of w, shape (n, 9), of total 1.

    Piece 3i + j is the i-th share of u times the j-th of w; u, w: (n,) in [0, 1].
    """
    outer = split_evenly(u)
    parts = [_three(w, outer[:, i], outer[:, i] / UNIT) for i in range(3)]
    return np.column_stack(parts)


def _three(u: FloatArray, whole: IntArray, weight: FloatArray) -> IntArray:
    """Return ``whole`` divided into three; what rounding leaves over goes to the middle."""
    last = whole_shares(weight * (u * u), whole)
    first = whole_shares(weight * ((1 - u) * (1 - u)), whole - last)
    return np.column_stack([first, whole - first - last, last])
