"""What a rule may pay for besides its fit, as targets: tightness, private ranges and the guard.

A tightness is attacked by one person who stands with all others, or a cut away from them.

Private ranges are attacked with both steps together, centres and then deviations around them. A
person alone at one end of every column, or at the other, attains the claim of both steps at once:
beyond the upper end of what one person can add the centre is cut to 1, and a deviation of 0 stands
against one of ½. The guard is attacked where two candidates are nearly as good and one person with
the largest weight moves their difference by 4.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.audit.target import Key, Pair, rng_of
from dpwerm.mechanisms.box_sums import UNIT, BoxSums
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import OperatingSystemBits
from dpwerm.releases.guard import CLIP, HANDICAP, Guard, mechanism, scores, units_of
from dpwerm.releases.ranges import BENEFIT, CUT, FEATURES, Declared, Ranges, steps
from dpwerm.releases.tightness import Tightness, apart, law

CROWDS = (0, 2, 20)
"""How many others the one person of private ranges has."""

ODDS = (-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0)
"""Log-odds of the rule in the middle of two neighbours."""

FAR = 10.0
"""How far behind, in log-odds, the candidate is that two others leave out."""

RAREST = 0.25
"""π_min of the trials that are audited; the one person has it."""


@dataclass(frozen=True)
class TightnessTarget:
    """A private tightness of benefit and features: noisy sums over pairs, both at once; δ = 0.

    features : how many there are; with none the benefit stands alone
    """

    claim: Budget
    features: int = 0

    name: ClassVar[str] = "tightness"

    @property
    def dimension(self) -> int:
        """How many numbers are released."""
        return len(self.columns)

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The names of benefit and features, the columns of the data in turn."""
        names = tuple(f"x{j + 1}" for j in range(self.features))
        return {BENEFIT: (BENEFIT,), **({FEATURES: names} if names else {})}

    def pairs(self) -> Sequence[Pair]:
        """Return a person among others who all stand at one place, with them or apart."""
        found = []
        for others in CROWDS[1:]:
            crowd = np.zeros((others, 1 + self.features))
            two = (np.vstack([crowd, np.full(1 + self.features, end)]) for end in (0.0, 1.0))
            found.append(Pair(f"with {others} others or apart", *two))
        return found

    def outputs(self, data: FloatArray, runs: int, key: Key) -> FloatArray:
        """Return simulated releases on the grid, (runs, dimension)."""
        return _noisy(self.between(data), self.law(len(data)), runs, rng_of(*key))

    def law(self, n: int) -> BoxSums:
        """Return the law of the noise."""
        return law(self.dimension, n, self.claim)

    def between(self, data: FloatArray) -> FloatArray:
        """Return the sums over pairs, (dimension,)."""
        return np.array([float(apart(rows)) for rows in self._parted(data).values()])

    def _parted(self, data: FloatArray) -> dict[str, FloatArray]:
        parts = {BENEFIT: data[:, :1], FEATURES: data[:, 1:]}
        return {of: parts[of] for of in self.columns}

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return the log-likelihood ratio."""
        scale = self.law(len(pair.first)).scale
        one, other = (
            np.abs(outputs - self.between(data)).max(axis=1) / scale for data in pair.both
        )
        return np.asarray(other - one)

    def exact(self, data: FloatArray, runs: int) -> FloatArray:
        """Return real releases."""
        bits, u = OperatingSystemBits(), self._parted(data)
        grid = 2.0 ** self.law(len(data)).exponent
        found = [
            [one.integer for one in Tightness.released(self.columns, u, self.claim, bits).filled]
            for _ in range(runs)
        ]
        return np.array(found, dtype=np.float64).reshape(runs, self.dimension) * grid


@dataclass(frozen=True)
class RangesTarget:
    """Private ranges of some columns, both steps: released centres, then deviations; δ = 0."""

    claim: Budget
    columns: int = 1

    name: ClassVar[str] = "private-ranges"

    @property
    def dimension(self) -> int:
        """How many numbers are released: a centre and a deviation for each column."""
        return 2 * self.columns

    def pairs(self) -> Sequence[Pair]:
        """Return a person at either end of every column, alone and among others."""
        one, m = np.ones((1, self.columns)), self.columns
        found = []
        for others in CROWDS:
            places = (0.0, 1.0) if others else (0.0,)
            for place in places:
                crowd = np.full((others, m), place)
                name = f"from one end to the other, {others} others at {place:g}"
                two = (np.concatenate([crowd, end]) for end in (one, -one))
                found.append(Pair(name, *two))
        return found

    def outputs(self, data: FloatArray, runs: int, key: Key) -> FloatArray:
        """Return simulated releases of both steps, each on its grid, (runs, 2m)."""
        first, second = steps(self.columns, self.claim)
        rng = rng_of(*key)
        centres = _noisy(data.sum(axis=0), first, runs, rng)
        return np.hstack([centres, _noisy(self.spread(data, centres), second, runs, rng)])

    def spread(self, data: FloatArray, centres: FloatArray) -> FloatArray:
        """Return the sums of deviations (runs, m) around the centres that were released."""
        around = np.clip(centres / len(data), -1, 1)
        return _deviations(data, around)

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return the log-likelihood ratio: that of the centres, and that of the deviations."""
        one, other = (self._logs(outputs, data) for data in pair.both)
        return one - other

    def exact(self, data: FloatArray, runs: int) -> FloatArray:
        """Return real releases."""
        names = tuple(Declared(f"x{j + 1}", -1.0, 1.0, 0.0) for j in range(self.columns))
        grids = np.array([[2.0**step.exponent] for step in steps(self.columns, self.claim)])
        found = np.empty((runs, 2, self.columns))
        bits = OperatingSystemBits()
        for at in range(runs):
            one = Ranges.released(FEATURES, names, data, self.claim, bits)
            found[at] = one.centres, one.deviations
        return np.asarray((found * grids).reshape(runs, self.dimension))

    def _logs(self, outputs: FloatArray, data: FloatArray) -> FloatArray:
        first, second = steps(self.columns, self.claim)
        centres, deviations = np.hsplit(outputs, 2)
        far = np.abs(centres - data.sum(axis=0)).max(axis=1) / first.scale
        wide = np.abs(deviations - self.spread(data, centres)).max(axis=1) / second.scale
        return np.asarray(-far - wide)


def _noisy(sums: FloatArray, law: BoxSums, runs: int, rng: np.random.Generator) -> FloatArray:
    """Return sums (m,) or (runs, m) with simulated noise, on the grid."""
    radius = rng.gamma(law.count + 1, law.scale, size=(runs, 1))
    noise = radius * rng.uniform(-1, 1, size=(runs, law.count))
    grid = 2.0**law.exponent
    return np.asarray(np.round((sums + noise) / grid) * grid)


def _deviations(data: FloatArray, around: FloatArray) -> FloatArray:
    far = np.zeros(around.shape)
    for row in data:
        far += np.minimum(np.abs(row - around), float(CUT))
    return far


@dataclass(frozen=True)
class Crowd:
    """People of a trial: arms ±1, v in half ranges, P of the arm received, the rule's π."""

    arm: FloatArray
    benefit: FloatArray
    probability: FloatArray
    told: FloatArray

    @classmethod
    def of(cls, *people: tuple[float, float, float]) -> "Crowd":
        """Return people from (benefit, told, how many); a share of one has so small a benefit."""
        rows = [row for one in people for row in _rows(*one)]
        benefit, told = np.array(rows, float).reshape(-1, 2).T
        return cls(np.ones(len(rows)), benefit, np.full(len(rows), RAREST), told)


def _rows(benefit: float, told: float, many: float) -> Iterator[tuple[float, float]]:
    whole = int(many)
    yield from [(benefit, told)] * whole
    if many > whole:
        yield benefit * (many - whole), told


@dataclass(frozen=True)
class GuardTarget:
    """A private choice between a released rule and each arm for everybody; δ = 0."""

    claim: Budget
    relation: Relation = Relation.REPLACE_ONE

    name: ClassVar[str] = "guard"
    dimension: ClassVar[int] = 1

    def pairs(self) -> Sequence[Pair]:
        """Return a person who is for the rule or against it, among people who nearly agree."""
        rate = float(mechanism(self.claim, self.relation).rate) * UNIT
        far = FAR / (2 * rate) + 1
        crowds: list[tuple[str, float, list[tuple[float, float, float]]]] = []
        for odds in ODDS:
            for_rule = (odds + float(HANDICAP)) / (2 * rate)
            others = (-CLIP if for_rule > 0 else CLIP, -1.0, abs(for_rule))
            # Those ``far`` are for the second arm, which the rule gives them too.
            crowds.append((f"log-odds of the rule {odds:g}", -1.0, [(CLIP, 1.0, far), others]))
        against = [(CLIP, -1.0, far), (-CLIP, 1.0, far)]
        crowds.append(("between both arms", 1.0, against))
        found = []
        for name, told, rest in crowds:
            one, another = Crowd.of(*rest, (CLIP, told, 1.0)), Crowd.of(*rest, (-CLIP, told, 1.0))
            if self.relation is Relation.ADD_REMOVE:
                another = Crowd.of(*rest)
            found.append(Pair(name, one, another))
        return found

    def outputs(self, data: Crowd, runs: int, key: Key) -> FloatArray:
        """Return simulated choices, 0 for the rule."""
        law = self.log_law(data)
        chosen = np.argmax(law + rng_of(*key).gumbel(size=(runs, len(law))), axis=1)
        return np.asarray(chosen[:, None], dtype=np.float64)

    def log_law(self, data: Crowd) -> FloatArray:
        """Return the logarithms of the chances of rule, first and second arm."""
        choice = mechanism(self.claim, self.relation)
        found = [choice.rate * score for score in scores(self.units(data), data.told, choice)]
        best = max(found)
        logs = np.array([float(Fraction(one - best)) for one in found])
        return np.asarray(logs - np.log(np.exp(logs).sum()))

    def units(self, data: Crowd) -> IntArray:
        """Return s in whole units; what a release expects in the middle of both arms is 0."""
        return units_of(data.arm, data.benefit - self.middle(data), data.probability, RAREST)

    def middle(self, data: Crowd) -> float:
        """Return the public m."""
        del data
        return 0.0

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return the log-likelihood ratio of what was chosen."""
        one, other = (self.log_law(data) for data in pair.both)
        return np.asarray((one - other)[outputs[:, 0].astype(int)])

    def exact(self, data: Crowd, runs: int) -> FloatArray:
        """Return real choices."""
        bits, units = OperatingSystemBits(), self.units(data)
        found = [
            Guard.of(units, data.told, self.claim, self.relation, bits).chosen for _ in range(runs)
        ]
        return np.array(found, dtype=np.float64).reshape(runs, 1)
