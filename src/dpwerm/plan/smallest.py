"""The smallest ε or n that reaches an aim, found by bisection of a public grid.

What is aimed at grows along the grid but for the simulation's own error, so an answer comes with
what was found one place below.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dpwerm.errors import ParameterError
from dpwerm.parameters import real
from dpwerm.plan.expected import Expected

WORTH_GAIN, MOST_HARM = 0.2, 0.1
"""A rule is worth having if it gains a fifth of what can be gained over one arm for everybody, and
is worse than that arm in one release of ten at most."""

T = TypeVar("T")
STEPS = (1, 1.5, 2, 3, 5, 7)
EPSILONS = (
    *(f"{step * 10**power:.4g}" for power in (-2, -1, 0, 1) for step in STEPS),
    "100",
    "inf",
)
SIZES = (*(round(step * 10**power) for power in (1, 2, 3, 4, 5) for step in STEPS), 1_000_000)


@dataclass(frozen=True)
class Aim:
    """What is to be reached, on average over trials.

    accuracy : the share of people with their better arm; None for a rule that is worth having
    """

    accuracy: float | None = None

    def is_met(self, found: Expected) -> bool:
        """Return whether a plan reaches this aim."""
        if self.accuracy is not None:
            return found.accuracy.mean >= self.accuracy
        return found.gain.mean >= WORTH_GAIN and found.harm <= MOST_HARM


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The first place of a grid that reaches the aim.

    place, found : of the answer, or of the ceiling if nothing reaches the aim
    below : the place before it and what was found there, None if the first place is enough
    """

    aim: Aim
    reached: bool
    place: T
    found: Expected
    below: tuple[T, Expected] | None = None


def target_of(value: object) -> float:
    """Return a target accuracy in (0.5, 1)."""
    target = real("target", value)
    if not 0.5 < target < 1:
        raise ParameterError(
            f"target must be above 0.5, which a coin reaches, and below 1, not {target:g}"
        )
    return target


def smallest(grid: Sequence[T], evaluate: Callable[[T], Expected], aim: Aim) -> Answer[T]:
    """Return the first place of a grid that reaches the aim.

    At most 2 + log₂(places) places are tried; the last one first, so an aim that nothing reaches is
    answered at once.
    """
    low, high = 0, len(grid) - 1
    found = {high: evaluate(grid[high])}
    if not aim.is_met(found[high]):
        return Answer(aim, reached=False, place=grid[high], found=found[high])
    found[low] = evaluate(grid[low])
    if aim.is_met(found[low]):
        return Answer(aim, reached=True, place=grid[low], found=found[low])
    while high - low > 1:
        middle = (low + high) // 2
        found[middle] = evaluate(grid[middle])
        reached = aim.is_met(found[middle])
        low, high = (low, middle) if reached else (middle, high)
    below = (grid[low], found[low])
    return Answer(aim, reached=True, place=grid[high], found=found[high], below=below)
