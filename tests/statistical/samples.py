"""Samples of released noise, drawn once and used by several tests, with their rounding error."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from tests.unit.mechanisms.laws import NOISE_LAWS

from dpwerm.arrays import FloatArray
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.randomness import bit_source

SENSITIVITY = 0.7
BUDGETS = {
    "spherical-laplace": Budget.of("0.3"),
    "product-laplace": Budget.of("0.3"),
    "gaussian": Budget.of("0.3", "1e-6"),
}
NOTIONS = {"zcdp": Budget.zcdp("0.02"), "gdp": Budget.gdp("0.2")}
"""Gaussian noise asked for in the other notions; both have σ = 5Δ."""

GAUSSIAN_MULTIPLIER = 12.992382894843
"""σ/Δ for that budget: the root of Balle and Wang's equation, found in another library."""

SOURCES = {"operating system": None, "seed": 20240607}


@dataclass(frozen=True)
class Sample:
    """Noise (m, p) in units of the scale the claim needs; each entry is off by ``rounding``."""

    noise: FloatArray
    rounding: float


@lru_cache(maxsize=32)
def released_noise(mechanism: str, source: str, p: int, m: int) -> Sample:
    """Return m releases of a θ that is off the grid, with θ taken away again.

    ``mechanism`` is a key of BUDGETS or of NOTIONS.
    """
    # The scale is derived here once more, not read from the noise record.
    scale = {
        "spherical-laplace": SENSITIVITY / 0.3,
        "product-laplace": np.sqrt(p) * SENSITIVITY / 0.3,
        "gaussian": SENSITIVITY * GAUSSIAN_MULTIPLIER,
        "zcdp": SENSITIVITY / np.sqrt(2 * 0.02),
        "gdp": SENSITIVITY / 0.2,
    }[mechanism]
    bits = bit_source(SOURCES[source])
    runner = NOISE_LAWS["gaussian" if mechanism in NOTIONS else mechanism]
    budgets: dict[str, AnyBudget] = {**BUDGETS, **NOTIONS}
    record = runner.noise_for(SENSITIVITY, p, budgets[mechanism])
    theta = [Fraction(j + 1, 3) for j in range(p)]
    grid = 2.0**record.exponent
    steps = np.array([runner.release(theta, record, bits) for _ in range(m)], dtype=np.float64)
    noise = (steps * grid - np.array([float(t) for t in theta])) / scale
    return Sample(noise, 0.5 * grid / scale * (1 + 1e-9))
