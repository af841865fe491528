r"""Observational data: who receives which arm depends on what also decides whom it helps.

.. math:: P(\text{second} \mid x) = \sigma(l^\top u), \qquad
    \mu_y(x) = \text{level} + m^\top u + y\,c^\top u/2, \quad y = \mp 1

with u in [−1, 1]³ the features in units of half their range. A rule that ignores P sees at x

.. math:: (\text{level} + m^\top u - \text{centre})\,(2P - 1) + c^\top u/2

instead of cᵀu/2. Where most benefits lie above the centre, the first term speaks for the arm that
people got; where the sick got the second arm and fare worse anyway, it speaks against that arm.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from scipy.special import expit

from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios.scenario import ARM, Normal, Outcome, Scenario, numbers, two_arms
from dpwerm.study.study import Study

BOUNDS: Mapping[str, tuple[int, int]] = {"severity": (0, 10), "age": (18, 80), "kidney": (0, 120)}
PROPENSITY = "propensity"
NOISE = Normal(5.0)


@dataclass(frozen=True, kw_only=True)
class Confounded(Scenario):
    """Quality of life under a mild and a strong drug that were given by indication.

    Parameters
    ----------
    gains : tuple of float
        c, what the strong drug gains over the mild one: for severity, age, kidney.
    logits : tuple of float
        l, so that the arms are equally frequent overall.
    main : tuple of float
        m, what each feature changes under both drugs.
    level : float
        The mean benefit of a person in the middle of every range.
    floor : str
        π_min as the study declares it; P(second | x) lies in [π_min, 1 − π_min].
    """

    gains: tuple[float, float, float]
    logits: tuple[float, float, float]
    main: tuple[float, float, float]
    level: float
    floor: str
    bounds: tuple[float, float] = (0.0, 100.0)
    arms: tuple[str, str] = ("mild", "strong")
    outcome: Outcome = NOISE

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
        return two_arms(self.level + u @ np.array(self.main), u @ np.array(self.gains))

    def propensity(self, table: pa.Table) -> FloatArray:
        """Return P(second arm | x), shape (n,)."""
        return np.asarray(expit(self._units(table) @ np.array(self.logits)))

    def draw(self, n: int, rng: np.random.Generator) -> pa.Table:
        """Return n people: features, arm received, benefit, and the true P(second arm | x)."""
        table = super().draw(n, rng)
        return table.append_column(PROPENSITY, pa.array(self.propensity(table)))

    # -- three declarations of one table ---------------------------------------------------------

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
