"""Mechanisms: one theorem per class; this package registers the library's own."""

from dpwerm.mechanisms.contract import (
    MECHANISMS,
    built_in,
    candidates,
    get_mechanism,
    plain_mechanism,
    register_mechanism,
)
from dpwerm.mechanisms.gaussian import Gaussian
from dpwerm.mechanisms.objective_perturbation import (
    ObjectiveBlock,
    ObjectiveEuclidean,
    ObjectiveGaussian,
)
from dpwerm.mechanisms.output_perturbation import NotPrivate, ProductLaplace, SphericalLaplace

__all__ = ["MECHANISMS", "candidates", "get_mechanism", "plain_mechanism", "register_mechanism"]

built_in(
    SphericalLaplace(),
    ProductLaplace(),
    Gaussian(),
    NotPrivate(),
    ObjectiveEuclidean(),
    ObjectiveBlock(),
    ObjectiveGaussian(),
)
