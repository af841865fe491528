"""The proof of a leverage, piece by piece, against sup xᵀM⁻¹x and the proof of a face at once."""

from fractions import Fraction

import numpy as np
import pytest
from tests.unit.features.test_composed import columns_of, extreme_rows, square_of

from dpwerm.arrays import FloatArray
from dpwerm.features.composed import Hull, Product
from dpwerm.features.domain import CrossPolytope, Domain, Interval
from dpwerm.objective import semidefinite
from dpwerm.objective.semidefinite import bounded

BOX = Product((Interval(1.0), Interval(0.5), Interval(2.0)))
DOMAINS: dict[str, Domain] = {
    "box": Product((BOX, Interval(1.0))),
    "arms": Product((Hull((Interval(1.0), Interval(0.5))), Interval(2.0), Interval(1.0))),
    "levels": Product((CrossPolytope(2, 1.0), CrossPolytope(2, 0.5))),
    "hull": Hull((Product((Interval(1.0), Interval(2.0))), CrossPolytope(2, 1.5))),
}
HAIR = Fraction(1, 10**9)


def joined(count: int, seed: int) -> FloatArray:
    """Return M ⪰ I whose first columns are joined, and the others with nothing."""
    random = np.random.default_rng(seed)
    matrix = np.diag(random.uniform(2, 8, 4))
    root = random.normal(size=(count, count))
    matrix[:count, :count] = np.eye(count) + root @ root.T
    return (matrix + matrix.T) / 2


def at_once(matrix: FloatArray, leverage: Fraction, domain: Domain) -> bool:
    """Prove it as if each face were one piece."""
    return all(
        semidefinite._proven(
            matrix.tobytes(), len(matrix), square_of(face) / leverage, tuple(columns_of(face))
        )
        for face in domain.faces
    )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("count", [0, 2, 3, 4])
@pytest.mark.parametrize("name", DOMAINS)
def test_what_is_proven_is_so_and_whatever_was_proven_at_once_still_is(
    name: str, count: int, seed: int
) -> None:
    domain, matrix = DOMAINS[name], joined(count, seed)
    rows = extreme_rows(domain)
    most = float(np.einsum("np,pq,nq->n", rows, np.linalg.inv(matrix), rows).max())
    proven = {True: 0, False: 0}
    for share in (0.5, 0.999, 1.001, 1.2, 1.5, 2.0, 4.0, 16.0):
        leverage = Fraction(most * share)
        found = bounded(matrix, leverage, domain)
        proven[found] += 1
        assert not found or share > 1
        assert found or not at_once(matrix, leverage, domain)
    assert proven[True]
    assert proven[False] >= 2


@pytest.mark.parametrize("name", ["box", "arms"])
def test_a_diagonal_matrix_is_decided_exactly(name: str) -> None:
    domain, diagonal = DOMAINS[name], (1.0, 3.0, 4.0, 16.0)
    sums = [sum(square / Fraction(diagonal[js[0]]) for js, square in face) for face in domain.faces]
    most = Fraction(max(sums))
    matrix = np.diag(diagonal)
    assert bounded(matrix, most, domain)
    assert not bounded(matrix, most * (1 - HAIR), domain)
    assert not bounded(matrix, most / 2, domain)
    assert not at_once(matrix, most, domain)


def test_a_piece_counts_by_its_smallest_entry() -> None:
    matrix, domain = np.diag([2.0, 8.0]), CrossPolytope(2, 1.0)
    assert bounded(matrix, Fraction(1, 2), domain)
    assert not bounded(matrix, Fraction(1, 2) - HAIR, domain)


def test_joined_columns_have_what_the_others_leave() -> None:
    """M = (2 1; 1 2) beside 4: M⁻¹ has eigenvalues 1 and 1/3, and the third column adds 1/4."""
    matrix = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 4.0]])
    domain = Product((CrossPolytope(2, 1.0), Interval(1.0)))
    # The proof takes a piece for a ball, whose supremum is the eigenvalue 1.
    assert bounded(matrix, Fraction(5, 4), domain)
    assert not bounded(matrix, Fraction(5, 4) - HAIR, domain)
    for nothing_left in (Fraction(1, 4), Fraction(1, 8), Fraction(0), Fraction(-1)):
        assert not bounded(matrix, nothing_left, domain)
    # A hull has the larger of the two alone.
    assert bounded(matrix, Fraction(1), Hull(domain.parts))
    assert not bounded(matrix, 1 - HAIR, Hull(domain.parts))


@pytest.mark.parametrize("entry", [0.0, -1.0])
def test_a_matrix_that_is_not_positive_bounds_nothing(entry: float) -> None:
    for diagonal in ((1.0, entry), (entry, 1.0)):
        box = Product((Interval(1.0), Interval(1.0)))
        assert not bounded(np.diag(diagonal), Fraction(10**9), box)
    assert not bounded(np.array([[1.0, 2.0], [2.0, 1.0]]), Fraction(10**9), box)
