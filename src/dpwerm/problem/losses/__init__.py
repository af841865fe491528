"""Margin losses ℓ(z), one per file, each with the constants that privacy needs from it."""

from dpwerm.problem.losses.contract import check_loss
from dpwerm.problem.losses.huberised_hinge import HuberisedHinge
from dpwerm.problem.losses.logistic import Logistic
from dpwerm.problem.losses.protocol import MarginLoss
from dpwerm.problem.losses.registry import LOSSES, get_loss, register_loss

__all__ = [
    "LOSSES",
    "HuberisedHinge",
    "Logistic",
    "MarginLoss",
    "check_loss",
    "get_loss",
    "register_loss",
]
