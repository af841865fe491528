import numpy as np
import pytest
from tests.unit.features.domains import of_blocks

from dpwerm.audit.mechanisms import MOVES, MechanismTarget, plain_facts
from dpwerm.audit.target import Pair
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import KnownByDesign

LOSS = HuberisedHinge(0.5)
BLOCKS = ((1, 0.5), (3, 1.0), (1, 2.0))


def facts(relation: Relation, rows: int = 4) -> Facts:
    n = rows if relation.publishes_n else None
    return Facts(3.0, 1.0, 1.0, of_blocks(BLOCKS), 7.0, Ridge(), relation, n, KnownByDesign())


def target(known: Facts) -> MechanismTarget:
    return MechanismTarget("spherical-laplace", known, LOSS, Budget.of("1"))


def records(data: MemoryRows) -> list[tuple[float, ...]]:
    """Return each person as one tuple; nobody, whatever the row, as weight 0."""
    return [
        (w, y * (w > 0), *(row * (w > 0)))
        for w, y, row in zip(data.weights.tolist(), data.targets.tolist(), data.X, strict=True)
    ]


def check(pair: Pair, known: Facts) -> None:
    first, second = pair.both
    for data in pair.both:
        assert data.weights.max(initial=0.0) <= known.weight_bound
        assert (np.abs(data.X) <= known.domain.column_bounds).all()
        assert (np.abs(data.X[:, 1:4]).sum(axis=1) <= 1.0).all() or known.dimension != 5
    if known.relation is Relation.ADD_REMOVE:
        assert records(first)[1:] == records(second)
    else:
        assert first.n_rows == second.n_rows == known.n
        assert records(first)[1:] == records(second)[1:]


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("rows", [1, 4])
def test_every_pair_differs_in_one_record_inside_the_bounds(relation: Relation, rows: int) -> None:
    known = facts(relation, rows)
    pairs = target(known).pairs()
    assert len({pair.name for pair in pairs}) == len(pairs)
    for pair in pairs:
        check(pair, known)
        for moved in target(known).near(pair, (1, pair.name)):
            check(moved, known)


def test_a_corner_has_the_largest_norm_that_is_allowed() -> None:
    known = plain_facts(3, LOSS, gamma=2.0)
    row = target(known).pairs()[0].first.X[0]
    assert np.linalg.norm(row) == pytest.approx(known.radius)
    assert target(known).pairs()[0].first.weights[0] == known.weight_bound


def test_with_one_column_nobody_can_disagree_twice() -> None:
    assert len(target(plain_facts(1, LOSS, gamma=2.0)).pairs()) == 4
    assert len(target(plain_facts(2, LOSS, gamma=2.0)).pairs()) == 7


def test_a_walk_goes_elsewhere_each_time_and_the_same_way_with_the_same_key() -> None:
    known = facts(Relation.REPLACE_ONE)
    pair = target(known).pairs()[0]
    moved = target(known).near(pair, (1, "walk"))
    assert len(moved) == MOVES
    rows = {records(one.first)[0] for one in moved}
    assert len(rows) > 3
    again = target(known).near(pair, (1, "walk"))
    assert [records(one.first) for one in moved] == [records(one.first) for one in again]
    assert target(known).near(moved[0], (2,))[0].name == moved[0].name
