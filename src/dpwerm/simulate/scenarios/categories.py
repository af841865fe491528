"""Numbers and categories together: what the second arm gains depends on the levels.

    contrast(x) = 0.6·(severity − 5) − 0.05·(age − 49) + stage + region + 1.5·[smoker = yes]

in points of improvement. It is linear in the encoded features: a category of two levels is one
column, one of more levels is a column for each level.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios.scenario import Normal, Outcome, Scenario, numbers, two_arms

NOISE = Normal(1.5)
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
    """Two numbers and categories of three, five and two levels, in their own units."""

    bounds: tuple[float, float] = (-4.0, 18.0)
    arms: tuple[str, str] = ("control", "active")
    outcome: Outcome = NOISE

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
