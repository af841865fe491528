"""Other releases as targets: sums of an evaluation, and private choices.

Each is audited at the place where its claim is made: sums at rows of shares, choices at scores that
one person moves by Δ.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.audit.target import Key, Pair, luck
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.mechanisms.laplace_sums import UNIT, LaplaceSums, exact_sums
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import OperatingSystemBits
from dpwerm.privacy.relation import Relation

Rows = tuple[IntArray, IntArray]
"""The cells (n,) and the shares (n, K) of some rows."""


@dataclass(frozen=True)
class SumsTarget:
    """The sums of an evaluation: every row's shares add up to at most 1.

    Parameters
    ----------
    budget : Budget with δ = 0
    cells, pieces : int ≥ 1, how many cells there are and how many shares a row has
    relation : Relation
    """

    budget: Budget
    cells: int = 4
    pieces: int = 2
    relation: Relation = Relation.REPLACE_ONE

    name: ClassVar[str] = "laplace-sums"

    @property
    def claim(self) -> Budget:
        """What the sums cost together."""
        return self.budget

    @property
    def dimension(self) -> int:
        """How many sums there are."""
        return self.cells * self.pieces

    @property
    def _noise(self) -> LaplaceSums:
        return LaplaceSums(self.dimension, self.relation, self.budget)

    def pairs(self) -> Sequence[Pair]:
        """Return a row in one sum, and in another, spread over several, or left out."""
        one = self._row(0, [UNIT] + [0] * (self.pieces - 1))
        other = self._row(self.cells - 1, [0] * (self.pieces - 1) + [UNIT])
        nobody = self._row(-1, [0] * self.pieces)
        even = self._row(self.cells - 1, [UNIT // self.pieces] * self.pieces)
        if self.relation is Relation.ADD_REMOVE:
            return [Pair("a row, and nobody", one, nobody), Pair("spread", even, nobody)]
        return [
            Pair("a row in one sum, and in another", one, other),
            Pair("a row in one sum, and spread", one, even),
            Pair("a row, and nobody", one, nobody),
        ]

    def _row(self, cell: int, shares: list[int]) -> Rows:
        return np.array([cell]), np.array([shares], dtype=np.int64)

    def outputs(self, data: Rows, runs: int, key: Key) -> FloatArray:
        """Return the sums with simulated noise, on their grid."""
        noise = self._noise
        drawn = luck(*key).laplace(size=(runs, self.dimension)) * noise.scale
        grid = 2.0**noise.exponent
        return np.asarray(np.round((self._sums(data) + drawn) / grid) * grid)

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return the log-likelihood ratio: a difference of ℓ₁ distances."""
        one, other = (np.abs(outputs - self._sums(data)).sum(axis=1) for data in pair.both)
        return np.asarray((other - one) / self._noise.scale)

    def exact(self, data: Rows, runs: int) -> FloatArray:
        """Return real releases."""
        noise, bits = self._noise, OperatingSystemBits()
        flat = [one for cell in exact_sums(*data, self.cells) for one in cell]
        found = [noise.release(flat, bits) for _ in range(runs)]
        return np.array(found, float).reshape(runs, self.dimension) * 2.0**noise.exponent

    def _sums(self, data: Rows) -> FloatArray:
        return np.array(exact_sums(*data, self.cells), float).reshape(-1) / UNIT


@dataclass(frozen=True)
class ChoiceTarget:
    """A private choice among candidates by whole scores, by the exponential mechanism.

    Parameters
    ----------
    budget : Budget with δ = 0
    candidates : int ≥ 2
    sensitivity : int ≥ 1, Δ
    """

    budget: Budget
    candidates: int = 5
    sensitivity: int = 1000

    name: ClassVar[str] = ExponentialMechanism.name
    dimension: ClassVar[int] = 1

    @property
    def claim(self) -> Budget:
        """What a choice costs."""
        return self.budget

    def pairs(self) -> Sequence[Pair]:
        """Return scores of which one person raises the first by Δ and lowers all others by Δ."""
        found = []
        for behind in (0, 1, 2, 4, 8):
            start, step = -behind * self.sensitivity // 2, self.sensitivity
            one = (start, *[0] * (self.candidates - 1))
            other = (start + step, *[-step] * (self.candidates - 1))
            found.append(Pair(f"a candidate {behind / 2:g} behind the others", other, one))
        return found

    def outputs(self, data: tuple[int, ...], runs: int, key: Key) -> FloatArray:
        """Return simulated choices, as numbers from 0 on."""
        rng, size = luck(*key), (runs, len(data))
        rate = float(self.budget.epsilon) / (2 * self.sensitivity)
        chosen = np.argmax(rate * np.array(data) + rng.gumbel(size=size), axis=1)
        return np.asarray(chosen[:, None], dtype=np.float64)

    def exact(self, data: tuple[int, ...], runs: int) -> FloatArray:
        """Return real choices."""
        choice = ExponentialMechanism(self.sensitivity, self.budget)
        bits = OperatingSystemBits()
        return np.array([[choice.choose(data, bits)] for _ in range(runs)], float).reshape(runs, 1)
