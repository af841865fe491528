"""Small data sets that differ in one record: where a mechanism is most likely to give itself away.

Few rows, at the corners of what is allowed, with weights 0 or W: one record is then all there is,
or stands against others that push the coefficients where its gradient is steepest. A row of weight
0 is nobody. Under add/remove the second data set lacks the record.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Key, Pair, luck
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Relation
from dpwerm.privacy.sensitivity import Facts

MOVES = 12
"""Pairs that are tried near a good one."""


@dataclass(frozen=True)
class Person:
    """A record as weight times label, in [−W, W], and a row within the domain."""

    weight: float
    row: FloatArray


NOBODY = 0.0


def data_of(people: Sequence[Person], facts: Facts) -> MemoryRows:
    """Return a data set; an intercept is a column like any other here."""
    weights = np.array([person.weight for person in people])
    rows = np.array([person.row for person in people]).reshape(len(people), facts.dimension)
    labels = np.where(weights < 0, -1.0, 1.0)
    return MemoryRows(rows, labels, np.abs(weights), 0.0, facts.domain.column_bounds)


def pair_of(name: str, one: Person, other: Person, crowd: Sequence[Person], facts: Facts) -> Pair:
    """Return a pair that differs in one person; under add/remove ``other`` is left out."""
    size = facts.n or len(crowd) + 1
    nobody = Person(NOBODY, np.zeros(facts.dimension))
    rest = [*crowd, *[nobody] * (size - 1 - len(crowd))][: size - 1]
    if facts.relation is Relation.ADD_REMOVE:
        return Pair(name, data_of([one, *rest], facts), data_of(rest, facts))
    return Pair(name, data_of([one, *rest], facts), data_of([other, *rest], facts))


def pairs_for(facts: Facts) -> list[Pair]:
    """Return pairs to start a search from."""
    return list(_pairs(facts))


def _pairs(facts: Facts) -> Iterator[Pair]:
    whole, corner = facts.weight_bound, facts.domain.longest
    others = max(0, (facts.n or 3) - 1)
    one, other = Person(whole, corner), Person(-whole, corner)
    yield pair_of("a person alone, and with the other label", one, other, [], facts)
    yield pair_of("a person alone, and nobody", one, Person(NOBODY, corner), [], facts)
    same = [Person(whole, corner)] * others
    yield pair_of("with others alike", one, other, same, facts)
    against = [Person(-whole, corner)] * others
    yield pair_of("against others", one, other, against, facts)
    for share in (0.25, 0.5, 1.0) if facts.dimension > 1 else ():
        up, down = corner.copy(), -corner
        up[-1] = down[-1] = -share * corner[-1]
        push = np.zeros_like(corner)
        push[-1] = corner[-1]
        crowd = [Person(whole, push)] * others
        name = f"two people who both disagree with the others by {share:g}"
        yield pair_of(name, Person(whole, up), Person(whole, down), crowd, facts)


def near(pair: Pair, facts: Facts, key: Key) -> list[Pair]:
    """Return pairs with rows and weights moved a little, at random; all of them neighbours."""
    rng = luck(*key)
    return [_moved(pair, facts, rng) for _ in range(MOVES)]


def _moved(pair: Pair, facts: Facts, rng: np.random.Generator) -> Pair:
    """Return a pair near another: the two records and the crowd move, each with a chance of ½."""
    first, second = pair.first, pair.second
    replaced = facts.relation is not Relation.ADD_REMOVE
    one = _shaken(_people(first)[0], facts, rng)
    other = _shaken(_people(second)[0], facts, rng) if replaced else one
    crowd = [_shaken(person, facts, rng) for person in _people(first)[1:]]
    name = pair.name.removesuffix(", moved")
    return pair_of(f"{name}, moved", one, other, crowd, facts)


def _people(data: MemoryRows) -> list[Person]:
    weights = data.weights * data.targets
    return [Person(float(w), row) for w, row in zip(weights, data.X, strict=True)]


def _shaken(person: Person, facts: Facts, rng: np.random.Generator) -> Person:
    """Return the person, or one a little different inside the bounds."""
    whole = facts.weight_bound
    if rng.random() < 0.5:
        return person
    size = rng.choice([0.1, 0.3, 1.0])
    bounds = facts.domain.column_bounds
    row = person.row + size * rng.normal(size=len(bounds)) * bounds
    weight = float(np.clip(person.weight + size * whole * rng.normal(), -whole, whole))
    return Person(weight, facts.domain.pulled(row))
