"""How a benefit scatters around its mean: three laws, each with exactly the mean it is given."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpwerm.arrays import FloatArray


class Outcome(Protocol):
    """A law of the benefit given its mean."""

    @property
    def law(self) -> str:
        """The law in a few words, for tables."""

    def draw(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one benefit for each mean, shape (n,)."""


@dataclass(frozen=True)
class Normal:
    """N(mean, sd²); sd: float > 0."""

    sd: float = 0.5

    @property
    def law(self) -> str:
        """The law in a few words, for tables."""
        return f"normal, sd {self.sd:g}"

    def draw(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one benefit for each mean, shape (n,)."""
        return rng.normal(mean, self.sd)


@dataclass(frozen=True)
class StudentT:
    """mean + scale·t; with more than one degree of freedom the mean exists and is as given."""

    degrees: float = 3.0
    scale: float = 1.5

    @property
    def law(self) -> str:
        """The law in a few words, for tables."""
        return f"{self.scale:g} × Student's t, {self.degrees:g} degrees of freedom"

    def draw(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one benefit for each mean, shape (n,)."""
        return mean + self.scale * rng.standard_t(self.degrees, size=len(mean))


@dataclass(frozen=True)
class ZeroOne:
    """1 with probability ``mean``, else 0."""

    @property
    def law(self) -> str:
        """The law in a few words, for tables."""
        return "0 or 1"

    def draw(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one benefit for each mean, shape (n,)."""
        return (rng.random(len(mean)) < mean).astype(np.float64)
