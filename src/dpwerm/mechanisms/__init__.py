"""Mechanisms: one theorem per file, and the table that finds them by name."""

from collections.abc import Mapping
from types import MappingProxyType

from dpwerm.mechanisms.gaussian import Gaussian
from dpwerm.mechanisms.noise import Mechanism, Noise
from dpwerm.mechanisms.none import NotPrivate
from dpwerm.mechanisms.product_laplace import ProductLaplace
from dpwerm.mechanisms.spherical_laplace import SphericalLaplace
from dpwerm.parameters import one_of

__all__ = ["MECHANISMS", "Mechanism", "Noise", "get_mechanism"]

_ALL: tuple[Mechanism, ...] = (SphericalLaplace(), ProductLaplace(), Gaussian(), NotPrivate())

MECHANISMS: Mapping[str, Mechanism] = MappingProxyType({one.name: one for one in _ALL})
"""Every mechanism by its name."""


def get_mechanism(name: object) -> Mechanism:
    """Return the mechanism of that name."""
    return MECHANISMS[one_of("mechanism", name, MECHANISMS)]
