r"""A guard against harm: a private choice between a released rule and each arm for everybody.

.. math:: q(\pi) = \sum_i s_i\,\pi(x_i), \qquad
          s_i = a_i\,\frac{\mathrm{clip}(v_i - m(x_i), \pm V)}{V}\,\frac{\pi_{\min}}{P(a_i|x_i)}
          \in [-1, 1]

a = ±1 is the arm received, π = ±1 the arm given, v the benefit in units of half its range, and m(x)
what the release itself expects in the middle of both arms: never a declared centre. 2q estimates,
up to a constant, what π gains over its opposite. One replaced person moves q by at most 2 and the
difference of two q by at most 4, so the exponential mechanism with Δ = 2 costs ε
(docs/proofs/private-choice.md). The rule starts with a public handicap: it has to be better by more
than chance. Everything is looked at once.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import Frozen as Record
from dpwerm.mechanisms.box_sums import UNIT
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import BitSource
from dpwerm.releases.certificate import Finite, Name, Text

CLIP = 0.25
"""V in units of half the benefit's range."""

HANDICAP = Fraction(1)
"""How much the logarithm of the rule's weight is lowered."""

RULE, FIRST, SECOND = CANDIDATES = ("rule", "first arm", "second arm")
PROOF = "docs/proofs/private-choice.md"


@dataclass(frozen=True)
class Guard:
    """What was chosen: the rule, or one arm for everybody; public.

    budget : what the choice cost; relation : who may differ
    chosen : its place among the candidates
    """

    budget: Budget
    relation: Relation
    chosen: int

    def __post_init__(self) -> None:
        mechanism(self.budget, self.relation)
        if not self.budget.is_private:
            raise ParameterError("a guard needs a finite epsilon")
        if not 0 <= self.chosen < len(CANDIDATES):
            raise ParameterError("a guard chooses the rule, the first arm or the second")

    @property
    def sign(self) -> int:
        """−1 or +1 for one arm for everybody, 0 for the rule."""
        return (0, -1, 1)[self.chosen]

    @classmethod
    def of(
        cls, units: IntArray, told: FloatArray, budget: Budget, relation: Relation, bits: BitSource
    ) -> "Guard":
        """Return the choice from s (n,) in whole units and the rule's π (n,): both sensitive."""
        choice = mechanism(budget, relation)
        chosen = choice.choose(scores(units, told, choice), bits)
        return cls(budget, relation, chosen)

    def plain(self) -> dict[str, Any]:
        """Return plain values for a rule file."""
        choice = mechanism(self.budget, self.relation)
        return {
            "chosen": CANDIDATES[self.chosen],
            "epsilon": str(self.budget.epsilon),
            "clip": CLIP,
            "handicap": float(HANDICAP),
            "sensitivity": choice.sensitivity / UNIT,
            "claim": ExponentialMechanism.statement,
            "proof": PROOF,
        }


def mechanism(budget: Budget, relation: Relation) -> ExponentialMechanism:
    """Return the choice with its Δ: k rows move a sum of s·π by at most 1 each."""
    return ExponentialMechanism(relation.terms * UNIT, budget)


def handicap(choice: ExponentialMechanism) -> int:
    """Return what is taken off the rule's score, public."""
    return round(HANDICAP / choice.rate)


def scores(units: IntArray, told: FloatArray, choice: ExponentialMechanism) -> list[int]:
    """Return the scores of the rule and of each arm, exactly; sensitive."""
    everybody = _total(units)
    return [_total(np.where(told > 0, units, -units)) - handicap(choice), -everybody, everybody]


def _total(units: IntArray) -> int:
    """Return a sum of whole units, exactly."""
    return sum(int(part.sum()) for part in np.array_split(units, len(units) // (1 << 20) + 1))


def units_of(
    arm: FloatArray, residual: FloatArray, probability: FloatArray, pi_min: float
) -> IntArray:
    """Return s (n,) in whole units, 0 where something is missing; sensitive.

    arm : in {−1, +1}; residual : v − m(x); probability : of the arm received
    """
    found = signed(arm, residual, probability, pi_min)
    usable = np.nan_to_num(found) * UNIT
    return np.asarray(np.clip(np.rint(usable), -UNIT, UNIT).astype(np.int64))


def signed(
    arm: FloatArray, residual: FloatArray, probability: FloatArray, pi_min: float
) -> FloatArray:
    """Return s (…, n) in doubles."""
    cut = np.clip(residual, -CLIP, CLIP) / CLIP
    return np.asarray(arm * cut * np.minimum(pi_min / probability, 1.0))


class GuardRecord(Record):
    """A guard in a rule file."""

    chosen: Name
    epsilon: Name
    clip: Finite
    handicap: Finite
    sensitivity: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
    claim: Text
    proof: Name

    def guard(self, relation: Relation) -> Guard:
        """Return the guard; what follows from it is compared by ``verify``."""
        if self.chosen not in CANDIDATES:
            raise ParameterError(f"a guard chooses one of {', '.join(CANDIDATES)}")
        return Guard(Budget.of(self.epsilon), relation, CANDIDATES.index(self.chosen))


def simulated_choice(
    signs: FloatArray, told: FloatArray, epsilon: float, gumbel: FloatArray
) -> IntArray:
    """Return the place of what would be chosen (B, R) in synthetic trials, under replace-one.

    signs : s (B, R, n), each as often as it counts; told : the rule's π (B, R, n)
    gumbel : (B, R, 3)
    """
    rate = epsilon / (2 * Relation.REPLACE_ONE.terms)
    rule, everybody = rate * (signs * told).sum(axis=-1), rate * signs.sum(axis=-1)
    found = np.stack([rule - float(HANDICAP), -everybody, everybody], axis=-1)
    return np.asarray(np.argmax(found + gumbel, axis=-1))
