"""What several tests plug in from outside: losses of residuals, a penalty matrix, spread rows."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np
from flint import arb

from dpwerm.arrays import FloatArray
from dpwerm.objective.losses import Form
from dpwerm.objective.regularizers import QuadraticPenalty
from dpwerm.objective.rows import Block, MemoryRows

T = TypeVar("T")


@dataclass(frozen=True)
class Huber:
    """ℓ(r) = r²/2 for |r − m| ≤ T, then straight, moved by m: L = T and c = 1.

    Within 2T of m the difference errs by at most 2⁻⁵²T, and beyond clipping hides it.
    """

    T: float = 1.0
    m: float = 0.0
    name: ClassVar[str] = "moved-huber"
    form: ClassVar[Form] = "residual"
    smoothness: ClassVar[float] = 1.0

    @property
    def parameters(self) -> dict[str, float]:
        return {"T": self.T, "m": self.m}

    @property
    def lipschitz(self) -> float:
        return self.T

    @property
    def derivative_error(self) -> float:
        return self.T * 2.0**-52

    def value(self, z: FloatArray) -> FloatArray:
        slope = self.derivative(z)
        return slope * (z - self.m) - slope * slope / 2

    def derivative(self, z: FloatArray) -> FloatArray:
        return np.clip(z - self.m, -self.T, self.T)

    def second_derivative(self, z: FloatArray) -> FloatArray:
        return np.where(np.abs(z - self.m) <= self.T, np.float64(1), np.float64(0))

    def derivative_ball(self, z: arb) -> arb:
        return (z - arb(self.m)).max(-arb(self.T)).min(arb(self.T))


@dataclass(frozen=True)
class Coupled(QuadraticPenalty):
    """R(θ) = ½((1+lift)‖θ‖² + a(vᵀθ)²), v_j = 2^(−j mod 3): no coefficient is free of another."""

    a: float = 0.5
    lift: float = 0.0
    name: ClassVar[str] = "coupled"

    @property
    def parameters(self) -> dict[str, float]:
        return {"a": self.a, "lift": self.lift}

    def matrix(self, p: int) -> FloatArray:
        v = 2.0 ** -(np.arange(p) % 3)
        return (1 + self.lift) * np.eye(p) + self.a * np.outer(v, v)


class Spread(MemoryRows):
    """Rows whose blocks are worked on by three threads, the last block first."""

    def map(self, function: Callable[[Block], T]) -> Iterator[T]:
        blocks = list(super().map(lambda block: block))
        with ThreadPoolExecutor(3) as pool:
            waiting = [pool.submit(function, block) for block in reversed(blocks)]
            yield from (each.result() for each in reversed(waiting))
