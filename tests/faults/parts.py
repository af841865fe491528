"""What stands beside a fit and is wrong: pairs of a sorted table, no noise, a second look."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from tests.faults.chain import CLAIM, Fault

from dpwerm.arrays import FloatArray
from dpwerm.audit.parts import RAREST, Crowd, GuardTarget, RangesTarget, TightnessTarget
from dpwerm.audit.target import Key, Pair
from dpwerm.mechanisms.box_sums import BoxSums
from dpwerm.releases.ranges import CUT, steps

MIDDLE, ABOVE = 36, 3
"""How many people lie at 0, and how many at the upper end."""

CROWD = 200
"""How many people without a benefit a guard has, and one more."""


def _end(others: FloatArray) -> Pair:
    """Return others, and after them a person at the upper end or at the lower."""
    two = (np.append(others, end)[:, None] for end in (1.0, -1.0))
    return Pair("a person at one end or at the other", *two)


@dataclass(frozen=True)
class AllPairs(TightnessTarget):
    """The tightness of the benefit alone, in which people stand in twos."""

    name = "all-pairs"

    def pairs(self) -> Sequence[Pair]:
        """Return twos and one more, and after them a person at either end."""
        twos = np.append(np.repeat([-1.0, -0.5, 0.0, 0.5], 2), 1.0)
        return (_end(twos),)


@dataclass(frozen=True)
class Neighbours(AllPairs):
    """The same from every second row and the next, in a table that is sorted by the column."""

    name = "neighbouring-rows"

    def between(self, data: FloatArray) -> FloatArray:
        """Return the sum over neighbours."""
        rows = np.sort(data[:, 0])
        return np.array([np.minimum(rows[1::2] - rows[::2], float(CUT)).sum()])

    def law(self, n: int) -> BoxSums:
        """Return noise for one pair that a person is in."""
        del n
        return BoxSums(1, CUT, self.claim)


@dataclass(frozen=True)
class ByNoise(RangesTarget):
    """The private range of one column, in which all but one person lie in the middle."""

    name = "range-by-noise"
    pair: ClassVar[Pair] = _end(np.zeros(MIDDLE))

    def pairs(self) -> Sequence[Pair]:
        """Return the one pair."""
        return (self.pair,)


@dataclass(frozen=True)
class FromSample(ByNoise):
    """The smallest and the largest value as they are."""

    name = "range-from-sample"

    def outputs(self, data: FloatArray, runs: int, key: Key) -> FloatArray:
        """Return both ends."""
        del key
        return np.tile([float(data.min()), float(data.max())], (runs, 1))

    def score(self, outputs: FloatArray, pair: Pair) -> FloatArray:
        """Return whether the upper end is the first data set's."""
        return np.where(outputs[:, 1] == pair.first.max(), 1.0, -1.0)


@dataclass(frozen=True)
class ReleasedCentre(ByNoise):
    """A private range of people in two places, between which one person moves the mean."""

    name = "released-centre"
    pair: ClassVar[Pair] = _end(np.repeat([0.0, 1.0], [MIDDLE, ABOVE]))


@dataclass(frozen=True)
class OwnCentre(ReleasedCentre):
    """The same with deviations around the sample's mean."""

    name = "unreleased-centre"

    def spread(self, data: FloatArray, centres: FloatArray) -> FloatArray:
        """Return the sums of deviations around the mean: here n times it stands for a centre."""
        return super().spread(data, np.broadcast_to(data.sum(axis=0), centres.shape))

    @property
    def spent(self) -> float:
        """How far the pair moves both sums, in units of their noise."""
        sums = [
            (float(data.sum()), float(self.spread(data, np.zeros((1, 1)))[0, 0]))
            for data in self.pair.both
        ]
        scales = [step.scale for step in steps(1, self.claim)]
        return float((np.abs(np.subtract(sums[0], sums[1])) / scales).sum())


@dataclass(frozen=True)
class OneLook(GuardTarget):
    """A guard of a rule that is mostly chosen."""

    name = "one-look"

    def pairs(self) -> Sequence[Pair]:
        """Return a person who is for the rule or against it."""
        return [pair for pair in super().pairs() if pair.name.endswith("rule 2")]

    @property
    def spent(self) -> float:
        """The largest log-ratio of a chance."""
        (pair,) = self.pairs()
        one, other = (self.log_law(data) for data in pair.both)
        return float(np.abs(one - other).max())


@dataclass(frozen=True)
class TwoLooks(OneLook):
    """The same guard, which looks again if the rule was not chosen."""

    name = "second-look"

    def log_law(self, data: Crowd) -> FloatArray:
        """Return the logarithms of the chances after both looks."""
        rule, *arms = np.exp(super().log_law(data))
        return np.log([rule + (1 - rule) * rule, *((1 - rule) * np.array(arms))])


def _alone(benefit: float) -> Crowd:
    """Return people without a benefit, who got the one arm, and somebody who got the other."""
    n = CROWD + 1
    arm, benefits = np.ones(n), np.zeros(n)
    arm[-1], benefits[-1] = -1.0, benefit
    return Crowd(arm, benefits, np.full(n, RAREST), -np.ones(n))


@dataclass(frozen=True)
class PublicMiddle(OneLook):
    """A guard of people without a benefit, but for one."""

    name = "public-middle"

    def pairs(self) -> Sequence[Pair]:
        """Return a person at one end of the benefit or at the other."""
        return (Pair("a person at one end or at the other", _alone(1.0), _alone(-1.0)),)


@dataclass(frozen=True)
class SampleMiddle(PublicMiddle):
    """The same with residuals from the sample's mean."""

    name = "sample-middle"

    def middle(self, data: Crowd) -> float:
        """Return the mean."""
        return float(data.benefit.mean())


def _tightness() -> Iterator[Fault]:
    """A tightness from neighbouring rows, where one person's place in the table decides all pairs.

    The pair: people in twos, and one more who joins the last or shifts all of them.
    """
    yield Fault(
        name=Neighbours.name,
        wrong="a tightness is taken from rows that are neighbours in a table sorted by the column",
        known_from="differences of successive observations, a textbook estimate of scatter",
        shows="one person shifts everybody between two places",
        broken=partial(Neighbours, CLAIM),
        healthy=partial(AllPairs, CLAIM),
    )


def _ranges() -> Iterator[Fault]:
    """Ranges from the sample, and deviations around what nobody released.

    The pairs: one person alone makes the largest value; one person moves the mean, and with it the
    deviations of all who lie to one side of it, while those far out on the other side are cut.
    """
    yield Fault(
        name=FromSample.name,
        wrong="a private range is the smallest and the largest value, without noise",
        known_from="common practice; bounds read off the table",
        shows="an end that only one of two tables has",
        broken=partial(FromSample, CLAIM),
        healthy=partial(ByNoise, CLAIM),
    )
    yield Fault(
        name=OwnCentre.name,
        wrong="deviations are taken from the sample's mean, not from the released centre",
        known_from="the mean deviation of every textbook",
        shows="one person moves everybody's deviation",
        broken=partial(OwnCentre, CLAIM),
        healthy=partial(ReleasedCentre, CLAIM),
    )


def _guards() -> Iterator[Fault]:
    """Two looks for one ε, and residuals from a mean that was not released.

    The pairs: a rule that loses rarely, so that losing twice is twice as telling; people whose
    parts in the scores are all moved by one person's benefit.
    """
    yield Fault(
        name=TwoLooks.name,
        wrong="a guard looks again at the same scores if the rule lost, and charges once",
        known_from="repeating a run until its answer pleases",
        shows="a rule that lost twice",
        broken=partial(TwoLooks, CLAIM),
        healthy=partial(OneLook, CLAIM),
    )
    yield Fault(
        name=SampleMiddle.name,
        wrong="a guard's residuals are from the sample's mean of the benefit",
        known_from="residuals as one usually takes them",
        shows="one person moves everybody's part in the scores",
        broken=partial(SampleMiddle, CLAIM),
        healthy=partial(PublicMiddle, CLAIM),
    )


def faults() -> Iterator[Fault]:
    """Yield every fault of this kind."""
    yield from _tightness()
    yield from _ranges()
    yield from _guards()
