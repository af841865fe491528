"""The certificate of a release: facts → calibration of the mechanism → ε, each from the last.

A certificate is a pure function of public facts. The fit makes it before the solver sees a row,
and ``verify`` computes it again from the facts it contains and compares every number. It names the
charge that paid for the noise by the ledger's public id and the entry's number and hash, or says
that there is none; where the ledger is, is not written.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import (
    Discriminator,
    Field,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
)

from dpwerm.errors import ParameterError
from dpwerm.exact import round_up
from dpwerm.features.blocks import Frozen as Record
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration, Inside, Noise, calibrated
from dpwerm.objective.losses import get_loss
from dpwerm.objective.regularizers import get_regularizer
from dpwerm.privacy.budget import AnyBudget, Relation, only_budget
from dpwerm.privacy.randomness import NO_LEDGER, Receipt
from dpwerm.privacy.sensitivity import Facts, origin_of
from dpwerm.releases.specification import Chosen, Specification
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, Weighting, get_weighting


class LedgerRecord(Record):
    """The receipt of a charge, as in :class:`~dpwerm.privacy.randomness.Receipt`."""

    kind: Literal["sqlite", "postgresql"]
    ledger: Annotated[str, Field(pattern="^[0-9a-f]{32}$", strict=True)]
    entry: Annotated[int, Field(ge=1, le=10**12, strict=True)]
    hash: Annotated[str, Field(pattern="^sha256:[0-9a-f]{64}$", strict=True)]

    @classmethod
    def of(cls, receipt: Receipt) -> Self:
        """Return the record of a receipt."""
        return cls.model_validate(vars(receipt))

    def receipt(self) -> Receipt:
        """Return the receipt that this records."""
        return Receipt(self.kind, self.ledger, self.entry, self.hash)


def _form(value: Any) -> str:
    return "charge" if isinstance(value, dict | LedgerRecord) else NO_LEDGER


LedgerKey = Annotated[
    Annotated[Literal["none"], Tag(NO_LEDGER)] | Annotated[LedgerRecord, Tag("charge")],
    Discriminator(_form),
]
"""The key ``ledger`` of a certificate."""


def ledger_key(receipt: Receipt | None) -> Literal["none"] | LedgerRecord:
    """Return what a certificate says of a receipt."""
    return "none" if receipt is None else LedgerRecord.of(receipt)


def receipt_in(key: Literal["none"] | LedgerRecord) -> Receipt | None:
    """Return the receipt that a certificate names, None if it names none."""
    return None if isinstance(key, str) else key.receipt()


Finite = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Name = Annotated[str, Field(max_length=200, strict=True)]
Count = Annotated[int, Field(ge=0, le=10**12, strict=True)]

PROMISES = ("epsilon", "delta", "rho", "mu")
"""The keys of a certificate that say what was promised."""


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
    """How far one person can move what the noise is added to.

    ``minimiser`` is Δ₂ for output perturbation. Under objective perturbation the claim does not
    rest on it and it is null; the noise is then made for two tolerances.
    """

    weights_constant: Finite
    minimiser: Finite | None
    tolerance: Finite
    total: Finite


class PerturbationRecord(Record):
    """The noise inside the objective: its norm K, κ, β or σ, and the two parts of ε."""

    norm: Name
    kappa: Finite
    epsilon_inside: Name
    epsilon_outside: Name
    jacobian: Finite
    rate: Finite | None
    sigma: Finite | None

    @classmethod
    def of(cls, inside: Inside | None) -> Self | None:
        """Return the record, None where the objective has no noise."""
        if inside is None:
            return None
        return cls(
            norm=inside.norm,
            kappa=inside.kappa,
            epsilon_inside=str(inside.epsilon_inside),
            epsilon_outside=str(inside.epsilon_outside),
            jacobian=inside.jacobian,
            rate=inside.rate,
            sigma=inside.sigma,
        )


class NoiseRecord(Record):
    """The scale of the noise, for reading, and the public grid 2^e of the release."""

    scale: Finite
    grid_exponent: Annotated[int, Field(ge=-2000, le=2000, strict=True)]


class GaussianRecord(Record):
    """The ρ of zCDP and the μ of GDP that Gaussian noise has whatever was asked, rounded up."""

    rho: Finite
    mu: Finite

    @classmethod
    def of(cls, noise: Noise) -> Self | None:
        """Return the record, None where the noise is not Gaussian."""
        both = get_mechanism(noise.mechanism).rho_and_mu(noise)
        return None if both is None else cls(rho=both[0], mu=both[1])


class WeightingRecord(Record):
    """The design of another estimator than outcome weighted learning, and its parameters."""

    name: Name
    parameters: dict[Name, Finite]


class ChosenRecord(Record):
    """Which settings were chosen on simulated problems, and in words why; no row was read."""

    settings: list[Name]
    accuracy: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
    reason: Annotated[str, Field(max_length=1000, strict=True)]

    @classmethod
    def of(cls, chosen: Chosen) -> Self:
        """Return the record of a choice."""
        return cls(settings=list(chosen.settings), accuracy=chosen.accuracy, reason=chosen.reason)

    def plain(self) -> Chosen:
        """Return the choice that this records."""
        return Chosen(tuple(self.settings), self.accuracy, self.reason)


class Certificate(Record):
    """Everything the privacy claim rests on.

    The promise is in ``epsilon`` and ``delta``, or in ``rho``, or in ``mu``; the others are null.
    """

    private: Annotated[bool, Field(strict=True)]
    mechanism: Name
    claim: Annotated[str, Field(max_length=1000, strict=True)]
    proof: Name
    epsilon: Name | None
    delta: Name | None
    rho: Name | None
    mu: Name | None
    relation: Relation
    n: Count | None
    loss: LossRecord
    regularizer: RegularizerRecord
    gamma: Finite
    chosen: ChosenRecord | None
    weight_bound: Finite
    weight_origin: OriginRecord
    weighting: WeightingRecord | None = None
    radius: Finite
    dimension: Annotated[int, Field(ge=1, le=10**6, strict=True)]
    perturbation: PerturbationRecord | None
    sensitivity: SensitivityRecord
    noise: NoiseRecord
    gaussian: GaussianRecord | None
    randomness: Literal["operating system", "seeded"]
    ledger: LedgerKey
    library: Name

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the weighting where it is outcome weighted, as files have always done."""
        plain: dict[str, Any] = handler(self)
        if self.weighting is None:
            del plain["weighting"]
        return plain

    @property
    def design(self) -> Weighting:
        """The weighting that this certificate names."""
        known = self.weighting
        return OUTCOME_WEIGHTED if known is None else get_weighting(known.name, **known.parameters)

    @property
    def budget(self) -> AnyBudget:
        """The budget that this certificate names."""
        return only_budget(epsilon=self.epsilon, delta=self.delta, rho=self.rho, mu=self.mu)

    @property
    def receipt(self) -> Receipt | None:
        """The charge that paid for the noise, None if no ledger knows of it."""
        return receipt_in(self.ledger)

    def specification(self) -> Specification:
        """Return the public choices this certificate names."""
        return Specification(
            budget=self.budget,
            gamma=self.gamma,
            weight_bound=self.weight_bound,
            mechanism=self.mechanism,
            relation=self.relation,
            loss=get_loss(self.loss.name, **self.loss.parameters),
            regularizer=get_regularizer(self.regularizer.name, **self.regularizer.parameters),
            origin=origin_of({"name": self.weight_origin.name, **self.weight_origin.parameters}),
            chosen=None if self.chosen is None else self.chosen.plain(),
            weighting=self.design,
        )


def facts_of(spec: Specification, encoding: Encoding, n: int | None) -> Facts:
    """Return what the calibration depends on; under add/remove n is sensitive and left out."""
    return Facts(
        weight_bound=spec.weight_bound,
        lipschitz=spec.loss.lipschitz,
        smoothness=spec.loss.smoothness,
        domain=spec.weighting.domain(encoding),
        gamma=spec.gamma,
        regularizer=spec.regularizer,
        relation=spec.relation,
        n=n if spec.relation.publishes_n else None,
        origin=spec.origin,
    )


def calibration_of(spec: Specification, encoding: Encoding, n: int | None) -> Calibration:
    """Return the noise of a release, or raise if no claim can be made; n as in ``certify``.

    n is left out where nothing depends on it, so that a fit is calibrated once: what was checked
    before a row was read is what is then used.
    """
    if spec.relation.publishes_n and n is None:
        raise ParameterError("n is public under replace_one and must be given")
    needed = n if spec.origin.needs_n else None
    return calibrated(get_mechanism(spec.mechanism), facts_of(spec, encoding, needed), spec.budget)


def certify(
    spec: Specification,
    encoding: Encoding,
    n: int | None,
    *,
    secure: bool,
    library: str,
    receipt: Receipt | None = None,
) -> tuple[Certificate, Calibration]:
    """Return the certificate and the mechanism's calibration that follow from public facts alone.

    receipt: of the charge that paid for the noise. Only what makes a claim is charged.
    """
    calibration = calibration_of(spec, encoding, n)
    mechanism, facts = get_mechanism(spec.mechanism), calibration.facts
    private = secure and spec.budget.is_private
    if receipt is not None and not private:
        raise ParameterError("what carries no privacy claim is in no ledger")
    certificate = Certificate(
        private=private,
        mechanism=spec.mechanism,
        claim=mechanism.statement if private else "no privacy claim",
        proof=mechanism.proof,
        **dict.fromkeys(PROMISES) | spec.budget.plain(),
        relation=spec.relation,
        n=n if spec.relation.publishes_n else None,
        loss=LossRecord(
            name=spec.loss.name,
            parameters=spec.loss.parameters,
            lipschitz=spec.loss.lipschitz,
            smoothness=spec.loss.smoothness,
        ),
        regularizer=RegularizerRecord(
            name=spec.regularizer.name, parameters=dict(spec.regularizer.parameters)
        ),
        weighting=None
        if spec.weighting == OUTCOME_WEIGHTED
        else WeightingRecord(name=spec.weighting.name, parameters=dict(spec.weighting.parameters)),
        gamma=spec.gamma,
        chosen=None if spec.chosen is None else ChosenRecord.of(spec.chosen),
        weight_bound=spec.weight_bound,
        weight_origin=OriginRecord(
            name=spec.origin.name,
            parameters=dict(spec.origin.parameters),
            statement=spec.origin.statement,
        ),
        radius=facts.radius,
        dimension=facts.dimension,
        perturbation=PerturbationRecord.of(calibration.inside),
        sensitivity=SensitivityRecord(
            weights_constant=round_up(spec.origin.constant(facts)),
            minimiser=calibration.sensitivity,
            tolerance=calibration.tolerance,
            total=calibration.noise.sensitivity,
        ),
        noise=NoiseRecord(scale=calibration.noise.scale, grid_exponent=calibration.noise.exponent),
        gaussian=GaussianRecord.of(calibration.noise),
        randomness="operating system" if secure else "seeded",
        ledger=ledger_key(receipt),
        library=library,
    )
    return certificate, calibration
