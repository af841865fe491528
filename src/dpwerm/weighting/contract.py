"""From a trial to (ξ, t, w): an estimator's design.

    (x, received, benefit) → design row ξ of a known set, target t, weight w ≤ W
    θ → the coefficients of the score f(x)

The objective is Σ w ℓ(t, ξᵀθ) + γR(θ) for every weighting. A new one is one class and one
registration; its name stands in the certificate, and ``verify`` finds it again by that name.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol, TypeVar

import numpy as np

from dpwerm.arrays import FloatArray, IntArray
from dpwerm.errors import ParameterError
from dpwerm.exact import round_up
from dpwerm.features.domain import Domain
from dpwerm.features.encoding import Encoding
from dpwerm.objective.regularizers import Regularizer
from dpwerm.parameters import check_unused, made_with
from dpwerm.privacy.sensitivity import WeightOrigin
from dpwerm.privacy.weight_origin import Unused
from dpwerm.study.treatment import Declaration, received_probabilities
from dpwerm.weighting.trial import Trial

Number = TypeVar("Number")


@dataclass(frozen=True, repr=False)
class TrialRows:
    """Encoded features, targets and weights of one trial: sensitive, never printed.

    received : (n,), what each person received, for designs that need it; None where none does
    """

    X: FloatArray
    targets: FloatArray
    weights: FloatArray
    received: FloatArray | None = None

    def part(self, chosen: IntArray) -> "TrialRows":
        """Return some of the rows, by their positions."""
        received = None if self.received is None else self.received[chosen]
        return TrialRows(self.X[chosen], self.targets[chosen], self.weights[chosen], received)


class PublicOutcome(Protocol):
    """What is known of a benefit before a trial, in units of half its range, 0 in the middle."""

    @property
    def centre(self) -> float:
        """The centre c."""

    @property
    def signed(self) -> bool:
        """Whether benefits below the centre count for the other arm."""

    @property
    def pi_min(self) -> float:
        """The smallest P(arm received | x)."""

    @property
    def largest_clip(self) -> float:
        """The largest size of a centred benefit."""


class Weighting(ABC):
    """The public design of an estimator; what a class leaves out is as in ξ = x.

    name : in the registry and in certificates
    form : of the losses that it goes with: "margin" for targets ±1, "residual" for any target
    inverse_weights : whether a propensity enters as a factor 1/P of the weight and nowhere else;
        only then does the constant C of an origin cover propensities that others' records move
    options : the hyperparameters of its own, of "clip", "width", "main", "mean", "degree" and
        "bend"; None if it has no synthetic trials, so that nothing is chosen for it
    rests_on : what a rule rests on besides the privacy claim, in a few words
    uses_probabilities : whether ``rows`` needs P(second arm | x)
    difference : times the score, in units of half the benefit's range, estimates what the second
        arm gains over the first, shrunk by the penalty; 0 where a score is no such thing
    """

    name: ClassVar[str]
    form: ClassVar[str]
    inverse_weights: ClassVar[bool] = False
    options: ClassVar[tuple[str, ...] | None] = None
    rests_on: ClassVar[str] = ""
    uses_probabilities: ClassVar[bool] = True
    difference: ClassVar[float] = 0.0

    @property
    def parameters(self) -> Mapping[str, float]:
        """The parameters that make this instance again."""
        return {}

    @abstractmethod
    def weight_bound(self, declaration: Declaration) -> float:
        """Return W, rounded up."""

    @abstractmethod
    def rows(
        self, trial: Trial, declaration: Declaration, encoding: Encoding, second: FloatArray
    ) -> TrialRows:
        """Return encoded rows, targets and weights; second: (n,) P(second arm | x)."""

    def middle(self, theta: FloatArray, X: FloatArray, encoding: Encoding) -> FloatArray:
        """Return the benefit that a release expects between both arms, (…, n), in half ranges.

        theta : (…, p), all that was released; X : (…, n, d), rows as they were learned from
        """
        del theta, X, encoding
        raise ParameterError(
            f"a guard needs a released mean of the benefit, which {self.name} has not: name "
            "estimator contrast or arm-wise"
        )

    def simulated(
        self,
        arm: FloatArray,
        u: FloatArray,
        probability: FloatArray,
        outcome: PublicOutcome,
        clip: float,
    ) -> tuple[FloatArray, FloatArray]:
        """Return targets and weights (…, n) of synthetic trials, for W = 1.

        u: (…, n) benefits in [−1, 1]; clip: V as a share of the largest
        """
        del arm, u, probability, outcome, clip
        raise ParameterError(f"there are no synthetic trials for the weighting {self.name}")

    def origin(self, declared: WeightOrigin) -> WeightOrigin:
        """Return where the weights come from, by where the probabilities do."""
        return declared if self.uses_probabilities else Unused()

    def penalty(self, encoding: Encoding, main: float) -> Regularizer | None:
        """Return the penalty that belongs to the design, None for any; main: γ_main/γ_contrast."""
        del encoding, main
        return None

    def domain(self, encoding: Encoding) -> Domain:
        """Return the set that holds every design row, the constant column first if there is one."""
        return encoding.domain

    def constant(self, encoding: Encoding) -> float:
        """Return the constant of the design's first column, 0 if it has none."""
        return encoding.intercept_scale

    def coefficient_names(self, encoding: Encoding) -> tuple[str, ...]:
        """Return one name per entry of θ."""
        return encoding.coefficient_names

    def design(self, X: FloatArray, received: FloatArray | None, encoding: Encoding) -> FloatArray:
        """Return the design rows (…, n, q) without the constant column, of rows as learned from."""
        del received, encoding
        return X

    def rule(self, coefficients: Sequence[Number], encoding: Encoding) -> tuple[Number, ...]:
        """Return the part of θ that the score uses, one entry per coefficient of the encoding."""
        del encoding
        return tuple(coefficients)

    def rules(self, theta: FloatArray, encoding: Encoding) -> FloatArray:
        """Return what ``rule`` does for many θ (…, P) at once."""
        return np.stack(self.rule(list(np.moveaxis(theta, -1, 0)), encoding), axis=-1)


def whole_rows(X: FloatArray, encoding: Encoding) -> FloatArray:
    """Return rows (…, d) with the intercept's constant before them, if there is one."""
    scale = encoding.intercept_scale
    if not scale:
        return X
    return np.concatenate([np.full((*X.shape[:-1], 1), scale), X], axis=-1)


def weight_bound(benefit_bound: float, smallest_probability: float) -> float:
    """Return W = V/π_min, rounded up."""
    return round_up(Fraction(benefit_bound) / Fraction(smallest_probability))


def outcome_weights(
    arm: FloatArray, benefit: FloatArray, probability: FloatArray, bound: float
) -> tuple[FloatArray, FloatArray]:
    """Return labels y·sign(v) in {−1, +1} and weights |v|/P(y|x) in [0, W].

    A benefit below the centre speaks for the other arm, so its sign moves to the label and its size
    to the weight (docs/proofs/signed-weights.md). Unusable rows get label +1 and weight 0, and
    still count in n.

    arm: (n,) in {−1, +1, NaN}; benefit: (n,) centred and clipped, NaN where missing;
    probability: (n,) P(y|x) of the arm received; bound: W.
    """
    usable = ~(np.isnan(arm) | np.isnan(benefit) | np.isnan(probability))
    labels = np.where(usable, arm * np.where(benefit < 0, -1.0, 1.0), 1.0)
    weights = np.zeros(len(arm))
    np.divide(np.abs(benefit), probability, out=weights, where=usable)
    return labels, np.minimum(weights, bound)


@dataclass(frozen=True)
class OutcomeWeighted(Weighting):
    r"""Outcome weighted learning (Zhao et al. 2012): ξ = x, t = y·sign(v), w = |v|/P(y|x).

    w ≤ V/π_min; v is the centred, clipped benefit and y = ±1 the arm received. A row whose arm,
    benefit or propensity is missing has weight 0. Labels with weights are the same design.
    """

    name: ClassVar[str] = "outcome-weighted"
    form: ClassVar[str] = "margin"
    inverse_weights: ClassVar[bool] = True
    options: ClassVar[tuple[str, ...]] = ("clip",)
    rests_on: ClassVar[str] = (
        "the probabilities of the arms, and a centre near which benefits change sides"
    )

    def weight_bound(self, declaration: Declaration) -> float:
        """Return V/π_min."""
        return weight_bound(declaration.benefit.clip, declaration.treatment.pi_min)

    def rows(
        self, trial: Trial, declaration: Declaration, encoding: Encoding, second: FloatArray
    ) -> TrialRows:
        """Return x, y·sign(v) and |v|/P(y|x)."""
        benefit, bound = declaration.benefit.centred(trial.outcome), self.weight_bound(declaration)
        probability = received_probabilities(declaration.treatment, trial.arm, second)
        labels, weights = outcome_weights(trial.arm, benefit, probability, bound)
        return TrialRows(trial.encode(encoding), labels, weights)

    def simulated(
        self,
        arm: FloatArray,
        u: FloatArray,
        probability: FloatArray,
        outcome: PublicOutcome,
        clip: float,
    ) -> tuple[FloatArray, FloatArray]:
        """Return labels and weights of synthetic trials."""
        bound = clip * outcome.largest_clip
        v = np.clip(u - outcome.centre, -bound if outcome.signed else 0.0, bound)
        labels = arm * np.where(v < 0, -1.0, 1.0)
        return labels, np.minimum(np.abs(v) / probability * outcome.pi_min / bound, 1.0)


OUTCOME_WEIGHTED = OutcomeWeighted()
WEIGHTINGS: dict[str, Callable[..., Weighting]] = {OutcomeWeighted.name: OutcomeWeighted}
"""How to make a weighting, by name; ``register_weighting`` adds to it."""


def register_weighting(name: str, maker: Callable[..., Weighting]) -> None:
    """Add a weighting; a name is given once."""
    check_unused("weighting", name, WEIGHTINGS)
    WEIGHTINGS[name] = maker


def get_weighting(name: str, /, **parameters: float) -> Weighting:
    """Return the weighting of that name with its parameters."""
    return made_with("weighting", WEIGHTINGS, name, parameters)
