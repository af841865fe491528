"""The settings that are tried: a public grid, in units that fit every study.

γ is a share of n·W, because the sum of n terms of weight at most W is what it stands against. The
clip is a share of the largest benefit, the intercept's constant is in units of a feature's bound,
and a saturation k ≥ 1 stretches the middle 1/k of each number's range over [−1, 1].
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from dpwerm.choose.question import Question
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.perturbed import gamma_floor
from dpwerm.parameters import SMALLEST
from dpwerm.privacy.budget import GaussianBudget

GAMMAS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
CLIPS = (0.1, 0.2, 0.4, 0.7, 1.0)
INTERCEPTS = (0.2, 0.4, 1.0)
SATURATIONS = (1.0, 1.5, 2.5)
THRESHOLDS = (0.0, 0.15, 0.25, 0.35)
ABOVE_FLOOR = (1.3, 3.0)
"""How far above the floor of objective perturbation γ starts."""

PURE = ("objective-block", "objective-l2", "spherical-laplace")
WITH_DELTA = (*PURE, "objective-gaussian", "gaussian")


@dataclass(frozen=True)
class Setting:
    """Everything but γ: a mechanism, a clip (share), an intercept's constant, a saturation."""

    mechanism: str
    clip: float
    intercept: float
    saturation: float

    def encoding(self, question: Question) -> Encoding:
        """Return the question's encoding with this setting's intercept and saturation."""
        return question.encoding.changed(intercept=self.intercept, saturation=self.saturation)


def mechanisms(question: Question) -> tuple[str, ...]:
    """Return the mechanisms to try, the most promising first."""
    if question.mechanism is not None:
        return (question.mechanism,)
    if not question.budget.is_private:
        return ("none",)
    if isinstance(question.budget, GaussianBudget):
        return ("gaussian",)
    return WITH_DELTA if question.budget.delta else PURE


def settings(question: Question, mechanism: str) -> Iterator[Setting]:
    """Yield every setting of the grid that the question leaves open."""
    clips = CLIPS if question.clip is None else (question.clip,)
    if question.outcome.labels:
        clips = (1.0,)  # weights come bounded by W; there is nothing to clip
    intercepts = INTERCEPTS if question.intercept is None else (question.intercept,)
    paper = question.encoding.kind == "paper"
    saturations = (1.0,) if paper or 0 not in question.widths else SATURATIONS
    if question.saturation is not None:
        saturations = (question.saturation,)
    for clip, intercept, saturation in product(clips, intercepts, saturations):
        yield Setting(mechanism, clip, intercept, saturation)


def thresholds(question: Question) -> tuple[float, ...]:
    """Return the thresholds that are tried on every released θ."""
    return THRESHOLDS if question.threshold is None else (question.threshold,)


def floor_of(question: Question, encoding: Encoding) -> float:
    """Return the floor on γ for W = 1 of objective perturbation; 0 where none applies."""
    try:
        return gamma_floor(1.0, question.loss.smoothness, encoding.radius, question.budget)
    except ParameterError:
        return 0.0  # ε = ∞, or so small an ε that only output perturbation is left


def gammas(question: Question, encoding: Encoding) -> list[float]:
    """Return γ for W = 1, falling: shares of n above the floor, and multiples of the floor.

    Multiples below the smallest share are left out: so small a γ never wins, and takes long.
    """
    floor = floor_of(question, encoding)
    shares = [share * question.n for share in GAMMAS if share * question.n > floor]
    multiples = [times * floor for times in ABOVE_FLOOR if floor > 0]
    if shares:
        multiples = [one for one in multiples if one >= GAMMAS[0] * question.n]
    rounded = {max(float(f"{one:.3g}"), SMALLEST) for one in shares + multiples}
    possible = [one for one in rounded if one <= question.most_gamma]
    return sorted(possible or [question.most_gamma], reverse=True)
