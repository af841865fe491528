"""The kind of a sloppy trial: skewed features and outcomes inside bounds that are far too wide."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pyarrow as pa
from scipy.special import expit, ndtri

from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios.scenario import (
    ARM,
    BENEFIT,
    Scenario,
    numbers,
)


@dataclass(frozen=True)
class Gamma:
    """A skewed amount above 0 of the given mean, 0 with probability ``zero``; shape: float > 0."""

    shape: float = 2.0
    zero: float = 0.0

    def __str__(self) -> str:
        rest = f", {self.zero:.0%} zeros" if self.zero else ""
        return f"gamma, shape {self.shape:g}{rest}"

    def __call__(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one amount for each mean, shape (n,)."""
        amounts = rng.gamma(self.shape, mean / (self.shape * (1 - self.zero)))
        return np.where(rng.random(len(mean)) < self.zero, 0.0, amounts)


@dataclass(frozen=True)
class Points:
    """A whole number of points from 0 to ``most``, binomial around the mean."""

    most: int

    def __str__(self) -> str:
        return f"0 to {self.most} points"

    def __call__(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one number of points for each mean, shape (n,)."""
        share = np.clip(mean / self.most, 0.0, 1.0)
        return rng.binomial(self.most, share).astype(np.float64)


@dataclass(frozen=True)
class Measure:
    """A number: normal, or log-normal around its median; ``bounds`` are what is declared.

    skew : float ≥ 0, the sd of the logarithm, 0 for a normal number; then ``spread`` is not used
    """

    middle: float
    spread: float
    bounds: tuple[float, float]
    skew: float = 0.0

    def keys(self) -> Mapping[str, object]:
        """Return the declaration, with the keys of a study file."""
        return {"kind": "number", "bounds": list(self.bounds)}

    def column(self, uniforms: FloatArray) -> FloatArray:
        """Return values within the bounds by the inverse of the distribution function."""
        z = ndtri(uniforms)
        values = self.middle * np.exp(self.skew * z) if self.skew else self.middle + self.spread * z
        return np.clip(values, *self.bounds)

    def units(self, table: pa.Table, name: str) -> FloatArray:
        """Return the column with mean 0 and sd 1, but for the clipping."""
        values = numbers(table, name)
        if not self.skew:
            return (values - self.middle) / self.spread
        mean = self.middle * np.exp(self.skew**2 / 2)
        return np.asarray((values - mean) / (mean * np.sqrt(np.expm1(self.skew**2))))


@dataclass(frozen=True)
class Level:
    """A category: its levels with their shares and their place on a scale of effects."""

    shares: Mapping[str, float]
    places: tuple[float, ...]

    def keys(self) -> Mapping[str, object]:
        """Return the declaration, with the keys of a study file."""
        return {"kind": "category", "levels": list(self.shares)}

    def column(self, uniforms: FloatArray) -> FloatArray:
        """Return a level for each person."""
        ends = np.cumsum(list(self.shares.values()))[:-1]
        return np.array(list(self.shares))[np.searchsorted(ends, uniforms, side="right")]

    def units(self, table: pa.Table, name: str) -> FloatArray:
        """Return each person's place, with mean 0 and sd 1."""
        shares, places = np.array(list(self.shares.values())), np.array(self.places)
        mean = float(shares @ places)
        sd = float(np.sqrt(shares @ (places - mean) ** 2))
        cells = table[name].to_numpy(zero_copy_only=False)
        found = np.zeros(table.num_rows)
        for level, place in zip(self.shares, places.tolist(), strict=True):
            found[cells == level] = (place - mean) / sd
        return found


def two(first: str, second: str, share: float) -> Level:
    """Return a category of two levels, the second with that share."""
    return Level({first: 1 - share, second: share}, (0.0, 1.0))


LINKS: Mapping[str, Callable[[FloatArray], FloatArray]] = {
    "identity": np.asarray,
    "exp": np.exp,
    "expit": expit,
}


@dataclass(frozen=True, kw_only=True)
class Sloppy(Scenario):
    r"""A trial whose outcome has the mean g(level + main(x) ± contrast(x)/2).

    .. math:: \text{contrast}(x) = \text{effect} \cdot (\text{offset} + \sum_j c_j u_j), \qquad
              \text{main}(x) = \sum_j m_j u_j + \sum_j q_j (u_j^2 - 1)

    u are the features with mean 0 and sd 1. ``bounds`` are of the outcome's column and several
    times wider than what it holds; ``direction`` says whether less of it is better.

    measured : the features by name; contrasts, mains, squares : c, m and q by name of a feature
    """

    measured: Mapping[str, Measure | Level]
    level: float
    effect: float
    offset: float
    contrasts: Mapping[str, float]
    mains: Mapping[str, float] = field(default_factory=dict)
    squares: Mapping[str, float] = field(default_factory=dict)
    link: str = "identity"
    direction: Literal["larger", "smaller"] = "larger"
    transform: Literal["identity", "log"] = "identity"
    arms: tuple[str, str] = ("usual", "new")

    def features(self) -> Mapping[str, Mapping[str, object]]:
        """Return the declaration of each feature, with the keys of a study file."""
        return {name: one.keys() for name, one in self.measured.items()}

    def benefit(self) -> Mapping[str, object]:
        """Return [benefit] of the study."""
        keys = {"direction": self.direction, "transform": self.transform}
        return {**super().benefit(), **keys}

    def place(self, uniforms: FloatArray) -> pa.Table:
        """Return the features of people from independent uniform numbers, one column each."""
        pairs = zip(self.measured.items(), uniforms.T, strict=True)
        return pa.table({name: one.column(u) for (name, one), u in pairs})

    def means(self, table: pa.Table) -> FloatArray:
        """Return the mean outcome by arm, after transform and direction, shape (n, 2)."""
        units = {name: one.units(table, name) for name, one in self.measured.items()}
        contrast = np.full(table.num_rows, float(self.offset))
        common = np.full(table.num_rows, float(self.level))
        for name, size in self.contrasts.items():
            contrast += size * units[name]
        for name, size in self.mains.items():
            common += size * units[name]
        for name, size in self.squares.items():
            common += size * (units[name] ** 2 - 1)
        half = self.effect * contrast / 2
        link = LINKS[self.link]
        sign = -1.0 if self.direction == "smaller" else 1.0
        return sign * np.column_stack([link(common - sign * half), link(common + sign * half)])

    def draw(self, n: int, rng: np.random.Generator) -> pa.Table:
        """Return a trial of n people: features, arm received, and the outcome's column."""
        table = self.people(n, rng)
        second = rng.random(n) < self.propensity(table)
        mean = self.means(table)[np.arange(n), second.astype(np.int64)]
        found = self.outcome(-mean if self.direction == "smaller" else mean, rng)
        if self.transform == "log":
            found = np.exp(found)
        arms = np.where(second, self.arms[1], self.arms[0])
        table = table.append_column(ARM, pa.array(arms))
        return table.append_column(BENEFIT, pa.array(np.clip(found, *self.bounds)))
