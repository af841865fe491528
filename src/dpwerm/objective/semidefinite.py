"""Proofs in fractions that a penalty matrix of doubles is as large as it is said to be.

In doubles an eigenvalue of 0.001 beside one of 10⁹ passes for 1. Elimination in fractions decides
M ⪰ floor·I, and xᵀM⁻¹x ≤ leverage on each face of a domain. Proof: docs/proofs/penalty-matrix.md.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import fmpq

from dpwerm.arrays import FloatArray
from dpwerm.features.domain import Domain, Face


def bounded(matrix: FloatArray, leverage: Fraction, domain: Domain) -> bool:
    """Prove xᵀM⁻¹x ≤ leverage for every row of a domain, on each face."""
    return all(_covered(matrix, leverage, face) for face in domain.faces)


def _covered(matrix: FloatArray, leverage: Fraction, face: Face) -> bool:
    """Prove xᵀM⁻¹x ≤ leverage on a face: pieces that M joins with nothing first, the rest at once.

    A piece with no entry off the diagonal of M adds r²/min M_jj. On the columns S of all others
    (M⁻¹)_SS, the inverse of the Schur complement of M on S, is to be ⪯ (left/r_S²)·I, where left is
    what is left of the leverage.
    """
    joined = np.count_nonzero(matrix, axis=0) > (np.diagonal(matrix) != 0)
    left, kept, total = leverage, list[int](), Fraction(0)
    for columns, square in face:
        least = Fraction(float(np.diagonal(matrix)[list(columns)].min()))
        if not joined[list(columns)].any() and least > 0:
            left -= square / least
        else:
            kept += columns
            total += square
    if left < 0 or (kept and left == 0):
        return False
    floor = total / left if kept else Fraction(0)
    return _proven(matrix.tobytes(), len(matrix), floor, tuple(kept))


def fits(matrix: FloatArray, p: int) -> bool:
    """Say whether a matrix is symmetric and finite, of shape (p, p)."""
    shaped = matrix.shape == (p, p) and bool(np.all(np.isfinite(matrix)))
    return shaped and np.array_equal(matrix, matrix.T)


def at_least(matrix: FloatArray, floor: Fraction) -> bool:
    """Prove M ⪰ floor·I in fractions; the same M and floor are proven once."""
    return _proven(matrix.tobytes(), len(matrix), floor)


@lru_cache(maxsize=64)
def _proven(content: bytes, p: int, floor: Fraction, kept: tuple[int, ...] | None = None) -> bool:
    """Prove that the Schur complement of M on the kept columns, all if None, is ⪰ floor·I.

    By elimination, the other columns first: every pivot > 0, or 0 with an empty row.
    """
    order = list(range(p)) if kept is None else [*sorted(set(range(p)) - {*kept}), *kept]
    matrix = np.frombuffer(content).reshape(p, p)[np.ix_(order, order)]
    least = fmpq(floor.numerator, floor.denominator)
    rows = [[fmpq(*number.as_integer_ratio()) for number in row] for row in matrix.tolist()]
    for j in range(p if kept is None else len(kept)):
        rows[p - 1 - j][p - 1 - j] -= least
    for j in range(p):
        pivot = rows[j][j]
        if pivot < 0 or (pivot == 0 and any(rows[j][k] != 0 for k in range(j + 1, p))):
            return False
        for i in range(j + 1, p):
            if rows[i][j] != 0:
                share = rows[i][j] / pivot
                rows[i] = [a - share * b for a, b in zip(rows[i], rows[j], strict=True)]
    return True
