"""The exponential mechanism, exactly: the largest of scores with Gumbel noise.

    P(i) ∝ exp(ε·q_i/(2Δ))

A score is a whole number of steps of a public grid, larger is better; one person moves every score
by at most Δ steps. The number of candidates is public, the scores are not. No probability is ever
computed: each candidate has one uniform, known to as many bits as it takes to see which noisy score
is the largest. Proof: docs/proofs/selection.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import arb

from dpwerm.errors import ParameterError
from dpwerm.mechanisms.contract import epsilon_delta
from dpwerm.parameters import whole
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.sampling import START_BITS, LazyUniforms, ball, refined


def last_best(scores: Sequence[int]) -> int:
    """Return the last index of the largest score: callers put what they prefer on ties last."""
    return max(range(len(scores)), key=lambda index: (scores[index], index))


def highest(numbers: Callable[[int], list[arb]], start_bits: int = START_BITS) -> int:
    """Return the index of the largest of some real numbers, which differ with probability one.

    ``numbers(m)`` gives their enclosures from m bits of each uniform they are made of; enough bits
    are asked for that one enclosure lies above all others.
    """

    def first(bits: int) -> int | None:
        balls = numbers(bits)
        # A ball that says nothing is guessed last.
        middles = [(True, b.mid()) if b.mid().is_finite() else (False, arb(0)) for b in balls]
        guess = max(range(len(balls)), key=middles.__getitem__)
        clear = all(balls[guess] > ball for i, ball in enumerate(balls) if i != guess)
        return guess if clear else None

    return refined(first, start_bits)


@dataclass(frozen=True)
class ExponentialMechanism:
    r"""Choose candidate i with probability proportional to exp(ε·q_i/(2Δ)).

    .. math:: \arg\max_i \; \frac{\varepsilon q_i}{2\Delta} - \log(-\log U_i)

    has that law, because −log(−log U) is a Gumbel number. Private if one person moves every score
    by at most Δ; the 2 is needed because replacing a record can raise one score and lower another.
    At ε = ∞ the largest score wins, the last one on ties, and nothing is promised.
    ``sensitivity`` is Δ ≥ 1 in the units of the scores; the budget has δ = 0 (McSherry and Talwar
    2007, Theorem 6).
    """

    sensitivity: int
    budget: Budget

    name: ClassVar[str] = "exponential"
    statement: ClassVar[str] = (
        "If replacing or adding one record moves every score by at most Δ, choosing candidate i "
        "with probability proportional to exp(ε·score_i/(2Δ)) is ε-differentially private."
    )
    proof: ClassVar[str] = "docs/proofs/selection.md"

    def __post_init__(self) -> None:
        name, sensitivity = "the sensitivity of scores", self.sensitivity
        if whole(name, sensitivity) < 1:
            raise ParameterError(f"{name} must be at least 1, not {sensitivity}")
        if epsilon_delta(self.name, self.budget).delta != 0:
            raise ParameterError(f"selection by {self.name} needs delta = 0")

    @property
    def rate(self) -> Fraction:
        """What a score is multiplied by, ε/(2Δ), exactly; there is none for ε = ∞."""
        return self.budget.exact_epsilon / (2 * self.sensitivity)

    def choose(
        self, scores: Sequence[object], bits: BitSource, start_bits: int = START_BITS
    ) -> int:
        """Return the index of the chosen candidate; the same from any ``start_bits`` ≥ 1."""
        if len(scores) == 0:
            raise ParameterError("there must be at least one candidate")
        exact = [q for q in scores if isinstance(q, int) and not isinstance(q, bool)]
        if len(exact) != len(scores):  # no text names a score
            raise ParameterError("scores must be whole numbers")
        if not self.budget.is_private:
            return last_best(exact)
        rate, best, uniforms = self.rate, max(exact), LazyUniforms(bits)

        def noisy(m: int) -> list[arb]:
            drawn = uniforms.balls(0, len(exact), m)
            # Only differences of scores matter; from the best one they stay small.
            return [
                ball(rate * (score - best)) - (-u.log()).log()
                for score, u in zip(exact, drawn, strict=True)
            ]

        return highest(noisy, start_bits)
