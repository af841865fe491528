"""What every selection shares: exact scores, their sensitivity, the largest of several balls.

A score is a whole number of steps of a public grid, larger is better; one person moves every score
by at most Δ steps. The number of candidates is public, the scores are not.
"""

from collections.abc import Callable, Sequence

from flint import arb

from dpwerm.balls import precision
from dpwerm.errors import ParameterError
from dpwerm.mechanisms.noise import epsilon_delta
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.grid import GUARD_BITS, START_BITS


def checked_sensitivity(sensitivity: object) -> int:
    """Return Δ as an int ≥ 1."""
    if isinstance(sensitivity, bool) or not isinstance(sensitivity, int):
        raise ParameterError(
            f"the sensitivity of scores must be a whole number, not {type(sensitivity).__name__}"
        )
    if sensitivity < 1:
        raise ParameterError(f"the sensitivity of scores must be at least 1, not {sensitivity}")
    return sensitivity


def checked_budget(name: str, budget: Budget) -> Budget:
    """Return a budget with δ = 0; ε may be infinite."""
    if epsilon_delta(name, budget).delta != 0:
        raise ParameterError(f"selection by {name} needs delta = 0")
    return budget


def checked_scores(scores: Sequence[object]) -> list[int]:
    """Return the scores, at least one, all of them exact; no text names a score."""
    if len(scores) == 0:
        raise ParameterError("there must be at least one candidate")
    found = [q for q in scores if isinstance(q, int) and not isinstance(q, bool)]
    if len(found) != len(scores):
        raise ParameterError("scores must be whole numbers")
    return found


def last_best(scores: Sequence[int]) -> int:
    """Return the last index of the largest score: callers put what they prefer on ties last."""
    return max(range(len(scores)), key=lambda index: (scores[index], index))


def highest(numbers: Callable[[int], list[arb]], start_bits: int = START_BITS) -> int:
    """Return the index of the largest of some real numbers, which differ with probability one.

    ``numbers(m)`` gives their enclosures from m bits of each uniform they are made of. More bits of
    the *same* uniforms are asked for until one enclosure lies above all others, so the answer is
    that of the exact numbers, from any ``start_bits`` ≥ 1.
    """
    bits = start_bits
    while True:
        with precision(bits + GUARD_BITS):
            balls = numbers(bits)
            first = max(range(len(balls)), key=lambda index: _middle(balls[index]))
            if all(balls[first] > ball for i, ball in enumerate(balls) if i != first):
                return first
        bits *= 2


def _middle(ball: arb) -> tuple[bool, arb]:
    """Return a key to guess the largest by; a ball that says nothing comes last."""
    middle = ball.mid()
    return (True, middle) if middle.is_finite() else (False, arb(0))
