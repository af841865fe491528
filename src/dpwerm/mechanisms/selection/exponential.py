r"""The exponential mechanism, exactly: the largest of scores with Gumbel noise.

    P(i) ∝ exp(ε·q_i/(2Δ))

No probability is ever computed. Each candidate has one uniform, known to as many bits as it takes
to see which noisy score is the largest (``highest``). Proof: docs/proofs/selection.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import arb

from dpwerm.mechanisms.selection.scores import (
    checked_budget,
    checked_scores,
    checked_sensitivity,
    highest,
    last_best,
)
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.grid import START_BITS, ball
from dpwerm.privacy.randomness import BitSource
from dpwerm.privacy.uniform import LazyUniforms


@dataclass(frozen=True)
class ExponentialMechanism:
    r"""Choose candidate i with probability proportional to exp(ε·q_i/(2Δ)).

    .. math:: \arg\max_i \; \frac{\varepsilon q_i}{2\Delta} - \log(-\log U_i)

    has that law, because −log(−log U) is a Gumbel number. Private if one person moves every score
    by at most Δ; the 2 is needed because replacing a record can raise one score and lower another.
    At ε = ∞ the largest score wins, the last one on ties, and nothing is promised.

    Parameters
    ----------
    sensitivity : int ≥ 1, Δ, in the units of the scores
    budget : Budget with δ = 0

    References
    ----------
    McSherry and Talwar 2007, Theorem 6.
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
        checked_sensitivity(self.sensitivity)
        checked_budget(self.name, self.budget)

    @property
    def rate(self) -> Fraction:
        """What a score is multiplied by, ε/(2Δ), exactly; there is none for ε = ∞."""
        return self.budget.exact_epsilon / (2 * self.sensitivity)

    def choose(self, scores: Sequence[int], bits: BitSource, start_bits: int = START_BITS) -> int:
        """Return the index of the chosen candidate; the same from any ``start_bits`` ≥ 1."""
        exact = checked_scores(scores)
        if not self.budget.is_private:
            return last_best(exact)
        rate, best = self.rate, max(exact)
        uniforms = LazyUniforms(bits)

        def noisy(m: int) -> list[arb]:
            drawn = uniforms.balls(0, len(exact), m)
            # Only differences of scores matter; from the best one they stay small.
            return [
                ball(rate * (score - best)) - (-u.log()).log()
                for score, u in zip(exact, drawn, strict=True)
            ]

        return highest(noisy, start_bits)
