r"""A trial whose truth is known: what is public about it, what it draws, and which rule is best.

.. math:: V(T) = E[\mu_{T(x)}(x)], \qquad V^* = E[\max(\mu_-(x), \mu_+(x))]

with μ∓(x) = E[B | x, first or second arm]. People are images of uniform numbers, so the expectation
of a truth is a sum over an even point set of the unit cube: always the same number, no seed. A
benefit scatters around its mean by one of three laws, each with exactly the mean it is given.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.study.study import Study

ARM, BENEFIT = "arm", "benefit"
POINTS_LOG2 = 18

ArmArray = NDArray[np.object_]
"""One arm label per person."""


Outcome = Callable[[FloatArray, np.random.Generator], FloatArray]
"""A law of the benefit: draws one for each mean, shape (n,), and prints as a few words."""


@dataclass(frozen=True)
class Normal:
    """N(mean, sd²); sd: float > 0."""

    sd: float = 0.5

    def __str__(self) -> str:
        return f"normal, sd {self.sd:g}"

    def __call__(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one benefit for each mean, shape (n,)."""
        return rng.normal(mean, self.sd)


@dataclass(frozen=True)
class StudentT:
    """mean + scale·t; with more than one degree of freedom the mean exists and is as given."""

    degrees: float = 3.0
    scale: float = 1.5

    def __str__(self) -> str:
        return f"{self.scale:g} × Student's t, {self.degrees:g} degrees of freedom"

    def __call__(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one benefit for each mean, shape (n,)."""
        return mean + self.scale * rng.standard_t(self.degrees, size=len(mean))


@dataclass(frozen=True)
class ZeroOne:
    """1 with probability ``mean``, else 0."""

    def __str__(self) -> str:
        return "0 or 1"

    def __call__(self, mean: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Return one benefit for each mean, shape (n,)."""
        return (rng.random(len(mean)) < mean).astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class Scenario(ABC):
    """A simulated two-arm trial with its public declaration and its truth.

    name : also the id of the study; tests : what the scenario is there to show
    bounds : declared, of the benefit; a draw beyond them is rare, and truths ignore the clipping
    probabilities : P(first arm), P(second arm) over all people, by design unless a scenario says
        otherwise, as a study file writes them
    linear : whether {contrast = 0} is a hyperplane of the encoded features, or empty, or everything
    outcome : the law of the benefit around its mean
    too_wide : float ≥ 1, how many times as wide as they need be all bounds are declared
    """

    name: str
    tests: str
    bounds: tuple[float, float] = (-7.5, 7.5)
    arms: tuple[str, str] = ("A", "B")
    probabilities: tuple[str, str] = ("1/2", "1/2")
    linear: bool = True
    outcome: Outcome = field(default_factory=Normal)
    too_wide: float = field(default=1.0, repr=False)

    @abstractmethod
    def features(self) -> Mapping[str, Mapping[str, object]]:
        """Return the declaration of each feature, with the keys of a study file."""

    @abstractmethod
    def place(self, uniforms: FloatArray) -> pa.Table:
        """Return the features of people from independent uniform numbers, one column each."""

    @abstractmethod
    def means(self, table: pa.Table) -> FloatArray:
        """Return E[B | x, arm], shape (n, 2), first arm first."""

    def treatment(self) -> Mapping[str, object]:
        """Return [treatment] of the study: the arms with their probabilities by design."""
        return {"column": ARM, "arms": dict(zip(self.arms, self.probabilities, strict=True))}

    def benefit(self) -> Mapping[str, object]:
        """Return [benefit] of the study."""
        return {"column": BENEFIT, "bounds": list(self.bounds)}

    def study(self) -> Study:
        """Return the public declaration; nothing in it is learned from a draw."""
        return self.study_with(self.treatment())

    def study_with(
        self, treatment: Mapping[str, object], benefit: Mapping[str, object] | None = None
    ) -> Study:
        """Return the declaration with another [treatment], and another [benefit] if given."""
        declared: dict[str, object] = {
            "format": 1,
            "study": {"id": self.name, "name": f"Simulated: {self.tests}"},
            "features": {name: self._wide(one) for name, one in self.features().items()},
            "treatment": treatment,
            "benefit": self._wide(benefit or self.benefit()),
        }
        return Study.from_dict(declared, f"scenario {self.name}")

    def _wide(self, declared: Mapping[str, object]) -> dict[str, object]:
        """Return a declaration with its bounds, if it has any, as wide as they are declared."""
        found = dict(declared)
        if self.too_wide != 1 and "bounds" in found:
            low, high = map(float, cast("Sequence[float]", found["bounds"]))
            by = (self.too_wide - 1) * (high - low) / 2
            found["bounds"] = [low - by, high + by]
        return found

    def people(self, n: int, rng: np.random.Generator) -> pa.Table:
        """Return the features of n people in the columns' own units."""
        return self.place(rng.random((n, len(self.features()))))

    def propensity(self, table: pa.Table) -> FloatArray:
        """Return P(second arm | x) of each row; by design the same for everybody."""
        return np.full(table.num_rows, float(Fraction(self.probabilities[1])))

    def draw(self, n: int, rng: np.random.Generator) -> pa.Table:
        """Return a trial of n people: features, arm received, benefit."""
        table = self.people(n, rng)
        second = rng.random(n) < self.propensity(table)
        mean = self.means(table)[np.arange(n), second.astype(np.int64)]
        arms = np.where(second, self.arms[1], self.arms[0])
        table = table.append_column(ARM, pa.array(arms))
        return table.append_column(BENEFIT, pa.array(self.outcome(mean, rng)))

    def contrast(self, table: pa.Table) -> FloatArray:
        """Return E[B | x, second arm] − E[B | x, first arm] of each row, before any clipping."""
        means = self.means(table)
        return np.asarray(means[:, 1] - means[:, 0])

    def best(self, table: pa.Table) -> ArmArray:
        """Return the better arm of each row; the first where both are equal."""
        return np.where(self.contrast(table) > 0, self.arms[1], self.arms[0]).astype(object)

    def value(self, table: pa.Table, arms: Sequence[str] | ArmArray) -> float:
        """Return the mean over rows of E[B | x, arm given]."""
        second = self._is_second(table, arms)
        means = self.means(table)
        return float(np.where(second, means[:, 1], means[:, 0]).mean())

    def accuracy(self, table: pa.Table, arms: Sequence[str] | ArmArray) -> float:
        """Return the share of rows given their better arm; where both are equal either is right."""
        second = self._is_second(table, arms)
        contrast = self.contrast(table)
        return float(np.mean((contrast == 0) | ((contrast > 0) == second)))

    @property
    def optimal_value(self) -> float:
        """The expected benefit when everybody gets the better arm."""
        return self._truth[0]

    @property
    def best_fixed_arm_value(self) -> float:
        """The expected benefit when everybody gets the one arm that is better on average."""
        return self._truth[1]

    @property
    def second_arm_share(self) -> float:
        """The share of people for whom the second arm is strictly better."""
        return self._truth[2]

    @cached_property
    def _truth(self) -> tuple[float, float, float]:
        """V*, the best fixed arm's value and the second arm's share, over 2^18 Sobol points."""
        # It takes a second to load, and nothing but truths needs it.
        from scipy.stats import qmc

        points = qmc.Sobol(len(self.features()), scramble=False).random_base2(POINTS_LOG2)
        table = self.place(points + 0.5**POINTS_LOG2 / 2)
        first, second = np.ascontiguousarray(self.means(table).T)
        # Sums in one order round alike, so no fixed arm comes out above the optimum.
        optimal = np.maximum(first, second).mean()
        fixed = max(first.mean(), second.mean())
        return float(optimal), float(fixed), float((self.contrast(table) > 0).mean())

    def _is_second(self, table: pa.Table, arms: Sequence[str] | ArmArray) -> NDArray[np.bool_]:
        given = np.asarray(arms, dtype=object)
        if given.shape != (table.num_rows,):
            raise ParameterError(f"arms must be one label for each of {table.num_rows} rows")
        second = given == self.arms[1]
        if not np.all(second | (given == self.arms[0])):
            raise ParameterError(f"arms must be {self.arms[0]} or {self.arms[1]}")
        return np.asarray(second, dtype=bool)


def numbers(table: pa.Table, name: str) -> FloatArray:
    """Return a column of numbers as doubles, shape (n,)."""
    return np.asarray(table[name].to_numpy(), dtype=np.float64)


def two_arms(main: FloatArray, contrast: FloatArray) -> FloatArray:
    """Return the means main ∓ contrast/2, shape (n, 2)."""
    return np.column_stack([main - contrast / 2, main + contrast / 2])
