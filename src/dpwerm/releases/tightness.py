r"""Private tightness: how much of their declared bounds benefit and numbers fill, as one number.

.. math:: t = \frac{1}{m} \sum_{j \le m} \frac{2}{n(n-1)} \sum_{i < k}
          \min(|u_{ij} - u_{kj}|, \tfrac{1}{2})

with u in [−1, 1] by the declared bounds: how far two people are apart on average. One person is in
n − 1 of the pairs and moves each by at most ½, so noise on their sum covers (n − 1)/2, which is 1/n
of t. A uniform column has 0.39; bounds several times too wide give half of that or less. t decides
between two settled forms of a fit: for trials that were declared tightly, and for all others.
Rows are rounded to whole numbers of 2^−12, so counts are enough and the sum is exact.
Proof: docs/proofs/private-ranges.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from pydantic import Field

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import Frozen as Record
from dpwerm.mechanisms.box_sums import BoxSums
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import BitSource
from dpwerm.releases.certificate import Finite, Integer, Name, Text

STEP_BITS = 12
STEP = 1 << STEP_BITS
"""A column's 1, in whole numbers."""

CUT = Fraction(1, 2)
"""Where the difference of two people is cut."""

TIGHT = Fraction(13, 50)
"""From this on a trial counts as declared tightly: between what synthetic trials of either kind
have, a median of 0.36 and one of 0.15."""

AMONG = (", declared tightly", ", with bounds far too wide")
"""Of which synthetic trials an answer is the best, once a tightness was released; in its reason."""


@dataclass(frozen=True)
class Tightness:
    """A released tightness; public.

    columns : the names of what was averaged, the benefit first if it is among them
    n : how many rows there were, public under replace-one
    budget : what the release cost
    integer : a whole number on the grid of the release
    """

    columns: tuple[str, ...]
    n: int
    budget: Budget
    integer: int

    def __post_init__(self) -> None:
        if not self.columns or self.n < 1:
            raise ParameterError("this is no tightness")
        law(self.n, self.budget)

    @property
    def value(self) -> Fraction:
        """How far two people are apart on average, in units of half the declared bounds."""
        noisy = self.integer * Fraction(2) ** law(self.n, self.budget).exponent
        return noisy / _pairs(self.n)

    @property
    def tight(self) -> bool:
        """Whether the trial counts as declared tightly."""
        return self.value >= TIGHT

    @classmethod
    def released(
        cls, columns: Sequence[str], u: FloatArray, budget: Budget, bits: BitSource
    ) -> "Tightness":
        """Return the tightness of columns u (n, m) in [−1, 1], NaN where missing: sensitive."""
        n = len(u)
        (noisy,) = law(n, budget).release([apart(u)], bits.substream())
        return cls(tuple(columns), n, budget, noisy)

    def plain(self) -> dict[str, Any]:
        """Return plain values for a rule file."""
        used = law(self.n, self.budget)
        return {
            "columns": list(self.columns),
            "n": self.n,
            "epsilon": str(self.budget.epsilon),
            "integer": self.integer,
            "exponent": used.exponent,
            "sensitivity": float(used.sensitivity),
            "scale": used.scale,
            "tight": self.tight,
            "claim": BoxSums.statement,
            "proof": BoxSums.proof,
        }


def law(n: int, budget: Budget) -> BoxSums:
    """Return the release of the sum over all pairs of n people."""
    return BoxSums(1, CUT * max(n - 1, 1), budget)


def _pairs(n: int) -> int:
    return max(n * (n - 1) // 2, 1)


def apart(u: FloatArray) -> Fraction:
    """Return the sum over pairs of their mean cut difference, exactly: sensitive.

    u : (n, m); whoever misses a value differs from nobody there
    """
    total = 0
    for column in u.T:
        known = column[~np.isnan(column)]
        steps = np.clip(np.rint(known * STEP), -STEP, STEP).astype(np.int64) + STEP
        total += _between(np.bincount(steps, minlength=2 * STEP + 1).tolist())
    return Fraction(total, STEP * u.shape[1])


def _between(counts: list[int]) -> int:
    """Return the sum of min(difference, cut) over pairs of people, from how many stand where."""
    cut = int(CUT * STEP)
    total = near = reach = behind = 0  # of those less than a cut behind: how many, and how far
    for place, count in enumerate(counts):
        reach += near  # all of them fall one further behind
        if place >= cut:
            gone = counts[place - cut]
            near, reach, behind = near - gone, reach - gone * cut, behind + gone
        total += count * (reach + behind * cut)
        near += count
    return total


def simulated_tight(u: FloatArray, n: int, budget: Budget, rng: Generator) -> NDArray[np.bool_]:
    """Return which synthetic trials u (B, rows, m) of n people would count as tight, (B,).

    From half as many pairs as there are rows, whose mean is nearly that of all.
    """
    half = u.shape[1] // 2
    far = np.minimum(np.abs(u[:, :half] - u[:, half : 2 * half]), float(CUT))
    scale = law(n, budget).scale / _pairs(n)
    noisy = far.mean(axis=(1, 2)) + rng.laplace(0.0, scale, size=len(u))
    return np.asarray(noisy >= float(TIGHT))


class TightnessRecord(Record):
    """A tightness in a rule file."""

    columns: list[Text]
    n: Annotated[int, Field(ge=1, le=10**12, strict=True)]
    epsilon: Name
    integer: Integer
    exponent: Integer
    sensitivity: Finite
    scale: Finite
    tight: Annotated[bool, Field(strict=True)]
    claim: Text
    proof: Name

    def tightness(self) -> Tightness:
        """Return the tightness; what follows from it is compared by ``verify``."""
        return Tightness(tuple(self.columns), self.n, Budget.of(self.epsilon), self.integer)
