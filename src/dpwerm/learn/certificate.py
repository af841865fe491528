"""The certificate of a release: Δ₂ → Δ = Δ₂ + 2τ → noise → ε, each re-derivable from the last.

A certificate is a pure function of public facts. The fit makes it before the solver sees a row,
and ``verify`` computes it again from the facts it contains and compares every number.
"""

from typing import Annotated, Literal

from pydantic import Field

from dpwerm.errors import ParameterError
from dpwerm.exact import round_up
from dpwerm.learn.specification import Specification
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.noise import Noise
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.origin import origin_of
from dpwerm.privacy.relation import Relation
from dpwerm.privacy.sensitivity import (
    Facts,
    default_tolerance,
    l2_sensitivity,
    total_sensitivity,
)
from dpwerm.problem.losses import get_loss
from dpwerm.problem.regularizers import get_regularizer
from dpwerm.study.blocks import Frozen as Record
from dpwerm.study.encoding import Encoding

Finite = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Name = Annotated[str, Field(max_length=200, strict=True)]
Count = Annotated[int, Field(ge=0, le=10**12, strict=True)]


class LossRecord(Record):
    """A loss and its constants L (lipschitz) and c (smoothness)."""

    name: Name
    parameters: dict[Name, Finite]
    lipschitz: Finite
    smoothness: Finite


class RegularizerRecord(Record):
    """A regulariser, 1-strongly convex, and its parameters."""

    name: Name
    parameters: dict[Name, Finite]


class OriginRecord(Record):
    """Where the weights come from, with the origin's own public numbers."""

    name: Name
    parameters: dict[Name, Finite]
    statement: Annotated[str, Field(max_length=1000, strict=True)]


class SensitivityRecord(Record):
    """How far one person can move what is released."""

    weights_constant: Finite
    minimiser: Finite
    tolerance: Finite
    total: Finite


class NoiseRecord(Record):
    """The scale of the noise, for reading, and the public grid 2^e of the release."""

    scale: Finite
    grid_exponent: Annotated[int, Field(ge=-2000, le=2000, strict=True)]


class Certificate(Record):
    """Everything the privacy claim rests on."""

    private: Annotated[bool, Field(strict=True)]
    mechanism: Name
    claim: Annotated[str, Field(max_length=1000, strict=True)]
    proof: Name
    epsilon: Name
    delta: Name
    relation: Relation
    n: Count | None
    loss: LossRecord
    regularizer: RegularizerRecord
    gamma: Finite
    weight_bound: Finite
    weight_origin: OriginRecord
    radius: Finite
    dimension: Annotated[int, Field(ge=1, le=10**6, strict=True)]
    sensitivity: SensitivityRecord
    noise: NoiseRecord
    randomness: Literal["operating system", "seeded"]
    ledger: Literal["none"]
    library: Name

    def specification(self) -> Specification:
        """Return the public choices this certificate names."""
        return Specification(
            budget=Budget.of(self.epsilon, self.delta),
            gamma=self.gamma,
            weight_bound=self.weight_bound,
            mechanism=self.mechanism,
            relation=self.relation,
            loss=get_loss(self.loss.name, **self.loss.parameters),
            regularizer=get_regularizer(self.regularizer.name, **self.regularizer.parameters),
            origin=origin_of({"name": self.weight_origin.name, **self.weight_origin.parameters}),
        )


def facts_of(spec: Specification, encoding: Encoding, n: int | None) -> Facts:
    """Return what the sensitivity depends on; under add/remove n is sensitive and left out."""
    return Facts(
        weight_bound=spec.weight_bound,
        lipschitz=spec.loss.lipschitz,
        radius=encoding.radius,
        gamma=spec.gamma,
        relation=spec.relation,
        n=n if spec.relation.publishes_n else None,
        origin=spec.origin,
    )


def certify(
    spec: Specification, encoding: Encoding, n: int | None, *, secure: bool, library: str
) -> tuple[Certificate, Noise]:
    """Return the certificate and the calibrated noise that follow from public facts alone."""
    if spec.relation.publishes_n and n is None:
        raise ParameterError("n is public under replace_one and must be given")
    facts = facts_of(spec, encoding, n)
    minimiser = l2_sensitivity(facts)
    tolerance = default_tolerance(minimiser)
    total = total_sensitivity(minimiser, tolerance)
    mechanism = get_mechanism(spec.mechanism)
    dimension = len(encoding.column_bounds)
    noise = mechanism.calibrate(total, dimension, spec.budget)
    private = secure and spec.budget.is_private
    certificate = Certificate(
        private=private,
        mechanism=spec.mechanism,
        claim=mechanism.statement if private else "no privacy claim",
        proof=mechanism.proof,
        epsilon=str(spec.budget.epsilon),
        delta=str(spec.budget.delta),
        relation=spec.relation,
        n=facts.n,
        loss=LossRecord(
            name=spec.loss.name,
            parameters=spec.loss.parameters,
            lipschitz=spec.loss.lipschitz,
            smoothness=spec.loss.smoothness,
        ),
        regularizer=RegularizerRecord(
            name=spec.regularizer.name, parameters=dict(spec.regularizer.parameters)
        ),
        gamma=spec.gamma,
        weight_bound=spec.weight_bound,
        weight_origin=OriginRecord(
            name=spec.origin.name,
            parameters=dict(spec.origin.parameters),
            statement=spec.origin.statement,
        ),
        radius=encoding.radius,
        dimension=dimension,
        sensitivity=SensitivityRecord(
            weights_constant=round_up(spec.origin.constant(facts)),
            minimiser=minimiser,
            tolerance=tolerance,
            total=total,
        ),
        noise=NoiseRecord(scale=noise.scale, grid_exponent=noise.exponent),
        randomness="operating system" if secure else "seeded",
        ledger="none",
        library=library,
    )
    return certificate, noise
