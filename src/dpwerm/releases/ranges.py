r"""Private ranges: where the data lie inside bounds that were declared too wide.

Columns are scaled to u ∈ [−1, 1] by their declared bounds. Two releases, the second knowing the
first, each for all columns at once (docs/proofs/private-ranges.md):

.. math:: \tilde S_j = \sum_i u_{ij} + \text{noise}, \quad c_j = \tilde S_j/n; \qquad
          \tilde D_j = \sum_i \min(|u_{ij} - c_j|, \tfrac12) + \text{noise}

Replacing a row moves each S_j by at most 2 and each D_j by at most ½. The range is c ± a public
number of released mean deviations, within the declared bounds. From there on it is public, and a
fit runs inside it as if it had been declared. A missing benefit adds nothing to either sum.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import Frozen as Record
from dpwerm.features.blocks import NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.box_sums import UNIT, BoxSums
from dpwerm.parameters import SMALLEST
from dpwerm.privacy.budget import Budget, parted
from dpwerm.privacy.randomness import BitSource
from dpwerm.releases.certificate import Finite, Integer, Name, Text
from dpwerm.study.variables import Benefit

BENEFIT, FEATURES = "benefit", "features"
OF = (BENEFIT, FEATURES)

CENTRES = Decimal("0.6")
"""The part of the budget that the centres take; the deviations take the rest."""

CUT = Fraction(1, 2)
"""Where a deviation is cut."""

MOVES = (Fraction(2), CUT)
"""How far one replaced row moves each sum of the two releases."""

DEVIATIONS = {BENEFIT: Fraction(3), FEATURES: Fraction(5, 2)}
"""How many released mean deviations a range reaches to either side of its centre."""

LEAST = 2
"""A deviation counts as at least so many times the mean size of its own noise."""

_BLOCK = 1 << 20


def steps(count: int, budget: Budget) -> tuple[BoxSums, BoxSums]:
    """Return the releases of ``count`` centres and of their deviations; together they cost it."""
    first, second = parted(budget, CENTRES, "the centres of private ranges")
    return BoxSums(count, MOVES[0], first), BoxSums(count, MOVES[1], second)


@dataclass(frozen=True)
class Declared:
    """A column with its declared bounds, in its own units; default: of a number, else None."""

    name: str
    lower: float
    upper: float
    default: float | None = None


@dataclass(frozen=True)
class Ranges:
    """Released ranges of the benefit, or of all numbers among the features; public.

    of : "benefit" or "features"
    columns : as declared
    n : how many rows there were, public under replace-one
    budget : what both releases cost together
    centres, deviations : whole numbers on the grids of the two releases
    """

    of: str
    columns: tuple[Declared, ...]
    n: int
    budget: Budget
    centres: tuple[int, ...]
    deviations: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.of not in OF or self.n < 1:
            raise ParameterError("these are no ranges")
        if not len(self.columns) == len(self.centres) == len(self.deviations):
            raise ParameterError("ranges need one centre and one deviation for each column")
        steps(len(self.columns), self.budget)

    @property
    def ends(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Both ends of each range in units of half the declared one, 0 in its middle."""
        first, second = steps(len(self.columns), self.budget)
        pairs = zip(self.centres, self.deviations, strict=True)
        found = []
        for centre, deviation in pairs:
            c = _centre(centre, first.exponent, self.n)
            least = LEAST * second.mean_size
            d = max(deviation * Fraction(2) ** second.exponent, least) / self.n
            half = DEVIATIONS[self.of] * d
            found.append((max(c - half, Fraction(-1)), min(c + half, Fraction(1))))
        return tuple(found)

    def benefit(self, declared: Benefit) -> Benefit:
        """Return the benefit with the released range in the place of its bounds."""
        ((low, high),) = self.ends
        lower, upper = map(Fraction, declared.range)
        place, half = (lower + upper) / 2, (upper - lower) / 2
        two = [float(place + end * half) for end in (low, high)]
        if declared.direction == "smaller":
            two = [-end for end in reversed(two)]
        if declared.transform == "log":
            two = [math.exp(end) for end in two]
        least, most = declared.bounds
        bounds = (min(max(two[0], least), most), max(min(two[1], most), least))
        inside = declared.model_copy(update={"bounds": bounds})
        if not bounds[0] < bounds[1] or not _apart(*inside.range):
            return declared  # so narrow that doubles cannot tell its ends apart
        return inside

    def encoding(self, declared: Encoding) -> Encoding:
        """Return the encoding with the released ranges in the place of its numbers' bounds."""
        ends = dict(zip((one.name for one in self.columns), self.ends, strict=True))
        blocks = [
            _inside(block, *ends[block.name]) if isinstance(block, NumberBlock) else block
            for block in declared.blocks
        ]
        return declared.changed(blocks=tuple(blocks))

    def undone(self, used: Encoding) -> Encoding:
        """Return the encoding as it was declared, from the one that was used."""
        known = {one.name: one for one in self.columns if one.default is not None}
        names = {block.name for block in used.blocks if isinstance(block, NumberBlock)}
        if known.keys() != names:
            raise ParameterError("private ranges are not of the numbers among the features")
        blocks = [
            block.model_copy(
                update={key: getattr(known[block.name], key) for key in ("lower", "upper")}
                | {"default": known[block.name].default}
            )
            if isinstance(block, NumberBlock)
            else block
            for block in used.blocks
        ]
        return used.changed(blocks=tuple(blocks))

    @classmethod
    def released(
        cls, of: str, columns: Sequence[Declared], u: FloatArray, budget: Budget, bits: BitSource
    ) -> "Ranges":
        """Return the ranges of columns u (n, m) in [−1, 1], NaN where missing: sensitive."""
        n, count = u.shape
        first, second = steps(count, budget)
        known = ~np.isnan(u)
        whole = np.where(known, np.clip(np.rint(np.nan_to_num(u) * UNIT), -UNIT, UNIT), 0)
        rows = whole.astype(np.int64)
        centres = first.release(_sums(rows), bits.substream())
        middle = [int(_centre(one, first.exponent, n) * UNIT) for one in centres]
        far = np.minimum(np.abs(rows - np.array(middle, dtype=np.int64)), int(CUT * UNIT))
        deviations = second.release(_sums(np.where(known, far, 0)), bits.substream())
        return cls(of, tuple(columns), n, budget, centres, deviations)

    def plain(self) -> dict[str, Any]:
        """Return plain values for a rule file."""
        first, second = steps(len(self.columns), self.budget)
        return {
            "of": self.of,
            "epsilon": str(self.budget.epsilon),
            "n": self.n,
            "columns": [
                {"name": one.name, "bounds": [one.lower, one.upper], "default": one.default}
                for one in self.columns
            ],
            "centres": {"integers": list(self.centres), **_step(first)},
            "deviations": {"integers": list(self.deviations), **_step(second)},
            "claim": BoxSums.statement,
            "proof": BoxSums.proof,
        }


def benefit_column(benefit: Benefit) -> tuple[Declared, ...]:
    """Return the benefit's column as it was declared."""
    return (Declared(BENEFIT, *benefit.bounds),)


def number_columns(encoding: Encoding) -> tuple[Declared, ...]:
    """Return the numbers among the features as they were declared."""
    return tuple(
        Declared(block.name, block.lower, block.upper, block.default)
        for block in encoding.blocks
        if isinstance(block, NumberBlock)
    )


def numbers_of(encoding: Encoding, encode: Callable[[Encoding], FloatArray]) -> FloatArray:
    """Return the numbers among the features scaled to [−1, 1], (n, m): sensitive."""
    plain = encoding.changed(kind="centred", saturation=1.0)
    places = np.cumsum([0, *(block.width for block in plain.blocks)]).tolist()
    pairs = zip(plain.blocks, places, strict=False)
    return encode(plain)[:, [at for block, at in pairs if isinstance(block, NumberBlock)]]


def _step(sums: BoxSums) -> dict[str, Any]:
    return {
        "exponent": sums.exponent,
        "sensitivity": float(sums.sensitivity),
        "epsilon": str(sums.budget.epsilon),
        "scale": sums.scale,
    }


def _centre(integer: int, exponent: int, n: int) -> Fraction:
    """Return a released centre within [−1, 1]."""
    return min(max(integer * Fraction(2) ** exponent / n, Fraction(-1)), Fraction(1))


def _sums(rows: IntArray) -> list[Fraction]:
    """Return the sum of each column of whole numbers, exactly, in units of a row's 1."""
    totals = [0] * rows.shape[1]
    for start in range(0, len(rows), _BLOCK):
        for place, part in enumerate(rows[start : start + _BLOCK].sum(axis=0).tolist()):
            totals[place] += part
    return [Fraction(total, UNIT) for total in totals]


def _inside(block: NumberBlock, low: Fraction, high: Fraction) -> NumberBlock:
    """Return a number with a narrower range, the default at its end where it lies outside."""
    lower, upper = Fraction(block.lower), Fraction(block.upper)
    place, half = (lower + upper) / 2, (upper - lower) / 2
    least, most = float(place + low * half), float(place + high * half)
    least, most = max(least, block.lower), min(most, block.upper)
    if not _apart(least, most):
        return block  # so narrow that doubles cannot tell its ends apart
    default = min(max(block.default, least), most)
    return block.model_copy(update={"lower": least, "upper": most, "default": default})


def _apart(low: float, high: float) -> bool:
    """Whether a range can be scaled to [−1, 1] in doubles without losing its rows."""
    return high - low >= max(SMALLEST, 1e-9 * max(abs(low), abs(high)))


# -- files -----------------------------------------------------------------------------------


class ColumnRecord(Record):
    """A column with the bounds that were declared."""

    name: Text
    bounds: Annotated[list[Finite], Field(min_length=2, max_length=2)]
    default: Finite | None


class StepRecord(Record):
    """What one of the two releases gave: whole numbers on the grid 2^exponent."""

    integers: list[Integer]
    exponent: Integer
    sensitivity: Finite
    epsilon: Name
    scale: Finite


class RangesRecord(Record):
    """Ranges in a rule file."""

    of: Literal["benefit", "features"]
    epsilon: Name
    n: Annotated[int, Field(ge=1, le=10**12, strict=True)]
    columns: list[ColumnRecord]
    centres: StepRecord
    deviations: StepRecord
    claim: Text
    proof: Name

    def ranges(self) -> Ranges:
        """Return the ranges; what follows from them is compared by ``verify``."""
        columns = [
            Declared(one.name, one.bounds[0], one.bounds[1], one.default) for one in self.columns
        ]
        return Ranges(
            self.of,
            tuple(columns),
            self.n,
            Budget.of(self.epsilon),
            tuple(self.centres.integers),
            tuple(self.deviations.integers),
        )
