"""Mechanisms: one theorem per file, and the tables that find them and their noise by name."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.features.composed import Product
from dpwerm.features.domain import CrossPolytope, Interval
from dpwerm.mechanisms.contract import Calibration, Inside, Mechanism, Noise, NoiseLaw
from dpwerm.mechanisms.gaussian import Gaussian
from dpwerm.mechanisms.norms import BlockNorm, Euclidean
from dpwerm.mechanisms.objective_gaussian import ObjectiveGaussian
from dpwerm.mechanisms.objective_perturbation import ObjectivePerturbation
from dpwerm.mechanisms.output_perturbation import NotPrivate, OutputPerturbation
from dpwerm.mechanisms.product_laplace import ProductLaplace
from dpwerm.mechanisms.spherical_laplace import SphericalLaplace
from dpwerm.objective.regularizers import Ridge
from dpwerm.parameters import one_of
from dpwerm.privacy.budget import AnyBudget, Budget, Relation
from dpwerm.privacy.origin import KnownByDesign
from dpwerm.privacy.sensitivity import Facts

__all__ = [
    "MECHANISMS",
    "NOISE_LAWS",
    "Calibration",
    "Inside",
    "Mechanism",
    "Noise",
    "NoiseLaw",
    "candidates",
    "get_mechanism",
    "plain_mechanism",
    "register_mechanism",
]

_LAWS: tuple[NoiseLaw, ...] = (SphericalLaplace(), ProductLaplace(), Gaussian(), NotPrivate())
_INSIDE: tuple[Mechanism, ...] = (
    ObjectivePerturbation(Euclidean(), place=20),
    ObjectivePerturbation(BlockNorm(), place=10),
    ObjectiveGaussian(),
)
_MECHANISMS: dict[str, Mechanism] = {
    one.name: one for one in (*(OutputPerturbation(law) for law in _LAWS), *_INSIDE)
}

NOISE_LAWS: Mapping[str, NoiseLaw] = MappingProxyType({law.name: law for law in _LAWS})
"""The library's laws of noise for output perturbation, by their names."""

MECHANISMS: Mapping[str, Mechanism] = MappingProxyType(_MECHANISMS)
"""Every mechanism by its name; ``register_mechanism`` adds to it."""


def get_mechanism(name: object) -> Mechanism:
    """Return the mechanism of that name."""
    return MECHANISMS[one_of("mechanism", name, MECHANISMS)]


def candidates(budget: AnyBudget) -> tuple[str, ...]:
    """Return the mechanisms that the automatic choice tries, the most promising first."""
    places = {name: one.order(budget) for name, one in MECHANISMS.items()}
    found = [(place, name) for name, place in places.items() if place is not None]
    return tuple(name for _, name in sorted(found, key=lambda one: one[0]))


def plain_mechanism(budget: AnyBudget) -> str:
    """Return the mechanism where nobody names one and nothing is simulated."""
    return next(name for name, one in MECHANISMS.items() if one.is_plain(budget))


def register_mechanism(mechanism: Mechanism) -> Mechanism:
    """Add a mechanism of one's own; a name is given once, and the contract is checked."""
    if mechanism.name in MECHANISMS:
        raise ParameterError(f"a mechanism named {mechanism.name} is already registered")
    check_mechanism(mechanism)
    _MECHANISMS[mechanism.name] = mechanism
    return mechanism


def check_mechanism(mechanism: Mechanism) -> None:
    """Raise ``ParameterError`` naming what a mechanism lacks: words, or a law of its noise."""
    name = mechanism.name
    words = (name, mechanism.statement, mechanism.proof, mechanism.how)
    if not all(words) or len(mechanism.statement) > 1000:
        raise ParameterError(f"mechanism {name} needs a name, a claim, a proof page and its words")
    domain = Product((Interval(0.5), CrossPolytope(3, 1.0)))
    facts = Facts(1.0, 1.0, 0.25, domain, 50.0, Ridge(), Relation.REPLACE_ONE, 9, KnownByDesign())
    budget = Budget.of(1, "1e-6" if mechanism.needs_delta else 0)
    calibration = mechanism.calibrate(facts, budget)
    if calibration.mechanism != name or calibration != mechanism.calibrate(facts, budget):
        raise ParameterError(f"mechanism {name} must calibrate itself, the same each time")
    draws = Draws.of((8,), domain.dimension, np.random.Generator(np.random.PCG64(0)))
    inside = mechanism.inside_noise(calibration, draws)
    outside = mechanism.outside_noise(calibration, draws)
    if (inside is None) != (calibration.inside is None):
        raise ParameterError(f"mechanism {name} has noise inside, or none, in one place only")
    main = outside if inside is None else inside
    found = (outside, main, mechanism.log_density(calibration, main))
    shapes = ((8, domain.dimension), (8, domain.dimension), (8,))
    if any(one.shape != shape for one, shape in zip(found, shapes, strict=True)):
        raise ParameterError(f"mechanism {name} must give noise (…, p) and log-densities (m,)")
    if not all(np.isfinite(one).all() for one in found):
        raise ParameterError(f"mechanism {name} must give finite noise and log-densities")
