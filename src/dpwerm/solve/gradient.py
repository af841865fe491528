"""A rigorous bound on ‖∇F(θ)‖₂ from one walk over the rows in doubles.

    ‖θ − argmin F‖ ≤ ‖∇F(θ)‖/γ ≤ (‖computed gradient‖ + rounding error)/γ

because F is γ-strongly convex. Every rounding is accounted for: docs/proofs/solver-certificate.md
derives E_j, the bound on the error of coordinate j, in the symbols used here.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from dpwerm.arrays import FloatArray
from dpwerm.exact import ETA, SLACK, U, growth
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import BLOCK_ROWS, Block

_HUGE = 2.0**900


@dataclass(frozen=True)
class ProvenGradient:
    """A gradient in doubles and rigorous bounds that follow from it.

    ``error`` bounds ‖gradient − ∇F(θ)‖₂ and ``distance`` bounds ‖θ − argmin F‖₂.
    """

    gradient: FloatArray
    error: float
    distance: float


@dataclass(frozen=True)
class Solution:
    """An exact point θ with ‖θ − argmin F‖₂ ≤ ``distance_bound`` ≤ the tolerance asked for.

    ``bits`` is the precision that certified it: 53 for doubles, more for ball arithmetic. All
    three are sensitive: they depend on the data and are never part of a release.
    """

    theta: tuple[Fraction, ...]
    distance_bound: float
    bits: int


def proven_gradient(
    objective: Objective, theta: FloatArray, block_rows: int | None = None
) -> ProvenGradient:
    """Return the gradient at θ (p,), exact up to a proven error, and the distance it certifies.

    ``block_rows`` is how many rows are summed in one go, 1,024 for None; fewer are slower and err
    less.
    """
    height = block_rows or BLOCK_ROWS
    blocks, sizes = _walk(objective, theta, height)
    slope = objective.gamma * objective.regularizer.gradient(theta)
    # The linear term is a sum of doubles: it enters the exact sum below and adds no error of its
    # own.
    terms = np.vstack([*blocks, slope, *objective.linear_terms])
    if not np.all(np.abs(terms) < _HUGE):
        return ProvenGradient(np.full(len(theta), np.nan), math.inf, math.inf)
    gradient = np.array([math.fsum(column) for column in terms.T])
    errors = _errors(objective, theta, gradient, sizes, height)
    reach = _norm(np.abs(gradient) + errors)
    return ProvenGradient(
        gradient=gradient,
        error=_norm(errors),
        distance=math.nextafter(reach / objective.gamma * SLACK, math.inf),
    )


def _walk(
    objective: Objective, theta: FloatArray, block_rows: int
) -> tuple[list[FloatArray], FloatArray]:
    """Sum w ℓ'(z) σ ξ over blocks of at most ``block_rows`` rows; w, w|o| and |w ℓ'| over all."""

    def part(block: Block) -> tuple[FloatArray, FloatArray]:
        a = objective.forces(block, objective.arguments(block, theta))
        offset = block.weights @ np.abs(block.targets) if objective.residual else 0.0
        sizes = np.array([block.weights.sum(), offset, np.abs(a).sum()])
        return block.pulls(a, block_rows), sizes

    blocks, total = [np.zeros((0, objective.data.dimension))], np.zeros(3)
    for sums, sizes in objective.data.map(part):
        blocks.append(sums)
        total += sizes
    return blocks, total


def _errors(
    objective: Objective,
    theta: FloatArray,
    gradient: FloatArray,
    sizes: FloatArray,
    block_rows: int,
) -> FloatArray:
    """Return E_j, the bound on |computed − true| for every coordinate of ∇F.

    Only sums and products of numbers ≥ 0 occur, so every rounding is relative; the last factor
    is larger than all of them together.
    """
    loss, gamma, n = objective.loss, objective.gamma, objective.data.n_rows
    bounds = objective.data.column_bounds
    p = len(bounds)
    inflate = 1 / (1 - 2 * (n + 1) * U)
    weight, offset, size = sizes.tolist()
    weight, size = weight * inflate, size * inflate
    # A score has p + 1 roundings, and a residual is one more of the score and of its target.
    roundings = p + 1 + int(objective.residual)
    margin = growth(roundings) * float(bounds @ np.abs(theta)) + 4 * (p + 1) * ETA
    per_weight = loss.smoothness * margin + loss.derivative_error
    rows = weight * per_weight + growth(block_rows + 3) * size + 4 * (n + 1) * ETA
    rows += loss.smoothness * growth(1) * offset * inflate
    pull = objective.regularizer.gradient(theta)
    slip = objective.regularizer.gradient_error(theta)
    errors: FloatArray = bounds * rows + 4 * (n + 1) * ETA
    errors += 2 * U * (np.abs(gradient) + gamma * np.abs(pull)) + gamma * slip
    return errors * (SLACK + p * U)


def _norm(entries: FloatArray) -> float:
    """Return a bound on the Euclidean norm; scaling keeps the squares from under- or overflow."""
    largest = float(entries.max(initial=0.0))
    if largest == 0:
        return 0.0
    ratios = entries / largest
    return largest * math.sqrt(float(ratios @ ratios)) * (SLACK + len(entries) * U)


def solve_positive(matrix: FloatArray, vector: FloatArray, floor: float) -> FloatArray:
    """Return a solution d of ``matrix`` d = ``vector``, eigenvalues taken as at least ``floor``.

    Cholesky is fast and fails only if rounding made a matrix ⪰ floor·I indefinite; then the
    eigenvalues are raised to what they would have reached without rounding.
    """
    try:
        factor = cho_factor(matrix, lower=True, check_finite=True)
        solution: FloatArray = cho_solve(factor, vector, check_finite=False)
        if np.all(np.isfinite(solution)):
            return solution
    except LinAlgError:
        pass
    except ValueError:
        return vector / floor
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors @ ((vectors.T @ vector) / np.maximum(values, floor)))
