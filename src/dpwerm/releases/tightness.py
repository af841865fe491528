r"""Private tightness: how much of their declared bounds benefit and numbers fill, as two numbers.

.. math:: t = \frac{1}{m} \sum_{j \le m} \frac{2}{n(n-1)} \sum_{i < k}
          \min(|u_{ij} - u_{kj}|, \tfrac{1}{2})

with u in [−1, 1] by the declared bounds: how far two people are apart on average, once in the
benefit and once over all numbers among the features. One person is in n − 1 of the pairs and moves
each by at most ½, in either sum, so noise that is uniform in a box covers (n − 1)/2 in both at
once, which is 1/n of t. A uniform column has 0.39; bounds several times too wide give half of that
or less. Both decide between two settled forms of a fit: for trials that were declared tightly, and
for all others. One mean over all would not do: features that fill their bounds would outvote a
benefit that does not. Rows are rounded to whole numbers of 2^−12, so counts are enough and the sums
are exact.
Proof: docs/proofs/private-ranges.md.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

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
from dpwerm.releases.ranges import BENEFIT, FEATURES

STEP_BITS = 12
STEP = 1 << STEP_BITS
"""A column's 1, in whole numbers."""

CUT = Fraction(1, 2)
"""Where the difference of two people is cut."""

TOGETHER = "benefit and features"
"""What a tightness in files of earlier versions is of: one mean over benefit and numbers."""

TIGHT = {BENEFIT: Fraction(17, 100), FEATURES: Fraction(13, 50), TOGETHER: Fraction(13, 50)}
"""From this on bounds count as tight: between what synthetic trials of either kind have, medians of
0.32 and of 0.09 to 0.12 for the benefit, of 0.38 and of 0.16 for the features."""

AMONG = (", declared tightly", ", with bounds far too wide")
"""Of which synthetic trials an answer is the best, once a tightness was released; in its reason."""


@dataclass(frozen=True)
class Filled:
    """One number of a tightness: how far people are apart in some columns.

    of : the benefit or the features; columns : their names
    integer : a whole number on the grid of the release
    """

    of: str
    columns: tuple[str, ...]
    integer: int


@dataclass(frozen=True)
class Tightness:
    """A released tightness; public.

    filled : the benefit and the features, or one of them
    n : how many rows there were, public under replace-one
    budget : what the release cost
    """

    filled: tuple[Filled, ...]
    n: int
    budget: Budget

    def __post_init__(self) -> None:
        of = [one.of for one in self.filled]
        known = of == [TOGETHER] or (of and {*of} <= {BENEFIT, FEATURES})
        known = known and all(one.columns for one in self.filled)
        if not known or len({*of}) < len(of) or self.n < 1:
            raise ParameterError("this is no tightness")
        law(len(of), self.n, self.budget)

    @property
    def law(self) -> BoxSums:
        """The law of its noise."""
        return law(len(self.filled), self.n, self.budget)

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The names of what was averaged."""
        return {one.of: one.columns for one in self.filled}

    @property
    def values(self) -> dict[str, Fraction]:
        """How far two people are apart on average, in units of half the declared bounds."""
        unit = Fraction(2) ** self.law.exponent / _pairs(self.n)
        return {one.of: one.integer * unit for one in self.filled}

    @property
    def tight(self) -> bool:
        """Whether the trial counts as declared tightly: benefit and features alike."""
        return all(value >= TIGHT[of] for of, value in self.values.items())

    @classmethod
    def released(
        cls,
        columns: Mapping[str, Sequence[str]],
        u: Mapping[str, FloatArray],
        budget: Budget,
        bits: BitSource,
    ) -> "Tightness":
        """Return the tightness of columns u (n, m) in [−1, 1], NaN where missing: sensitive."""
        (n,) = {len(rows) for rows in u.values()}
        sums = [apart(u[of]) for of in columns]
        noisy = law(len(sums), n, budget).release(sums, bits.substream())
        found = zip(columns.items(), noisy, strict=True)
        return cls(tuple(Filled(of, tuple(names), k) for (of, names), k in found), n, budget)

    def plain(self) -> dict[str, Any]:
        """Return plain values for a rule file."""
        used = self.law
        each = [
            {"of": one.of, "columns": list(one.columns), "integer": one.integer}
            for one in self.filled
        ]
        (first, *_) = self.filled
        old = {"columns": list(first.columns), "integer": first.integer}
        return {
            **(old if first.of == TOGETHER else {"filled": each}),
            "n": self.n,
            "epsilon": str(self.budget.epsilon),
            "exponent": used.exponent,
            "sensitivity": float(used.sensitivity),
            "scale": used.scale,
            "tight": self.tight,
            "claim": BoxSums.statement,
            "proof": BoxSums.proof,
        }


def law(count: int, n: int, budget: Budget) -> BoxSums:
    """Return the release of ``count`` sums over all pairs of n people."""
    return BoxSums(count, CUT * max(n - 1, 1), budget)


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


def simulated_tight(
    u: Mapping[str, FloatArray], n: int, budget: Budget, rng: Generator
) -> NDArray[np.bool_]:
    """Return which synthetic trials u (B, rows, m) of n people would count as tight, (B,).

    From half as many pairs as there are rows, whose mean is nearly that of all.
    """
    cut, means = float(CUT), []
    for rows in u.values():
        half = rows.shape[1] // 2
        far = np.minimum(np.abs(rows[:, :half] - rows[:, half : 2 * half]), cut)
        means.append(far.mean(axis=(1, 2)))
    found, m = np.stack(means, axis=1), len(u)
    radius = law(m, n, budget).scale / _pairs(n) * rng.gamma(m + 1, size=(len(found), 1))
    noisy = found + radius * rng.uniform(-1.0, 1.0, size=found.shape)
    return np.asarray((noisy >= [float(TIGHT[of]) for of in u]).all(axis=1))


class FilledRecord(Record):
    """One number of a tightness in a rule file."""

    of: Literal["benefit", "features"]
    columns: list[Text]
    integer: Integer

    def filled(self) -> Filled:
        """Return the number."""
        return Filled(self.of, tuple(self.columns), self.integer)


class TightnessRecord(Record):
    """A tightness in a rule file: ``columns`` and ``integer`` in those of earlier versions."""

    filled: list[FilledRecord] | None = None
    columns: list[Text] | None = None
    n: Annotated[int, Field(ge=1, le=10**12, strict=True)]
    epsilon: Name
    integer: Integer | None = None
    exponent: Integer
    sensitivity: Finite
    scale: Finite
    tight: Annotated[bool, Field(strict=True)]
    claim: Text
    proof: Name

    def tightness(self) -> Tightness:
        """Return the tightness; what follows from it is compared by ``verify``."""
        given = (self.filled is None, self.columns is None, self.integer is None)
        if given not in ((False, True, True), (True, False, False)):
            raise ParameterError("this is no tightness")
        filled = tuple(one.filled() for one in self.filled or ())
        if self.columns is not None and self.integer is not None:
            filled = (Filled(TOGETHER, tuple(self.columns), self.integer),)
        return Tightness(filled, self.n, Budget.of(self.epsilon))
