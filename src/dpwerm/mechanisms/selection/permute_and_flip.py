r"""Permute-and-flip, released through OpenDP: the largest of scores with exponential noise.

    argmax_i  q_i + s·E_i,   E_i ~ Exp(1),   s ≥ 2Δ/ε

OpenDP has a cryptographic generator of its own; the bits given here are not used then.
Its privacy map, which it rounds upwards, is asked before every release and must not exceed ε.
With a seeded source the same law is simulated from the seeded bits, and nothing is promised.
Proof: docs/proofs/selection.md.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Protocol, cast

from flint import arb

from dpwerm.errors import ParameterError
from dpwerm.exact import round_up
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

LARGEST_SENSITIVITY = 2**62 - 1
"""OpenDP doubles Δ in 64 bits."""

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_STEPS = 64
"""How many doubles are tried: the map is off by a few units in the last place at most."""


class NoisyMax(Protocol):
    """OpenDP's measurement: scores in, an index out, and what that costs."""

    def __call__(self, scores: list[int]) -> int:
        """Return the index of the largest noisy score."""

    def map(self, sensitivity: int) -> float:
        """Return the ε that a call costs if one person moves every score by ``sensitivity``."""


@dataclass(frozen=True)
class PermuteAndFlip:
    r"""Look at candidates in random order; take i with probability exp(−ε(max q − q_i)/(2Δ)).

    .. math:: \arg\max_i \; q_i + s E_i, \quad E_i \sim \text{Exp}(1), \quad s = 2\Delta/\varepsilon

    has the same law. Private if one person moves every score by at most Δ. Its expected score is
    never below that of the exponential mechanism. At ε = ∞ the largest score wins, the last one on
    ties, and nothing is promised.

    Parameters
    ----------
    sensitivity : int in [1, 2^62), Δ, in the units of the scores
    budget : Budget with δ = 0

    References
    ----------
    McKenna and Sheldon 2020; Ding et al. 2021, for the law with noise.
    """

    sensitivity: int
    budget: Budget

    name: ClassVar[str] = "permute-and-flip"
    statement: ClassVar[str] = (
        "If replacing or adding one record moves every score by at most Δ, choosing the largest "
        "score after adding independent exponential noise of scale 2Δ/ε is ε-differentially "
        "private."
    )
    proof: ClassVar[str] = "docs/proofs/selection.md"

    def __post_init__(self) -> None:
        if checked_sensitivity(self.sensitivity) > LARGEST_SENSITIVITY:
            raise ParameterError(
                f"the sensitivity of scores must be at most {LARGEST_SENSITIVITY} with {self.name}"
            )
        checked_budget(self.name, self.budget)

    @property
    def scale(self) -> float:
        """The scale s: the smallest double ≥ 2Δ/ε whose privacy map is at most ε; 0 at ε = ∞."""
        if not self.budget.is_private:
            return 0.0
        return _scale(self.sensitivity, self.budget.exact_epsilon)

    def choose(self, scores: Sequence[int], bits: BitSource) -> int:
        """Return the index of the chosen candidate; scores must lie in [−2^63, 2^63)."""
        exact = checked_scores(scores)
        if min(exact) < _LOWEST or max(exact) > _HIGHEST:
            raise ParameterError(f"scores must fit into 64 bits with {self.name}")
        if not self.budget.is_private:
            return last_best(exact)
        return self._released(exact) if bits.secure else self.simulated(exact, bits)

    def _released(self, scores: list[int]) -> int:
        """Return OpenDP's choice, after its privacy map has confirmed ε once more."""
        mechanism = noisy_max(self.scale)
        if not _allows(mechanism, self.sensitivity, self.budget.exact_epsilon):
            raise ParameterError(f"OpenDP's privacy map exceeds {self.budget}")
        try:
            return int(mechanism(scores))
        except Exception:  # noqa: BLE001 - its text may quote a score
            raise ParameterError("OpenDP refused to choose a candidate") from None

    def simulated(
        self, scores: Sequence[int], bits: BitSource, start_bits: int = START_BITS
    ) -> int:
        """Return a choice of the same law from the bits given; the same from any ``start_bits``."""
        exact = checked_scores(scores)
        rate, best = 1 / Fraction(self.scale), max(exact)
        uniforms = LazyUniforms(bits)

        def noisy(m: int) -> list[arb]:
            drawn = uniforms.balls(0, len(exact), m)
            return [
                ball(rate * (score - best)) - u.log() for score, u in zip(exact, drawn, strict=True)
            ]

        return highest(noisy, start_bits)


@lru_cache(maxsize=8)
def noisy_max(scale: float) -> NoisyMax:
    """Return OpenDP's choice of the largest whole number with exponential noise of that scale."""
    from opendp.domains import atom_domain, vector_domain
    from opendp.measurements import make_noisy_max
    from opendp.measures import max_divergence
    from opendp.metrics import linf_distance
    from opendp.mod import enable_features

    enable_features("contrib")
    domain = vector_domain(atom_domain(T="i64"))
    found = make_noisy_max(domain, linf_distance(T="i64"), max_divergence(), scale)
    return cast("NoisyMax", found)


def _allows(mechanism: NoisyMax, sensitivity: int, epsilon: Fraction) -> bool:
    """Whether a choice costs at most ε by OpenDP's own account, compared exactly."""
    return epsilon >= mechanism.map(sensitivity)


@lru_cache(maxsize=64)
def _scale(sensitivity: int, epsilon: Fraction) -> float:
    """Return the scale for Δ and ε."""
    scale = round_up(2 * sensitivity / epsilon)
    for _ in range(_STEPS):
        if _allows(noisy_max(scale), sensitivity, epsilon):
            return scale
        scale = math.nextafter(scale, math.inf)
    raise ParameterError("no scale was found whose privacy map in OpenDP is at most epsilon")
