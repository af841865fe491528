"""Proofs in fractions that a penalty matrix of doubles is as large as it is said to be.

In doubles an eigenvalue of 0.001 beside one of 10⁹ passes for 1. Elimination in fractions decides
M ⪰ floor·I, and xᵀM⁻¹x ≤ leverage on each face of a domain. Proof: docs/proofs/penalty-matrix.md.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import fmpq

from dpwerm.arrays import FloatArray
from dpwerm.features.domain import Domain


def bounded(matrix: FloatArray, leverage: Fraction, domain: Domain) -> bool:
    """Prove xᵀM⁻¹x ≤ leverage for every row: on each face (M⁻¹)_SS ⪯ (leverage/r_S²)·I.

    (M⁻¹)_SS is the inverse of the Schur complement of M on S, so that is to be ⪰ (r_S²/leverage)·I.
    """
    content, p = matrix.tobytes(), len(matrix)
    return leverage > 0 and all(
        _proven(content, p, square / leverage, columns) for columns, square in domain.faces
    )


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
