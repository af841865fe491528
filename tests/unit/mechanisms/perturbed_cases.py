"""Public facts that several tests share, and a second opinion on the noise inside in mpmath."""

from collections.abc import Sequence
from typing import Any

import mpmath
import numpy as np
from tests.unit.features.domains import of_blocks

from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Relation
from dpwerm.privacy.randomness import BitSource, SeededBits
from dpwerm.privacy.sensitivity import Facts
from dpwerm.privacy.weight_origin import KnownByDesign

BLOCKS = ((1, 0.5), (1, 1.0), (3, 1.25), (1, 0.5))
"""r = 1.75."""

P = 6
DEEP = 1200


def facts(
    relation: Relation = Relation.REPLACE_ONE, blocks: tuple[tuple[int, float], ...] = BLOCKS
) -> Facts:
    """Constants that share no factor: a wrong power or a lost factor of any of them shows."""
    return Facts(
        weight_bound=3.0,
        lipschitz=1.25,
        smoothness=0.3125,
        domain=of_blocks(blocks),
        gamma=110.0,
        regularizer=Ridge(),
        relation=relation,
        n=7 if relation.publishes_n else None,
        origin=KnownByDesign(),
    )


def empty(blocks: tuple[tuple[int, float], ...] = BLOCKS, gamma: float = 110.0) -> Objective:
    """F without a row, whose minimiser with the linear term b is −b/γ exactly."""
    bounds = [bound for width, bound in blocks for _ in range(width)]
    nothing = np.zeros(0)
    data = MemoryRows(np.zeros((0, len(bounds) - 1)), nothing, nothing, bounds[0], np.array(bounds))
    return Objective(data, Logistic(), gamma)


def uniforms(source: BitSource, count: int) -> list[Any]:
    """The first ``count`` uniforms of a source to 1,200 bits."""
    return [mpmath.mpf(source.substream().bits(DEEP)) / mpmath.mpf(2) ** DEEP for _ in range(count)]


def normals(u: Sequence[Any]) -> list[Any]:
    return [
        mpmath.sqrt(-2 * mpmath.log(a)) * turn(2 * mpmath.pi * b)
        for a, b in zip(u[::2], u[1::2], strict=True)
        for turn in (mpmath.cos, mpmath.sin)
    ]


def spherical(source: BitSource, p: int, scale: Any) -> list[Any]:
    """Gamma(p, scale) times a uniform direction."""
    u = uniforms(source, p + p + p % 2)
    z = normals(u[p:])[:p]
    radius = -scale * sum(mpmath.log(one) for one in u[:p])
    return [radius * one / mpmath.norm(z) for one in z]


def blockwise(source: BitSource, blocks: Sequence[tuple[int, float]], scale: Any) -> list[Any]:
    """Gamma(p + 1, scale) times a uniform point of the blocks."""
    p = sum(width for width, _ in blocks)
    u = uniforms(source, p + 1 + sum(1 if k == 1 else 2 * k + 1 for k, _ in blocks))
    radius = -scale * sum(mpmath.log(u.pop(0)) for _ in range(p + 1))
    point = []
    for width, bound in blocks:
        if width == 1:
            point.append(bound * (2 * u.pop(0) - 1))
            continue
        x = [mpmath.log(u.pop(0)) - mpmath.log(u.pop(0)) for _ in range(width)]
        total = sum(map(abs, x)) - mpmath.log(u.pop(0))
        point += [bound * one / total for one in x]
    return [radius * one for one in point]


def two_streams(seed: int) -> tuple[BitSource, BitSource]:
    """The substreams for b and for the second noise."""
    source = SeededBits(seed)
    return source.substream(), source.substream()
