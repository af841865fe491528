"""Regularisers R(θ), 1-strongly convex and C¹, one per file."""

from dpwerm.problem.regularizers.contract import check_regularizer
from dpwerm.problem.regularizers.protocol import Regularizer
from dpwerm.problem.regularizers.registry import (
    REGULARIZERS,
    get_regularizer,
    register_regularizer,
)
from dpwerm.problem.regularizers.ridge import Ridge

__all__ = [
    "REGULARIZERS",
    "Regularizer",
    "Ridge",
    "check_regularizer",
    "get_regularizer",
    "register_regularizer",
]
