"""Questions about small studies, for the tests of automatic settings."""

from collections.abc import Sequence
from typing import Any

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import FIXED, Outcome, Question
from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import plain_mechanism
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.releases.certificate import Specification
from dpwerm.releases.parts import SHARES

SPECIFIED = ("weight_bound", "relation", "loss", "regularizer", "origin", "weighting")
"""What a specification says besides the budget."""

NONE: dict[str, Any] = dict.fromkeys(SHARES, 0.0)
"""No share of ε for anything but the rule."""

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

    Hyperparameters that are named are fixed. There are no private ranges and no guard unless one of
    them is named, as None to be chosen.
    """
    epsilon, delta = other.pop("epsilon", 1), other.pop("delta", 0)
    budget = other.pop("budget", Budget.of(epsilon, delta))
    named = {name: other.pop(name) for name in FIXED if name in other}
    fixed = Hyperparameters(**(NONE | named))
    said = {name: other.pop(name) for name in SPECIFIED if name in other}
    encoding = encoding_of(widths, kind=kind)
    known: dict[str, Any] = {"encoding": encoding, "n": 60, "outcome": TRIAL, "fixed": fixed}
    return Question(specification(budget, **said), **(known | other))


def specification(budget: AnyBudget, **other: Any) -> Specification:
    """Return what a fit is told with W = 1 unless another is named."""
    known: dict[str, Any] = {
        "gamma": 1.0,
        "weight_bound": 1.0,
        "mechanism": plain_mechanism(budget),
    }
    return Specification(budget, **(known | other))
