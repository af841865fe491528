"""Questions about small studies, for the tests of automatic settings."""

from collections.abc import Sequence
from typing import Any

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Outcome, Question
from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.sensitivity import KnownByDesign

FIXED = ("mechanism", "clip", "intercept", "saturation", "threshold")
"""What a question may fix."""

TRIAL = Outcome(0.0, signed=True, propensity=(0.5, 0.5), pi_min=0.5)


def encoding_of(widths: Sequence[int] = (0, 0), **other: Any) -> Encoding:
    """Return an encoding: width 0 is a number, 1 a category of two levels, k one of k levels."""
    blocks: list[NumberBlock | CategoryBlock] = []
    for index, width in enumerate(widths):
        name = f"x{index}"
        if width == 0:
            number = NumberBlock(name=name, column=name, lower=-1.0, upper=3.0, default=1.0)
            blocks.append(number)
            continue
        levels = tuple(Level(name=f"l{i}", cells=(f"l{i}",)) for i in range(max(2, width)))
        blocks.append(CategoryBlock(name=name, column=name, levels=levels, default="l1"))
    return Encoding(blocks=tuple(blocks), **other)


def question(widths: Sequence[int] = (0, 0), *, kind: str = "centred", **other: Any) -> Question:
    """Return a question about a trial of 60 people; ``epsilon`` and ``delta`` are its budget.

    Hyperparameters that are named are fixed.
    """
    budget = Budget.of(other.pop("epsilon", 1), other.pop("delta", 0))
    fixed = Hyperparameters(**{name: other.pop(name) for name in FIXED if name in other})
    known: dict[str, Any] = {
        "encoding": encoding_of(widths, kind=kind),
        "n": 60,
        "budget": budget,
        "relation": Relation.REPLACE_ONE,
        "loss": HuberisedHinge(),
        "origin": KnownByDesign(),
        "regularizer": Ridge(),
        "outcome": TRIAL,
        "fixed": fixed,
    }
    return Question(**(known | other))
