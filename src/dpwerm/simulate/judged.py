"""Synthetic trials with their truth, and what a rule did on them: gain, harm, accuracy, score."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpwerm.arrays import FloatArray

LEAST_GAIN = 0.02
"""Where less than this share of an outcome's sd can be gained, losses are told in its units."""

HARMS_BELOW = -0.01
"""A rule does harm if its gain is below this."""

PRECISE = 150.0
"""How much the squared share of people with the wrong arm counts in a tight trial: settled by
``benchmarks/precision.py``, so that a study that declares tightly loses about a point at most."""

HARM = 3.0
"""A loss against one arm for everybody counts this many times a gain of the same size."""

MOST_LOST = 3.0
"""A loss counts as at most so many times all that can be gained: beyond, next to nothing can be.
Cut sooner, a guard that sometimes takes the worse arm for everybody would seem to lose little.
Beside squared errors in tight trials a loss is cut at once: their weight was settled so."""

HARMFUL = 0.2
"""What harm costs besides, however small the loss is, in units of all that can be gained."""


class Judged(NamedTuple):
    """What rules did on synthetic trials.

    accuracy : the share of people who got their better arm
    gain : the share gained of what can be gained over one arm for everybody, a loss counting as at
        most three times all of it; None for labels, which have no outcome
    harm : the share of releases that were worse than one arm for everybody
    """

    accuracy: float
    gain: float | None
    harm: float | None


@dataclass(frozen=True)
class SyntheticTrials:
    """B synthetic trials of n people each, features encoded with numbers in [−1, 1].

    X: (B, n, d); arm: (B, n) in {−1, +1}; probability: (B, n) of the arm received; benefit: (B, n)
    in [−1, 1]; people: (B, T, d) and best: (B, T) in {−1, +1}, people with their better arm;
    contrast: (B, T), half of what the second arm gains them before benefits are cut at their
    bounds, or the score behind a label; empty where it is not known. spread: (B,), the standard
    deviation of the benefit; tight: (B,), which of them were declared tightly. other: (B, n), the
    benefit that the same person would have had in the other arm; counts: (B, n), how often each row
    counts, empty where all count once.
    """

    X: FloatArray
    arm: FloatArray
    probability: FloatArray
    benefit: FloatArray
    people: FloatArray
    best: FloatArray
    contrast: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    spread: FloatArray = field(default_factory=lambda: np.empty(0))
    tight: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, dtype=bool))
    other: FloatArray = field(default_factory=lambda: np.empty((0, 0)))
    counts: FloatArray = field(default_factory=lambda: np.empty((0, 0)))

    def standing_for(self, n: int) -> "SyntheticTrials":
        """Return trials in which fewer rows stand for n people, with chance as among n.

        Rows that merely counted more often would have the chance of a smaller trial. So each person
        stands in both arms, with the same scatter, and the one received counts the more: what is
        left of the scatter between the arms is that of n people.
        """
        rows = self.arm.shape[1]
        if rows >= n or not self.other.size:
            return self
        own, chance = np.sqrt(rows / n), self.probability
        pairs = {
            "X": (self.X, self.X),
            "arm": (self.arm, -self.arm),
            "probability": (chance, 1 - chance),
            "benefit": (self.benefit, self.other),
            "other": (self.other, self.benefit),
            "counts": (own + (1 - own) * chance, (1 - own) * (1 - chance)),
        }
        return replace(self, **{key: np.concatenate(two, axis=1) for key, two in pairs.items()})

    def gain(self, second: NDArray[np.bool_]) -> FloatArray:
        r"""Return (B, R) what giving some people (B, R, T) the second arm gains.

        .. math:: \frac{V(\text{rule}) - V(\text{best single arm})}
                  {V(\text{optimal}) - V(\text{best single arm})}

        Where next to nothing can be gained it is the loss in units of 2 % of the outcome's sd.
        """
        f = self.contrast[:, None]
        single = np.abs(f.mean(axis=-1))
        spread = np.where(self.spread > 0, self.spread, 1.0)  # few people may all fare the same
        most = np.maximum(np.abs(f).mean(axis=-1) - single, LEAST_GAIN * spread[:, None])
        gained = (f * np.where(second, 1.0, -1.0)).mean(axis=-1)
        return np.asarray((gained - single) / most)

    def accuracy(self, second: NDArray[np.bool_]) -> FloatArray:
        """Return (B, R) the share of people (B, R, T) who get their better arm."""
        return np.asarray(np.mean(second == (self.best[:, None] > 0), axis=-1))

    def judged(self, second: NDArray[np.bool_]) -> "Judged":
        """Return what rules did on average that give some people (B, R, T) the second arm."""
        accuracy = float(self.accuracy(second).mean())
        if not self.spread.size:
            return Judged(accuracy, None, None)
        gain = self.gain(second)
        counted = np.maximum(gain, -MOST_LOST)
        return Judged(accuracy, float(counted.mean()), float((gain < HARMS_BELOW).mean()))

    def score(self, second: NDArray[np.bool_]) -> FloatArray:
        """Return (B, R) what hyperparameters are chosen by: gain, a loss counting three times.

        In a trial that was declared well gains hardly differ, so errors count there instead, by
        their square: four people in a hundred with the wrong arm matter little, twenty a lot.
        """
        accuracy = self.accuracy(second)
        if not self.spread.size:  # labels with weights have no outcome
            return accuracy
        most = 1.0 if self.tight.any() else MOST_LOST
        gain = np.maximum(self.gain(second), -most)
        lost = HARM * gain - HARMFUL * (gain < HARMS_BELOW)
        gained = np.where(gain < 0, lost, gain)
        return np.where(self.tight[:, None], -PRECISE * (1.0 - accuracy) ** 2, gained)
