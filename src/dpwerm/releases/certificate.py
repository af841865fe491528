"""The certificate of a release: facts → calibration of the mechanism → ε, each from the last.

A specification holds the public choices, everything that can be said before the data is read. A
certificate is a pure function of it and of other public facts. The fit makes it before the solver
sees a row, and ``verify`` computes it again from the facts it contains and compares every number.
It names the charge that paid for the noise by the ledger's public id and the entry's number and
hash, or says that there is none; where the ledger is, is not written.
"""

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, SerializerFunctionWrapHandler, Tag, model_serializer

from dpwerm.errors import ParameterError
from dpwerm.exact import round_up
from dpwerm.features.blocks import Frozen as Record
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.mechanisms.contract import Calibration, calibrated
from dpwerm.mechanisms.output_perturbation import NotPrivate, SphericalLaplace
from dpwerm.objective.losses import HuberisedHinge, Loss, form_of, get_loss, taper_of
from dpwerm.objective.regularizers import Regularizer, Ridge, get_regularizer
from dpwerm.parameters import positive
from dpwerm.privacy.budget import AnyBudget, Budget, Relation, only_budget
from dpwerm.privacy.randomness import NO_LEDGER, Receipt
from dpwerm.privacy.sensitivity import Facts, WeightOrigin
from dpwerm.privacy.weight_origin import KnownByDesign, Unused, origin_of
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, Weighting, get_weighting

NON_PRIVATE = NotPrivate.name
PROMISES = ("epsilon", "delta", "rho", "mu")
"""The keys of a certificate that say what was promised."""

Flag = Annotated[bool, Field(strict=True)]
Integer = Annotated[int, Field(strict=True)]
Finite = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Name = Annotated[str, Field(max_length=200, strict=True)]
Text = Annotated[str, Field(max_length=1000, strict=True)]
Count = Annotated[int, Field(ge=0, le=10**12, strict=True)]
Exponent = Annotated[int, Field(ge=-2000, le=2000, strict=True)]
Randomness = Literal["operating system", "seeded"]


class Chosen(Record):
    """Which hyperparameters were chosen on synthetic trials, what they did there, and why.

    ``gain`` and ``harm`` are None for labels with weights and in files of earlier versions, which
    leave them out.
    """

    settings: list[Name]
    accuracy: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)]
    reason: Text
    gain: Annotated[float, Field(ge=-3, le=1, allow_inf_nan=False, strict=True)] | None = None
    harm: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False, strict=True)] | None = None

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        plain: dict[str, Any] = handler(self)
        return {key: one for key, one in plain.items() if one is not None}


@dataclass(frozen=True)
class Specification:
    """Budget, mechanism, loss and constants of one release.

    gamma: float > 0 on the summed objective; weight_bound: float > 0, the W of Δ = 2WLr/γ; chosen:
    what was chosen automatically, None if nothing was.
    An infinite ε always means the non-private baseline, whatever mechanism and δ were named; ρ and
    μ are for mechanism gaussian alone.
    """

    budget: AnyBudget
    gamma: float
    weight_bound: float
    mechanism: str = SphericalLaplace.name
    relation: Relation = Relation.REPLACE_ONE
    loss: Loss = field(default_factory=HuberisedHinge)
    regularizer: Regularizer = field(default_factory=Ridge)
    origin: WeightOrigin = field(default_factory=KnownByDesign)
    weighting: Weighting = OUTCOME_WEIGHTED
    chosen: Chosen | None = None

    def __post_init__(self) -> None:
        positive("gamma", self.gamma)
        positive("weight_bound", self.weight_bound)
        if form_of(self.loss) != self.weighting.form:
            raise ParameterError(
                f"loss {self.loss.name} is of a {form_of(self.loss)}, and weighting "
                f"{self.weighting.name} needs one of a {self.weighting.form}"
            )
        if not (self.origin.own_record or self.weighting.inverse_weights):
            raise ParameterError(
                f"origin {self.origin.name} lets others' records move a person's propensity, and "
                f"its constant is proven for weights |v|/P alone, not for {self.weighting.name}: "
                "use probabilities by design, from an external model, or a private model"
            )
        if self.weighting.uses_probabilities and isinstance(self.origin, Unused):
            raise ParameterError(
                f"weighting {self.weighting.name} uses probabilities of the arms, so its weights "
                f"cannot have the origin {self.origin.name}"
            )
        mechanism = get_mechanism(self.mechanism)
        if isinstance(self.budget, Budget) and not self.budget.is_private:
            object.__setattr__(self, "mechanism", NON_PRIVATE)
            object.__setattr__(self, "budget", Budget(self.budget.epsilon))
        elif not mechanism.private:
            raise ParameterError(
                f"mechanism '{mechanism.name}' adds no noise; use epsilon=inf for a non-private "
                "fit, or another mechanism"
            )
        get_mechanism(self.mechanism).check_notion(self.budget)

    @property
    def is_outcome_weighted(self) -> bool:
        """Whether this is outcome weighted learning; for other designs nothing is simulated."""
        return self.weighting == OUTCOME_WEIGHTED

    def changed(self, **parts: Any) -> "Specification":
        """Return the same specification with other parts, checked anew."""
        return replace(self, **parts)


class LedgerRecord(Record):
    """The receipt of a charge, as in :class:`~dpwerm.privacy.randomness.Receipt`."""

    kind: Literal["sqlite", "postgresql"]
    ledger: Annotated[str, Field(pattern="^[0-9a-f]{32}$", strict=True)]
    entry: Annotated[int, Field(ge=1, le=10**12, strict=True)]
    hash: Annotated[str, Field(pattern="^sha256:[0-9a-f]{64}$", strict=True)]


LedgerKey = Annotated[
    Annotated[Literal["none"], Tag(NO_LEDGER)] | Annotated[LedgerRecord, Tag("charge")],
    Discriminator(lambda key: "charge" if isinstance(key, dict | LedgerRecord) else NO_LEDGER),
]
"""The key ``ledger`` of a certificate."""


def ledger_key(receipt: Receipt | None) -> Literal["none"] | LedgerRecord:
    """Return what a certificate says of a receipt."""
    return "none" if receipt is None else LedgerRecord.model_validate(vars(receipt))


def receipt_in(key: Literal["none"] | LedgerRecord) -> Receipt | None:
    """Return the receipt that a certificate names, None if it names none."""
    return None if isinstance(key, str) else Receipt(**key.model_dump())


class NamedRecord(Record):
    """One of a registry, such as a regulariser or a weighting, and its parameters."""

    name: Name
    parameters: dict[Name, Finite]


class LossRecord(NamedRecord):
    """A loss and its constants L (lipschitz) and c (smoothness)."""

    lipschitz: Finite
    smoothness: Finite


class OriginRecord(NamedRecord):
    """Where the weights come from, with the origin's own public numbers."""

    statement: Text


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


class NoiseRecord(Record):
    """The scale of the noise, for reading, and the public grid 2^e of the release."""

    scale: Finite
    grid_exponent: Exponent


class GaussianRecord(Record):
    """The ρ of zCDP and the μ of GDP that Gaussian noise has whatever was asked, rounded up."""

    rho: Finite
    mu: Finite


class Certificate(Record):
    """Everything the privacy claim rests on.

    The promise is in ``epsilon`` and ``delta``, or in ``rho``, or in ``mu``; the others are null.
    ``weighting`` is None for outcome weighted learning, and files leave it out.
    """

    private: Flag
    mechanism: Name
    claim: Text
    proof: Name
    epsilon: Name | None
    delta: Name | None
    rho: Name | None
    mu: Name | None
    relation: Relation
    n: Count | None
    loss: LossRecord
    regularizer: NamedRecord
    gamma: Finite
    chosen: Chosen | None
    weight_bound: Finite
    weight_origin: OriginRecord
    weighting: NamedRecord | None = None
    radius: Finite
    dimension: Annotated[int, Field(ge=1, le=10**6, strict=True)]
    perturbation: PerturbationRecord | None
    sensitivity: SensitivityRecord
    noise: NoiseRecord
    gaussian: GaussianRecord | None
    randomness: Randomness
    ledger: LedgerKey
    library: Name

    @model_serializer(mode="wrap")
    def _plain(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
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
            chosen=self.chosen,
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
        taper=taper_of(spec.loss),
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
    mechanism, facts, inside = get_mechanism(spec.mechanism), calibration.facts, calibration.inside
    private, (claim, proof) = secure and spec.budget.is_private, mechanism.claim(facts)
    if receipt is not None and not private:
        raise ParameterError("what carries no privacy claim is in no ledger")
    noise, parts = calibration.noise, {}
    if inside is not None:
        parts = {part: str(getattr(inside, part)) for part in ("epsilon_inside", "epsilon_outside")}
    gaussian = get_mechanism(noise.mechanism).rho_and_mu(noise)
    loss, origin = spec.loss, spec.origin
    certificate = Certificate(
        private=private,
        mechanism=spec.mechanism,
        claim=claim if private else "no privacy claim",
        proof=proof,
        **dict.fromkeys(PROMISES) | spec.budget.plain(),
        relation=spec.relation,
        n=n if spec.relation.publishes_n else None,
        loss=LossRecord(**_named(loss), lipschitz=loss.lipschitz, smoothness=loss.smoothness),
        regularizer=NamedRecord(**_named(spec.regularizer)),
        weighting=None if spec.is_outcome_weighted else NamedRecord(**_named(spec.weighting)),
        gamma=spec.gamma,
        chosen=spec.chosen,
        weight_bound=spec.weight_bound,
        weight_origin=OriginRecord(**_named(origin), statement=origin.statement),
        radius=facts.radius,
        dimension=facts.dimension,
        perturbation=None if inside is None else PerturbationRecord(**{**vars(inside), **parts}),
        sensitivity=SensitivityRecord(
            weights_constant=round_up(origin.constant(facts)),
            minimiser=calibration.sensitivity,
            tolerance=calibration.tolerance,
            total=noise.sensitivity,
        ),
        noise=NoiseRecord(scale=noise.scale, grid_exponent=noise.exponent),
        gaussian=gaussian and GaussianRecord(rho=gaussian[0], mu=gaussian[1]),
        randomness="operating system" if secure else "seeded",
        ledger=ledger_key(receipt),
        library=library,
    )
    return certificate, calibration


def _named(one: Loss | Regularizer | WeightOrigin | Weighting) -> dict[str, Any]:
    return {"name": one.name, "parameters": dict(one.parameters)}
