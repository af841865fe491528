"""The settings that are tried: a public grid, in units that fit every study.

γ is a share of n·W, because the sum of n terms of weight at most W is what it stands against. The
clip is a share of the largest benefit, the intercept's constant is in units of a feature's bound,
and a saturation k ≥ 1 stretches the middle 1/k of each number's range over [−1, 1].
"""

from collections.abc import Iterator
from itertools import product

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Question
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import candidates
from dpwerm.mechanisms.perturbed import gamma_floor
from dpwerm.parameters import SMALLEST

GAMMAS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
CLIPS = (0.1, 0.2, 0.4, 0.7, 1.0)
INTERCEPTS = (0.2, 0.4, 1.0)
SATURATIONS = (1.0, 1.5, 2.5)
THRESHOLDS = (0.0, 0.15, 0.25, 0.35)
ABOVE_FLOOR = (1.3, 3.0)
"""How far above the floor of objective perturbation γ starts."""


def mechanisms(question: Question) -> tuple[str, ...]:
    """Return the mechanisms to try, the most promising first."""
    if question.fixed.mechanism is not None:
        return (question.fixed.mechanism,)
    return candidates(question.budget)


def settings(question: Question, mechanism: str) -> Iterator[Hyperparameters]:
    """Yield everything but γ and threshold: all of the grid that the question leaves open."""
    fixed = question.fixed
    clips = CLIPS if fixed.clip is None else (fixed.clip,)
    if question.outcome.labels:
        clips = (1.0,)  # weights come bounded by W; there is nothing to clip
    intercepts = INTERCEPTS if fixed.intercept is None else (fixed.intercept,)
    paper = question.encoding.kind == "paper"
    saturations = (1.0,) if paper or 0 not in question.widths else SATURATIONS
    if fixed.saturation is not None:
        saturations = (fixed.saturation,)
    for clip, intercept, saturation in product(clips, intercepts, saturations):
        yield Hyperparameters(mechanism, clip, intercept, saturation)


def thresholds(question: Question) -> tuple[float, ...]:
    """Return the thresholds that are tried on every released θ."""
    return THRESHOLDS if question.fixed.threshold is None else (question.fixed.threshold,)


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
