"""Mechanisms: one theorem per file, and the tables that find them and their noise by name."""

from collections.abc import Mapping
from types import MappingProxyType

from dpwerm.mechanisms.contract import Calibration, Inside, Mechanism, Noise, NoiseLaw
from dpwerm.mechanisms.gaussian import Gaussian
from dpwerm.mechanisms.none import NotPrivate
from dpwerm.mechanisms.norms import BlockNorm, Euclidean
from dpwerm.mechanisms.objective_gaussian import ObjectiveGaussian
from dpwerm.mechanisms.objective_perturbation import ObjectivePerturbation
from dpwerm.mechanisms.output_perturbation import OutputPerturbation
from dpwerm.mechanisms.product_laplace import ProductLaplace
from dpwerm.mechanisms.spherical_laplace import SphericalLaplace
from dpwerm.parameters import one_of

__all__ = [
    "MECHANISMS",
    "NOISE_LAWS",
    "Calibration",
    "Inside",
    "Mechanism",
    "Noise",
    "NoiseLaw",
    "get_mechanism",
]

_LAWS: tuple[NoiseLaw, ...] = (SphericalLaplace(), ProductLaplace(), Gaussian(), NotPrivate())
_INSIDE: tuple[Mechanism, ...] = (
    ObjectivePerturbation(Euclidean()),
    ObjectivePerturbation(BlockNorm()),
    ObjectiveGaussian(),
)
_ALL: tuple[Mechanism, ...] = (*(OutputPerturbation(law) for law in _LAWS), *_INSIDE)

NOISE_LAWS: Mapping[str, NoiseLaw] = MappingProxyType({law.name: law for law in _LAWS})
"""Every law of noise for output perturbation, by its name."""

MECHANISMS: Mapping[str, Mechanism] = MappingProxyType({one.name: one for one in _ALL})
"""Every mechanism by its name."""


def get_mechanism(name: object) -> Mechanism:
    """Return the mechanism of that name."""
    return MECHANISMS[one_of("mechanism", name, MECHANISMS)]
