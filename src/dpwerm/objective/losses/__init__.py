"""Margin losses ℓ(z), one per file, each with the constants that privacy needs from it."""

from dpwerm.objective.losses.contract import MarginLoss, check_loss
from dpwerm.objective.losses.huberised_hinge import HuberisedHinge
from dpwerm.objective.losses.logistic import Logistic
from dpwerm.objective.losses.registry import LOSSES, get_loss, register_loss

__all__ = [
    "LOSSES",
    "HuberisedHinge",
    "Logistic",
    "MarginLoss",
    "check_loss",
    "get_loss",
    "register_loss",
]
