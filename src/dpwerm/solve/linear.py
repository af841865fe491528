"""Solving ∇²F·d = g when ∇²F ⪰ γI is known but rounding may hide it.

Cholesky is fast and fails only if rounding made the matrix indefinite; then the eigenvalues are
raised to γ, which they would have reached without rounding.
"""

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from dpwerm.arrays import FloatArray


def solve_positive(matrix: FloatArray, vector: FloatArray, floor: float) -> FloatArray:
    """Return a solution d of ``matrix`` d = ``vector``, eigenvalues taken as at least ``floor``."""
    try:
        factor = cho_factor(matrix, lower=True, check_finite=True)
        solution: FloatArray = cho_solve(factor, vector, check_finite=False)
        if np.all(np.isfinite(solution)):
            return solution
        values, vectors = np.linalg.eigh(matrix)
    except LinAlgError:
        values, vectors = np.linalg.eigh(matrix)
    except ValueError:
        return vector / floor
    raised: FloatArray = vectors @ ((vectors.T @ vector) / np.maximum(values, floor))
    return raised
