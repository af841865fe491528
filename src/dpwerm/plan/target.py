"""The smallest ε or n at which simulated trials reach a target, by bisection of a public grid.

The last place of a grid is its ceiling: ε = ∞, or the largest n. It is tried first, so a target
that nothing reaches is answered at once. Accuracy grows along the grid but for the simulation's own
error, so the answer is given with the accuracy there and one place below.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from dpwerm.errors import ParameterError
from dpwerm.parameters import real
from dpwerm.plan.expected import Expected

T = TypeVar("T")
STEPS = (1, 1.5, 2, 3, 5, 7)
EPSILONS = (
    *(f"{step * 10**power:.4g}" for power in (-2, -1, 0, 1) for step in STEPS),
    "100",
    "inf",
)
SIZES = (
    *(round(step * 10**power) for power in (1, 2, 3, 4, 5) for step in STEPS),
    1_000_000,
)


@dataclass(frozen=True)
class Answer(Generic[T]):
    """The first place of a grid that reaches the target.

    place, found : of the answer, or of the ceiling if nothing reaches the target
    below : the place before it and what was found there, None if the first place is enough
    """

    target: float
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


def smallest(grid: Sequence[T], evaluate: Callable[[T], Expected], target: float) -> Answer[T]:
    """Return the first place of a grid whose mean accuracy reaches the target.

    At most 2 + log₂(places) places are tried.
    """
    low, high = 0, len(grid) - 1
    found = {high: evaluate(grid[high])}
    if found[high].accuracy.mean < target:
        return Answer(target, reached=False, place=grid[high], found=found[high])
    found[low] = evaluate(grid[low])
    if found[low].accuracy.mean >= target:
        return Answer(target, reached=True, place=grid[low], found=found[low])
    while high - low > 1:
        middle = (low + high) // 2
        found[middle] = evaluate(grid[middle])
        if found[middle].accuracy.mean >= target:
            high = middle
        else:
            low = middle
    below = (grid[low], found[low])
    return Answer(target, reached=True, place=grid[high], found=found[high], below=below)
