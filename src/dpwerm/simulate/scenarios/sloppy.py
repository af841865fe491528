"""Trials as people declare them: wide bounds, outcomes off their middle, strong main effects.

Each has a known truth, and no hyperparameter was ever chosen on one of them: the suite judges
defaults. Features have the shapes that trials have (skewed laboratory values, crowded ages, uneven
categories) inside bounds that somebody wrote down without looking at the data, one arm is better
for most people, and what a person gets in either arm varies more than what the arms differ by.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

import numpy as np
import pyarrow as pa
from scipy.special import expit, ndtri

from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios.scenario import (
    ARM,
    BENEFIT,
    Normal,
    Scenario,
    StudentT,
    ZeroOne,
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


AGE = Measure(52, 14, (0, 120))
BMI = Measure(27, 5, (10, 100))
SEX = two("F", "M", 0.46)
PULSE = Measure(74, 10, (0, 300))
CREATININE = Measure(80, 0, (0, 1000), skew=0.3)
CRP = Measure(5, 0, (0, 500), skew=1.0)
SMOKER = Level({"never": 0.55, "former": 0.27, "current": 0.18}, (0.0, 0.5, 1.0))
REGION = Level({"north": 0.4, "south": 0.3, "east": 0.2, "west": 0.1}, (0.0, 1.0, 0.3, 0.7))

_SLOPPY: tuple[Sloppy, ...] = (
    Sloppy(
        name="mood",
        tests="a change on a scale of symptoms, within all that the scale allows",
        measured={
            "age": AGE,
            "severity": Measure(28, 6, (0, 60)),
            "episodes": Measure(3, 0, (0, 50), skew=0.7),
            "weeks": Measure(20, 0, (0, 1000), skew=0.8),
            "bmi": BMI,
            "sex": SEX,
            "work": Level({"full": 0.5, "part": 0.2, "none": 0.3}, (0.0, 0.5, 1.0)),
        },
        bounds=(-60, 60),
        level=9,
        effect=2.0,
        offset=0.7,
        contrasts={"severity": 0.9, "episodes": -0.6, "age": 0.3},
        mains={"severity": 4.0, "work": -2.0, "age": -1.0},
        outcome=Normal(7.0),
    ),
    Sloppy(
        name="earnings",
        tests="earnings with zeros and a long tail, bounds that no income exceeds",
        measured={
            "age": Measure(30, 8, (0, 100)),
            "school": Measure(11, 2, (0, 30)),
            "before": Measure(6000, 0, (0, 200_000), skew=0.9),
            "children": Measure(1.4, 1.0, (0, 20)),
            "married": two("no", "yes", 0.3),
            "trade": Level({"a": 0.5, "b": 0.3, "c": 0.2}, (0.0, 1.0, 0.5)),
        },
        bounds=(0, 200_000),
        level=9.5,
        effect=0.28,
        offset=0.5,
        contrasts={"school": 0.8, "age": -0.6, "married": 0.4},
        mains={"before": 0.2, "school": 0.12, "trade": -0.08},
        link="exp",
        outcome=Gamma(shape=3.0, zero=0.15),
        linear=False,
    ),
    Sloppy(
        name="viral-load",
        tests="a count over many decades, learned from its logarithm; less is better",
        measured={
            "age": AGE,
            "cd4": Measure(350, 0, (1, 3000), skew=0.5),
            "cd8": Measure(900, 0, (1, 10_000), skew=0.4),
            "weight": Measure(75, 14, (20, 300)),
            "karnofsky": Measure(92, 5, (0, 100)),
            "drugs": two("no", "yes", 0.15),
            "sex": SEX,
            "prior": Level({"none": 0.45, "short": 0.25, "long": 0.3}, (0.0, 0.5, 1.0)),
        },
        bounds=(1, 10_000_000),
        level=8.0,
        effect=0.42,
        offset=-0.7,
        contrasts={"cd4": 0.8, "prior": -0.6, "age": 0.4},
        mains={"cd4": -0.9, "cd8": 0.4, "karnofsky": -0.4},
        outcome=Normal(1.3),
        direction="smaller",
        transform="log",
    ),
    Sloppy(
        name="response",
        tests="an answer of yes or no that two in three give",
        measured={
            "age": AGE,
            "bmi": BMI,
            "crp": CRP,
            "joints": Measure(12, 5, (0, 68)),
            "years": Measure(6, 0, (0, 80), skew=0.8),
            "smoker": SMOKER,
            "sex": SEX,
            "seropositive": two("no", "yes", 0.7),
        },
        bounds=(0, 1),
        level=0.7,
        effect=0.54,
        offset=0.5,
        contrasts={"seropositive": 0.8, "joints": 0.6, "years": -0.5},
        mains={"age": -0.4, "crp": -0.3, "smoker": -0.4},
        link="expit",
        outcome=ZeroOne(),
    ),
    Sloppy(
        name="relief",
        tests="a few points of relief, on a form that allows for ten",
        measured={
            "age": AGE,
            "pain": Measure(6, 1.5, (0, 10)),
            "months": Measure(14, 0, (0, 600), skew=0.8),
            "dose": Measure(40, 0, (0, 2000), skew=0.6),
            "sleep": Measure(6, 1.2, (0, 24)),
            "anxious": two("no", "yes", 0.35),
            "sex": SEX,
            "region": REGION,
        },
        bounds=(0, 10),
        level=1.9,
        effect=0.24,
        offset=-0.6,
        contrasts={"anxious": 0.9, "pain": 0.7, "sleep": 0.3},
        mains={"pain": -0.25, "months": -0.2},
        outcome=Points(4),
    ),
    Sloppy(
        name="stay",
        tests="days in hospital, skewed, within more than half a year; less is better; arms 2:1",
        measured={
            "age": Measure(68, 12, (0, 120)),
            "pulse": PULSE,
            "creatinine": CREATININE,
            "crp": CRP,
            "albumin": Measure(36, 5, (0, 80)),
            "diabetes": two("no", "yes", 0.25),
            "lives": Level({"home": 0.7, "family": 0.2, "care": 0.1}, (0.0, 0.4, 1.0)),
            "oxygen": Measure(94, 3, (0, 100)),
            "sex": SEX,
        },
        bounds=(0, 200),
        probabilities=("2/3", "1/3"),
        level=2.4,
        effect=0.17,
        offset=0.5,
        contrasts={"oxygen": -0.9, "albumin": 0.6, "diabetes": -0.3},
        mains={"age": 0.2, "albumin": -0.2, "lives": 0.15},
        link="exp",
        outcome=Gamma(shape=4.0),
        direction="smaller",
        linear=False,
    ),
    Sloppy(
        name="well-being",
        tests="a score near the top of its scale, one arm better for nine in ten",
        measured={
            "age": AGE,
            "before": Measure(62, 12, (0, 100)),
            "bmi": BMI,
            "pulse": PULSE,
            "steps": Measure(6000, 0, (0, 100_000), skew=0.5),
            "alone": two("no", "yes", 0.3),
            "smoker": SMOKER,
        },
        bounds=(0, 100),
        level=72,
        effect=4.2,
        offset=1.1,
        contrasts={"before": -0.85, "alone": -0.5},
        mains={"before": 7.0, "steps": 2.0, "smoker": -2.0},
        outcome=Normal(9.0),
    ),
    Sloppy(
        name="pressure",
        tests="a fall in blood pressure; twelve of fifteen features are useless",
        measured={
            "age": AGE,
            "systolic": Measure(152, 14, (0, 400)),
            "diastolic": Measure(92, 9, (0, 300)),
            "pulse": PULSE,
            "bmi": BMI,
            "creatinine": CREATININE,
            "potassium": Measure(4.2, 0.4, (0, 20)),
            "sodium": Measure(140, 3, (50, 250)),
            "cholesterol": Measure(5.4, 1.0, (0, 30)),
            "glucose": Measure(5.8, 0, (0, 60), skew=0.25),
            "years": Measure(5, 0, (0, 80), skew=0.8),
            "salt": Measure(9, 3, (0, 60)),
            "sex": SEX,
            "smoker": SMOKER,
            "origin": Level({"a": 0.6, "b": 0.25, "c": 0.15}, (0.0, 1.0, 0.2)),
        },
        bounds=(-100, 100),
        level=12,
        effect=3.5,
        offset=0.3,
        contrasts={"origin": 0.7, "age": -0.7, "salt": 0.5},
        mains={"systolic": 6.0, "age": -1.5},
        outcome=Normal(10.0),
    ),
    Sloppy(
        name="weight-loss",
        tests="kilograms lost; a main effect that bends; arms 3:1",
        measured={
            "age": AGE,
            "weight": Measure(95, 16, (20, 400)),
            "height": Measure(169, 9, (50, 250)),
            "insulin": Measure(12, 0, (0, 500), skew=0.5),
            "tries": Measure(3, 0, (0, 100), skew=0.7),
            "sex": SEX,
            "night-shift": two("no", "yes", 0.2),
            "diet": Level({"none": 0.5, "low-fat": 0.3, "low-carb": 0.2}, (0.0, 0.6, 1.0)),
        },
        bounds=(-100, 100),
        probabilities=("1/4", "3/4"),
        level=4,
        effect=1.8,
        offset=0.5,
        contrasts={"insulin": 0.8, "sex": -0.5, "age": -0.4},
        mains={"weight": 2.5, "diet": 1.0},
        squares={"age": -0.8},
        outcome=Normal(5.0),
    ),
    Sloppy(
        name="memory",
        tests="a test on which age and school decide, far more than the treatment",
        measured={
            "age": Measure(72, 7, (18, 120)),
            "school": Measure(11, 3, (0, 30)),
            "before": Measure(96, 14, (0, 300)),
            "pressure": Measure(138, 16, (0, 300)),
            "hours": Measure(7, 0, (0, 168), skew=0.6),
            "gene": Level({"0": 0.6, "1": 0.33, "2": 0.07}, (0.0, 1.0, 2.0)),
            "sex": SEX,
            "alone": two("no", "yes", 0.4),
        },
        bounds=(0, 300),
        level=98,
        effect=2.0,
        offset=-0.5,
        contrasts={"gene": 0.9, "age": 0.5, "hours": -0.4},
        mains={"before": 10.0, "school": 5.0, "age": -6.0},
        outcome=StudentT(degrees=5.0, scale=6.5),
    ),
    Sloppy(
        name="seizures",
        tests="a skewed count of attacks, within a bound that few would reach; less is better",
        measured={
            "age": Measure(36, 13, (0, 120)),
            "rate": Measure(9, 0, (0, 1000), skew=0.45),
            "onset": Measure(14, 0, (0, 120), skew=0.7),
            "drugs": Measure(2.2, 0.9, (0, 20)),
            "focal": two("no", "yes", 0.6),
            "sex": SEX,
            "lesion": two("no", "yes", 0.35),
        },
        bounds=(0, 200),
        level=2.1,
        effect=0.21,
        offset=0.5,
        contrasts={"focal": 0.8, "drugs": -0.7, "lesion": 0.4},
        mains={"rate": 0.3, "drugs": 0.1},
        link="exp",
        outcome=Gamma(shape=2.5),
        direction="smaller",
        linear=False,
    ),
    Sloppy(
        name="sugar",
        tests="a laboratory value that hangs on what it was before; less is better",
        measured={
            "age": AGE,
            "before": Measure(8.4, 1.1, (3, 25)),
            "years": Measure(7, 0, (0, 80), skew=0.7),
            "bmi": Measure(32, 6, (10, 100)),
            "egfr": Measure(78, 18, (0, 250)),
            "c-peptide": Measure(1.0, 0, (0, 30), skew=0.5),
            "insulin": two("no", "yes", 0.25),
            "sex": SEX,
            "smoker": SMOKER,
            "region": REGION,
        },
        bounds=(3, 25),
        level=7.7,
        effect=0.26,
        offset=0.5,
        contrasts={"c-peptide": 0.8, "bmi": 0.6, "insulin": -0.5},
        mains={"before": 0.7, "years": 0.2, "insulin": 0.2},
        outcome=Normal(0.8),
        direction="smaller",
    ),
    Sloppy(
        name="nothing",
        tests="no difference between the arms, bounds four times too wide",
        measured={"age": AGE, "bmi": BMI, "crp": CRP, "sex": SEX, "smoker": SMOKER, "pulse": PULSE},
        bounds=(0, 200),
        level=60,
        effect=0.0,
        offset=0.0,
        contrasts={},
        mains={"age": -6.0, "bmi": -4.0},
        outcome=Normal(12.0),
    ),
    Sloppy(
        name="one-for-all",
        tests="one arm is better by the same amount for everybody, and age matters in both",
        measured={"age": AGE, "bmi": BMI, "crp": CRP, "sex": SEX, "smoker": SMOKER, "pulse": PULSE},
        bounds=(0, 200),
        level=60,
        effect=4.0,
        offset=1.0,
        contrasts={},
        mains={"age": -6.0, "bmi": -4.0},
        outcome=Normal(12.0),
    ),
)

SLOPPY: Mapping[str, Sloppy] = MappingProxyType({each.name: each for each in _SLOPPY})
"""Every sloppy trial by its name, in a fixed order; in the last two nothing can be gained."""
