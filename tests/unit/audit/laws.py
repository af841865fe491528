"""Targets whose true ε is known, to see what the auditor makes of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpwerm.arrays import FloatArray
from dpwerm.audit.target import Key, Pair, rng_of
from dpwerm.privacy.budget import Budget

GRID = 2.0**-12


@dataclass(frozen=True)
class LaplaceShift:
    """A number in {0, 1/4, …, 1} with Laplace noise: exactly ``true``-private, on a grid."""

    true: float
    claimed: str
    apart: tuple[float, ...] = (1.0,)
    name: str = "shift"
    dimension: int = 1

    @property
    def claim(self) -> Budget:
        return Budget.of(self.claimed)

    def pairs(self) -> Sequence[Pair]:
        return [Pair(f"{shift} apart", 0.0, shift) for shift in self.apart]

    def outputs(self, data: float, runs: int, key: Key) -> FloatArray:
        noisy = data + rng_of(*key).laplace(size=(runs, 1)) / self.true
        return np.asarray(np.round(noisy / GRID) * GRID)


@dataclass(frozen=True)
class WalkingShift(LaplaceShift):
    """The same, with pairs near a pair: a little further apart, up to 1."""

    apart: tuple[float, ...] = (0.25,)

    def near(self, pair: Pair, key: Key) -> Sequence[Pair]:
        del key
        wider = min(1.0, pair.second + 0.25)
        return [Pair(f"{wider} apart", 0.0, wider)]


@dataclass(frozen=True)
class RealShift(LaplaceShift):
    """The same, with releases that are called real: of another ε."""

    really: float = 1.0

    def exact(self, data: float, runs: int) -> FloatArray:
        noisy = data + rng_of("real", runs, str(data)).laplace(size=(runs, 1)) / self.really
        return np.asarray(np.round(noisy / GRID) * GRID)


def randomised_response(epsilon: float) -> float:
    """Return the chance to tell the truth."""
    return math.exp(epsilon) / (1 + math.exp(epsilon))
