"""Exact densities of θ* for losses of residuals, any domain and any penalty matrix, and neighbours.

F(θ) = Σ w_i ℓ(ξ_iᵀθ − t_i) + ½γθᵀMθ: the density of θ* at θ is, up to a constant,
exp(−β‖b‖_K)·det ∇²F(θ) with b = −∇F(θ). The norm is written out by hand, not the library's.
"""

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from tests.unit.mechanisms.calibrations import inside_of, rate_of
from tests.unit.mechanisms.densities import l2_norm

from dpwerm.arrays import FloatArray
from dpwerm.features.domain import Domain
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import Loss, taper_of
from dpwerm.objective.regularizers import Regularizer, Ridge
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import KnownByDesign

FAR = 40.0
"""A target so far out that both losses are straight there: targets need no bound."""

Norm = Callable[[FloatArray], FloatArray]


class Person(NamedTuple):
    """A row ξ, a target and a weight."""

    row: FloatArray
    target: float
    weight: float = 1.0


Crowd = list[Person]
Pair = tuple[Crowd, Crowd]


@dataclass(frozen=True)
class Case:
    """A domain, its norm written out, and its extreme rows, for each arm where there are arms."""

    domain: Domain
    norm: Norm
    corners: tuple[tuple[float, ...], ...]


def calibrated_for(
    case: Case,
    loss: Loss,
    gamma: float,
    claim: float,
    regularizer: Regularizer | None = None,
    relation: Relation = Relation.REPLACE_ONE,
    name: str = "objective-block",
) -> Calibration:
    """Return the library's calibration for W = 1 and one person."""
    n = 1 if relation.publishes_n else None
    penalty = Ridge() if regularizer is None else regularizer
    facts = Facts(
        1.0,
        loss.lipschitz,
        loss.smoothness,
        case.domain,
        gamma,
        penalty,
        relation,
        n,
        KnownByDesign(),
        taper_of(loss),
    )
    return MECHANISMS[name].calibrate(facts, Budget.of(claim))


def log_density(
    theta: FloatArray, people: Crowd, loss: Loss, matrix: FloatArray, law: Norm
) -> FloatArray:
    """Return log p(θ) at θ (m, p), up to a constant; ``matrix`` is γM, ``law`` is β‖·‖_K."""
    slope = theta @ matrix
    hessian = np.repeat(matrix[None], len(theta), axis=0)
    for row, target, weight in people:
        z = theta @ row - target
        slope = slope + weight * loss.derivative(z)[:, None] * row
        bend = weight * loss.second_derivative(z)
        hessian = hessian + bend[:, None, None] * np.outer(row, row)
    return np.asarray(-law(-slope) + np.linalg.slogdet(hessian)[1])


def points(people: Crowd, loss: Loss, matrix: FloatArray, count: int) -> FloatArray:
    """Return θ in between, a hair to either side of every kink, and along M⁻¹ξ of every person."""
    p, width = len(matrix), loss.lipschitz
    spread = np.random.default_rng(1).normal(size=(count, p))
    spread *= np.geomspace(1e-3, 10, count)[:, None]
    spread[0] = 0
    found = [spread]
    steps = width * np.concatenate([-np.geomspace(1e-3, 30, 60), [0.0], np.geomspace(1e-3, 30, 60)])
    for row, target, _ in people:
        along = np.linalg.solve(matrix, row)
        along /= row @ along
        beside = spread - np.outer(spread @ row, along)
        for kink, hair in itertools.product((-width, width), (-1e-11, 1e-11)):
            found.append(along * (target + kink + hair) + beside)
        found.append(along * (target + steps)[:, None])
    return np.concatenate(found)


def worst(
    case: Case,
    loss: Loss,
    calibration: Calibration,
    pairs: Iterable[Pair],
    rate: float | None = None,
    count: int = 400,
) -> float:
    """Return the largest log-ratio over the pairs, at the library's β or another.

    count: how many points are tried beside each line through a kink.
    """
    facts, beta = calibration.facts, rate_of(calibration) if rate is None else rate
    norm = {"l2": l2_norm, "block": case.norm}[inside_of(calibration).norm]
    matrix = facts.regularizer.matrix(facts.dimension)
    assert matrix is not None
    whole = facts.gamma * matrix
    largest = 0.0
    for one, other in pairs:
        theta = points([*one, *other], loss, whole, count)
        first, second = (
            log_density(theta, people, loss, whole, lambda b: beta * norm(b))
            for people in (one, other)
        )
        largest = max(largest, float(np.abs(first - second).max()))
    return largest


def people_of(case: Case, targets: Iterable[float] = (1.0, -1.0)) -> Crowd:
    """Return the extreme people: each extreme row with each target."""
    targets = tuple(targets)
    return [Person(np.array(row, float), t) for row in case.corners for t in targets]


def neighbours(people: Crowd, relation: Relation, others: Crowd, firsts: int = 8) -> list[Pair]:
    """Return data sets that differ in one of the people, alone and among others.

    The person may change arms, and is before the change one of ``firsts``, spread over all.
    """
    before = people[:: max(1, len(people) // firsts)]
    crowds: list[Crowd] = [[], others]
    if relation is Relation.ADD_REMOVE:
        return [([one, *crowd], crowd) for one in before for crowd in crowds]
    return [
        ([one, *crowd], [other, *crowd])
        for one, other in itertools.product(before, people)
        for crowd in crowds
        if one is not other
    ]


def opposite(row: FloatArray, relation: Relation = Relation.REPLACE_ONE, far: float = 1.0) -> Pair:
    """Return one person at a row with opposite targets, or with nobody."""
    one, other = Person(row, far), Person(row, -far)
    return [one], [] if relation is Relation.ADD_REMOVE else [other]
