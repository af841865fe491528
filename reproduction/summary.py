r"""Means over independent repeats, with 95 % intervals.

.. math:: \bar a \pm t_{R-1}\, s/\sqrt R

because repeats are independent and many; t is the 97.5 % quantile of Student's law.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from dpwerm.arrays import FloatArray


@dataclass(frozen=True)
class Summary:
    """A mean, the half width of its interval, and the number of repeats."""

    mean: float
    half: float
    repeats: int

    @classmethod
    def of(cls, repeats: FloatArray, alarms: int = 1) -> "Summary":
        """Return the mean of at least two repeats, shape (R,).

        alarms : how many intervals are to hold together with 95 %; each is then wider
        """
        count = len(repeats)
        quantile = float(student.ppf(1.0 - 0.025 / alarms, count - 1))
        half = quantile * float(repeats.std(ddof=1)) / math.sqrt(count)
        return cls(float(repeats.mean()), half, count)

    def text(self, digits: int) -> str:
        """Return the mean and the half width."""
        return f"{self.mean:.{digits}f} ± {self.half:.{digits}f}"


def standard_errors_apart(repeats: FloatArray, mean: float, error: float) -> float:
    """Return z: the mean of repeats minus another mean, in standard errors of the difference."""
    own = float(repeats.std(ddof=1)) / math.sqrt(len(repeats))
    return (float(repeats.mean()) - mean) / math.hypot(own, error)


def rounded(number: float) -> float:
    """Return a number with seven significant digits, for a file."""
    return float(f"{number:.7g}")


def as_array(values: list[float]) -> FloatArray:
    """Return repeats as they come from a journal."""
    return np.asarray(values, dtype=np.float64)
