"""The kinds of scenarios: numbers in a cube, numbers with categories, observational data."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from scipy.special import expit, ndtr, ndtri

from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios.scenario import (
    ARM,
    Normal,
    Outcome,
    Scenario,
    ZeroOne,
    numbers,
    two_arms,
)
from dpwerm.study.study import Study


@dataclass(frozen=True, kw_only=True)
class UnitCube(Scenario):
    r"""Independent features, uniform on [0, 1], and a contrast 6·f(x), f(x) = θ₀ + Σ θ_j x_j.

    .. math:: \mu_y(x) = 0.01 + 0.02\,x_4 + m^\top x + 3\,y\,f(x), \qquad y = \mp 1

    The second arm is better where f(x) > 0. With the paper's θ, m = 0 and no useless feature this
    is the paper's own trial; each variant changes one thing.

    theta : θ, intercept first, by default the paper's θ₀
    main : m, what each feature adds to the benefit in both arms; shorter than x means 0 beyond
    useless : how many more features there are, which change nothing
    """

    theta: tuple[float, ...] = (1.0, 1.0, 1.0, -1.8, -2.2)
    main: tuple[float, ...] = ()
    useless: int = 0

    def features(self) -> Mapping[str, Mapping[str, object]]:
        """Return the declaration of each feature: a number in [0, 1]."""
        names = [f"x{j}" for j in range(1, len(self.theta) + self.useless)]
        return {name: {"kind": "number", "bounds": [0, 1]} for name in names}

    def place(self, uniforms: FloatArray) -> pa.Table:
        """Return the features of people from independent uniform numbers, one column each."""
        return pa.table(dict(zip(self.features(), uniforms.T.copy(), strict=True)))

    def score(self, table: pa.Table) -> FloatArray:
        """Return f(x) = θ₀ + Σ θ_j x_j, shape (n,)."""
        return np.asarray(self.theta[0] + self._x(table) @ np.array(self.theta[1:]))

    def means(self, table: pa.Table) -> FloatArray:
        """Return E[B | x, arm], shape (n, 2), first arm first."""
        x = self._x(table)
        # With fewer than four features the last one takes the place of x₄.
        common = 0.01 + 0.02 * x[:, :4][:, -1]
        common = common + x[:, : len(self.main)] @ np.array(self.main)
        return two_arms(common, 6.0 * self.score(table))

    def _x(self, table: pa.Table) -> FloatArray:
        return np.column_stack([numbers(table, f"x{j}") for j in range(1, len(self.theta))])


@dataclass(frozen=True, kw_only=True)
class TruncatedNormal(UnitCube):
    """The same with x_j normal, ``centres[j]`` ± ``sd``, cut off at 0 and 1."""

    centres: tuple[float, ...] = (0.25, 0.5, 0.75, 0.5)
    sd: float = 0.3

    def place(self, uniforms: FloatArray) -> pa.Table:
        """Return the features of people by the inverse of the distribution function."""
        centres = np.array(self.centres)
        low, high = ndtr((0.0 - centres) / self.sd), ndtr((1.0 - centres) / self.sd)
        x = centres + self.sd * ndtri(low + uniforms * (high - low))
        return super().place(np.clip(x, 0.0, 1.0))


@dataclass(frozen=True, kw_only=True)
class ZeroOneBenefit(UnitCube):
    """A benefit of 0 or 1, P(1 | x, y) = expit(−0.4 + 0.8·x₁ + y·f(x)): the boundary stays."""

    bounds: tuple[float, float] = (0.0, 1.0)
    outcome: Outcome = field(default_factory=ZeroOne)

    def benefit(self) -> Mapping[str, object]:
        """Return [benefit] of the study, which says that there are two values."""
        return {**super().benefit(), "kind": "yes-no"}

    def means(self, table: pa.Table) -> FloatArray:
        """Return E[B | x, arm], shape (n, 2), first arm first."""
        common = -0.4 + 0.8 * numbers(table, "x1")
        score = self.score(table)
        return np.column_stack([expit(common - score), expit(common + score)])


@dataclass(frozen=True, kw_only=True)
class Circle(UnitCube):
    """The second arm is better inside a circle around (0.15, 0.15) in the first two features."""

    linear: bool = False
    radius: float = 0.75

    def score(self, table: pa.Table) -> FloatArray:
        """Return f(x) = 2·(radius² − (x₁ − 0.15)² − (x₂ − 0.15)²), shape (n,)."""
        x = self._x(table)
        distance2 = (x[:, 0] - 0.15) ** 2 + (x[:, 1] - 0.15) ** 2
        return np.asarray(2.0 * (self.radius**2 - distance2))


@dataclass(frozen=True, kw_only=True)
class SameEffect(UnitCube):
    """The second arm adds ``effect`` for everybody, 0 included; features matter in both arms."""

    effect: float = 0.0

    def score(self, table: pa.Table) -> FloatArray:
        """Return effect/6, so that the contrast is the effect, shape (n,)."""
        return np.full(table.num_rows, self.effect / 6.0)


AGES, SEVERITIES = (18, 80), (0, 10)
# Each level with its probability and what it adds to the contrast.
CATEGORIES: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "stage": {"I": (0.5, -2.0), "II": (0.3, 0.5), "III": (0.2, 3.0)},
    "region": {
        "north": (0.35, 1.0),
        "east": (0.25, -1.5),
        "south": (0.2, 0.0),
        "west": (0.15, 2.0),
        "centre": (0.05, -2.0),
    },
    "smoker": {"no": (0.7, 0.0), "yes": (0.3, 1.5)},
}


@dataclass(frozen=True, kw_only=True)
class Categories(Scenario):
    """Two numbers and categories of three, five and two levels, in their own units.

        contrast(x) = 0.6·(severity − 5) − 0.05·(age − 49) + stage + region + 1.5·[smoker = yes]

    in points of improvement. It is linear in the encoded features: a category of two levels is one
    column, one of more levels is a column for each level.
    """

    bounds: tuple[float, float] = (-4.0, 18.0)
    arms: tuple[str, str] = ("control", "active")
    outcome: Outcome = field(default_factory=lambda: Normal(1.5))

    def features(self) -> Mapping[str, Mapping[str, object]]:
        """Return the declaration of each feature, with the keys of a study file."""
        declared: dict[str, Mapping[str, object]] = {
            "age": {"kind": "number", "bounds": list(AGES)},
            "severity": {"kind": "number", "bounds": list(SEVERITIES)},
        }
        for name, levels in CATEGORIES.items():
            declared[name] = {"kind": "category", "levels": list(levels)}
        return declared

    def place(self, uniforms: FloatArray) -> pa.Table:
        """Return whole years, severity in tenths, and levels."""
        columns: dict[str, object] = {
            "age": AGES[0] + np.floor(uniforms[:, 0] * (AGES[1] - AGES[0] + 1)).astype(np.int64),
            "severity": np.round(uniforms[:, 1] * SEVERITIES[1], 1),
        }
        for (name, levels), u in zip(CATEGORIES.items(), uniforms.T[2:], strict=True):
            ends = np.cumsum([share for share, _ in levels.values()])[:-1]
            columns[name] = np.array(list(levels))[np.searchsorted(ends, u, side="right")]
        return pa.table(columns)

    def means(self, table: pa.Table) -> FloatArray:
        """Return E[B | x, arm], shape (n, 2), first arm first."""
        severity, age = numbers(table, "severity"), numbers(table, "age")
        contrast = 0.6 * (severity - 5) - 0.05 * (age - 49)
        for name, levels in CATEGORIES.items():
            cells = table[name].to_numpy(zero_copy_only=False)
            for level, (_, effect) in levels.items():
                contrast = contrast + effect * (cells == level)
        return two_arms(5.0 + 0.4 * severity, contrast)


BOUNDS: Mapping[str, tuple[int, int]] = {"severity": (0, 10), "age": (18, 80), "kidney": (0, 120)}
PROPENSITY = "propensity"


@dataclass(frozen=True, kw_only=True)
class Confounded(Scenario):
    r"""Quality of life under a mild and a strong drug that were given by indication.

    .. math:: P(\text{second} \mid x) = \sigma(l^\top u), \qquad
        \mu_y(x) = \text{level} + m^\top u + y\,c^\top u/2, \quad y = \mp 1

    with u in [−1, 1]³ the features in units of half their range. A rule that ignores P sees at x

    .. math:: (\text{level} + m^\top u - \text{centre})\,(2P - 1) + c^\top u/2

    instead of cᵀu/2. Where most benefits lie above the centre, the first term speaks for the arm
    that people got; where the sick got the second arm and fare worse anyway, against that arm.

    gains : c, what the strong drug gains over the mild one: for severity, age, kidney
    logits : l, so that the arms are equally frequent overall
    main : m, what each feature changes under both drugs
    level : the mean benefit of a person in the middle of every range
    floor : π_min as the study declares it; P(second | x) lies in [π_min, 1 − π_min]
    """

    gains: tuple[float, float, float]
    logits: tuple[float, float, float]
    main: tuple[float, float, float]
    level: float
    floor: str
    bounds: tuple[float, float] = (0.0, 100.0)
    arms: tuple[str, str] = ("mild", "strong")
    outcome: Outcome = field(default_factory=lambda: Normal(5.0))

    def features(self) -> Mapping[str, Mapping[str, object]]:
        """Return the declaration of each feature, with the keys of a study file."""
        return {name: {"kind": "number", "bounds": list(pair)} for name, pair in BOUNDS.items()}

    def place(self, uniforms: FloatArray) -> pa.Table:
        """Return severity, age and kidney function, uniform over their ranges."""
        columns = zip(BOUNDS.items(), uniforms.T, strict=True)
        return pa.table({name: low + u * (high - low) for (name, (low, high)), u in columns})

    def means(self, table: pa.Table) -> FloatArray:
        """Return E[B | x, arm], shape (n, 2), first arm first."""
        u = self._units(table)
        return two_arms(self.level + self.shared(u), u @ np.array(self.gains))

    def propensity(self, table: pa.Table) -> FloatArray:
        """Return P(second arm | x), shape (n,)."""
        return np.asarray(expit(self.log_odds(self._units(table))))

    def shared(self, u: FloatArray) -> FloatArray:
        """Return what features u (n, 3) add to the benefit under both drugs: mᵀu, shape (n,)."""
        return np.asarray(u @ np.array(self.main))

    def log_odds(self, u: FloatArray) -> FloatArray:
        """Return the log-odds of the second arm, lᵀu, shape (n,)."""
        return np.asarray(u @ np.array(self.logits))

    def draw(self, n: int, rng: np.random.Generator) -> pa.Table:
        """Return n people: features, arm received, benefit, and the true P(second arm | x)."""
        table = super().draw(n, rng)
        return table.append_column(PROPENSITY, pa.array(self.propensity(table)))

    def treatment(self) -> Mapping[str, object]:
        """Return [treatment] with a private propensity model."""
        return self.observed({"model": "private"})

    def study_ignoring(self) -> Study:
        """Return the study of somebody who takes the arms' overall shares for a design."""
        return self.study_with(super().treatment())

    def study_knowing(self) -> Study:
        """Return the study of somebody who knows P(second arm | x) from elsewhere."""
        return self.study_with(self.observed(PROPENSITY) | {"origin": "external"})

    def observed(self, propensity: object) -> dict[str, object]:
        """Return [treatment] with that propensity and the floor."""
        keys = {"column": ARM, "arms": list(self.arms)}
        return keys | {"propensity": propensity, "propensity_floor": self.floor}

    def _units(self, table: pa.Table) -> FloatArray:
        pairs = ((numbers(table, name), pair) for name, pair in BOUNDS.items())
        return np.column_stack([(2 * x - low - high) / (high - low) for x, (low, high) in pairs])


@dataclass(frozen=True, kw_only=True)
class CurvedOutcome(Confounded):
    """The same with a benefit that bends with severity and with age; main is not used."""

    main: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def shared(self, u: FloatArray) -> FloatArray:
        """Return −25·sin(2.5·u₁) + 12·(u₂² − 1/3), shape (n,)."""
        return np.asarray(-25.0 * np.sin(2.5 * u[:, 0]) + 12.0 * (u[:, 1] ** 2 - 1 / 3))


@dataclass(frozen=True, kw_only=True)
class CurvedBoth(Confounded):
    """Log-odds and benefit both follow q = 2·|u₁| − 1: the far ends of severity are alike."""

    def shared(self, u: FloatArray) -> FloatArray:
        """Return m₁·q, shape (n,)."""
        return np.asarray(self.main[0] * _ends(u))

    def log_odds(self, u: FloatArray) -> FloatArray:
        """Return l₁·q, shape (n,)."""
        return np.asarray(self.logits[0] * _ends(u))


def _ends(u: FloatArray) -> FloatArray:
    """Return q = 2·|u₁| − 1, uniform on [−1, 1] where u₁ is."""
    return np.asarray(2.0 * np.abs(u[:, 0]) - 1.0)
