"""A released value: noisy sums, the certificate that follows from public facts, and what they say.

Everything in it is public. Values, gains and intervals are computed from the sums and cost nothing.
In the file the integers and the declared facts are all there is; the rest is written for reading
and is computed again when it is verified.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from dpwerm.arrays import FloatArray
from dpwerm.errors import Fault, ParameterError, RuleFileError
from dpwerm.features.blocks import Frozen as Record
from dpwerm.mechanisms.laplace_sums import LaplaceSums
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.randomness import Receipt
from dpwerm.privacy.weight_origin import origin_class
from dpwerm.releases.certificate import (
    Count,
    Exponent,
    Finite,
    Flag,
    Integer,
    LedgerKey,
    Name,
    Randomness,
    Text,
    ledger_key,
    receipt_in,
)
from dpwerm.releases.kinds import VALUE, Kind, refused_at, register_kind
from dpwerm.releases.rule_file import StudyRecord
from dpwerm.releases.value.interval import Target, gain_target, interval_of, value_target
from dpwerm.releases.value.layout import (
    CONFIDENCES,
    RULE,
    Layout,
    OutcomeModel,
    for_evaluation,
    layout_for,
)
from dpwerm.study.treatment import Declaration


class ValueCertificate(Record):
    """Everything the privacy claim of an evaluation rests on, besides the rule's own claim."""

    private: Flag
    mechanism: Name
    claim: Text
    proof: Name
    epsilon: Name
    delta: Name
    relation: Relation
    n: Count | None
    benefit_range: tuple[Finite, Finite]
    pi_min: Finite
    weight_origin: Name
    estimate: Name
    sums: Count
    sensitivity: Count
    noise_scale: Finite
    grid_exponent: Exponent
    randomness: Randomness
    ledger: LedgerKey
    library: Name


class Estimate(Record):
    """A value or a gain in units of the benefit, after its transform and direction.

    ``estimate`` is None where the noise leaves nothing to be said. ``privacy`` and ``sampling`` are
    half the widths of the intervals that allow for one error alone; [lower, upper] for both.
    """

    name: Text
    over: Text | None
    estimate: Finite | None
    lower: Finite
    upper: Finite
    privacy: Finite
    sampling: Finite


@dataclass(frozen=True, repr=False)
class ValueRelease:
    """The release of one evaluation.

    Parameters
    ----------
    integers : one per sum, in units of the grid
    declaration : treatment and benefit as they were evaluated
    budget, relation, n, secure, library : the facts that the certificate follows from
    confidence : float in [0.5, 0.999], of every interval
    rule_digest, rule_private : which rule was evaluated, and whether it carries a privacy claim
    outcome_model : the public model behind a doubly robust value
    receipt : of the charge that paid for the noise; only what makes a claim is charged
    """

    integers: tuple[int, ...]
    declaration: Declaration
    budget: Budget
    relation: Relation
    n: int | None
    secure: bool
    library: str
    confidence: float
    rule_digest: str
    rule_private: bool
    outcome_model: OutcomeModel | None = None
    receipt: Receipt | None = None

    def __post_init__(self) -> None:
        if self.receipt is not None and not self.private:
            raise ParameterError("what carries no privacy claim is in no ledger")

    def __repr__(self) -> str:
        one = self.value
        shown = "not known" if one.estimate is None else f"{one.estimate:.4g}"
        return f"<value of a rule: {shown}, {one.lower:.4g} to {one.upper:.4g}. {self.notice}>"

    @property
    def private(self) -> bool:
        """Whether the evaluation carries a privacy claim.

        A rule without one may follow from everybody's row, and so would its value.
        """
        return self.secure and self.budget.is_private and self.rule_private

    @cached_property
    def layout(self) -> Layout:
        """What the sums mean."""
        return layout_for(self.declaration, robust=self.outcome_model is not None)

    @property
    def noise(self) -> LaplaceSums:
        """The noise in the sums."""
        return LaplaceSums(self.layout.count, self.relation, self.budget)

    @property
    def certificate(self) -> ValueCertificate:
        """The certificate that follows from the facts."""
        noise = self.noise
        return ValueCertificate(
            private=self.private,
            mechanism=noise.name,
            claim=noise.statement if self.private else "no privacy claim",
            proof=noise.proof,
            **self.budget.plain(),
            relation=self.relation,
            n=self.n if self.relation.publishes_n else None,
            benefit_range=self.declaration.benefit.range,
            pi_min=self.declaration.treatment.pi_min,
            weight_origin=self.declaration.treatment.origin,
            estimate=self.layout.kind,
            sums=noise.count,
            sensitivity=noise.sensitivity,
            noise_scale=noise.scale,
            grid_exponent=noise.exponent,
            randomness="operating system" if self.secure else "seeded",
            ledger=ledger_key(self.receipt),
            library=self.library,
        )

    @property
    def notice(self) -> str:
        """The sentence that heads the evaluation wherever it is shown."""
        if self.private:
            promise = f"epsilon {self.budget.epsilon}, delta 0, relation {self.relation}"
            return f"Released under differential privacy: {promise}."
        if not self.budget.is_private:
            return "NOT PRIVATE: evaluated without noise. Do not publish if the data is sensitive."
        if not self.secure:
            return "NOT PRIVATE: the noise came from a seed. For simulation only."
        return "NOT PRIVATE: the rule itself is not private, and its value follows from it."

    @property
    def sums(self) -> FloatArray:
        """The noisy sums, shape (C, K), in units of whole rows."""
        grid = 2.0**self.noise.exponent
        shape = (len(self.layout.cells), len(self.layout.shares))
        return np.array([float(k) * grid for k in self.integers]).reshape(shape)

    @cached_property
    def values(self) -> tuple[Estimate, ...]:
        """The value of the rule and of each arm for everybody."""
        lower, _ = self.declaration.benefit.range
        targets = [value_target(self.layout, one, self.sums) for one in self.layout.policies]
        return tuple(self._estimate(target, None, lower) for target in targets)

    @cached_property
    def gains(self) -> tuple[Estimate, ...]:
        """What the rule gains over each arm for everybody."""
        rule, *others = self.layout.policies
        return tuple(
            self._estimate(gain_target(self.layout, rule, one, self.sums), one.name, 0.0)
            for one in others
        )

    @property
    def value(self) -> Estimate:
        """The value of the rule."""
        return next(one for one in self.values if one.name == RULE)

    def _estimate(self, target: Target, over: str | None, zero: float) -> Estimate:
        """Return a target in units of the benefit, where ``zero`` is its 0."""
        lower, upper = self.declaration.benefit.range
        size = upper - lower
        places = 6 - math.floor(math.log10(size))  # six digits of the benefit's range

        def own(share: Any, start: float = 0.0) -> float:
            return round(start + size * float(share), places) + 0.0  # never −0

        scale = float(self.noise.exact_scale)
        found = partial(interval_of, self.layout, target, self.sums, scale, self.confidence)
        both, privacy, sampling = found(), found(sampling=False), found(privacy=False)
        told = bool(target.known) and tuple(map(float, both)) != (target.lower, target.upper)
        return Estimate(
            name=target.name,
            over=over,
            estimate=own(target.estimate, zero) if told else None,
            lower=own(both.lower, zero),
            upper=own(both.upper, zero),
            privacy=own((privacy.upper - privacy.lower) / 2),
            sampling=own((sampling.upper - sampling.lower) / 2),
        )


SHOWN = ("epsilon", "delta", "private", "pi_min", "sensitivity", "noise_scale", "grid_exponent")


class SumsRecord(Record):
    """Sum j is integers[j]·2^exponent, in units of whole rows."""

    names: list[Text]
    integers: list[Integer]
    exponent: Integer


class EvaluatedRule(Record):
    """Which rule was evaluated, and whether it carries a privacy claim itself."""

    digest: Name
    private: Flag


class ValueRecord(Record):
    """The content of a value file."""

    format: Literal["dpwerm-value"]
    version: Literal[2]
    notice: Text
    study: StudyRecord
    rule: EvaluatedRule
    treatment: dict[str, Any]
    benefit: dict[str, Any]
    outcome_model: dict[str, Any] | None
    confidence: Annotated[
        float, Field(ge=CONFIDENCES[0], le=CONFIDENCES[1], allow_inf_nan=False, strict=True)
    ]
    values: list[Estimate]
    gains: list[Estimate]
    sums: SumsRecord
    certificate: ValueCertificate
    digest: Name


class ValueKind(Kind[ValueRelease]):
    """Values of rules, as ``dpwerm evaluate`` releases them."""

    format, version, releases = VALUE, 2, ValueRelease
    charged_as = ("value",)
    again = "evaluate again"
    shown = ("digest", *(f"certificate.{key}" for key in SHOWN))
    given = ("certificate.epsilon", "certificate.delta")

    def plain(self, release: ValueRelease) -> dict[str, Any]:
        """Return the content of a value file without format, version and digest."""
        declaration, model = release.declaration, release.outcome_model
        return {
            "notice": release.notice,
            "study": {"id": declaration.study_id, "name": declaration.study_name},
            "rule": {"digest": release.rule_digest, "private": release.rule_private},
            "treatment": declaration.treatment_keys(),
            "benefit": declaration.benefit_keys(),
            "outcome_model": None if model is None else model.model_dump(mode="json"),
            "confidence": release.confidence,
            "values": [one.model_dump() for one in release.values],
            "gains": [one.model_dump() for one in release.gains],
            "sums": {
                "names": list(release.layout.names),
                "integers": list(release.integers),
                "exponent": release.noise.exponent,
            },
            "certificate": release.certificate.model_dump(mode="json"),
        }

    def parse(self, content: dict[str, Any], where: str) -> ValueRelease:
        """Return the value that plain content describes, or every fault of its form."""
        record = self.record(ValueRecord, content, where)
        certificate = record.certificate
        with refused_at(where, "facts"):
            facts = for_evaluation(Declaration.of_record(record.treatment, record.benefit))
            if not origin_class(facts.treatment.origin).own_record:
                raise ParameterError(f"origin {facts.treatment.origin} is never evaluated")
            value = ValueRelease(
                integers=tuple(record.sums.integers),
                declaration=replace(facts, study_id=record.study.id, study_name=record.study.name),
                budget=Budget.of(certificate.epsilon),
                relation=certificate.relation,
                n=certificate.n,
                secure=certificate.randomness == "operating system",
                library=certificate.library,
                confidence=record.confidence,
                rule_digest=record.rule.digest,
                rule_private=record.rule.private,
                outcome_model=OutcomeModel.of(record.outcome_model),
                receipt=receipt_in(certificate.ledger),
            )
        if len(value.integers) != value.layout.count:
            raise RuleFileError(where, [Fault("sums.integers", "not one per sum")])
        if value.relation.publishes_n and value.n is None:
            raise RuleFileError(where, [Fault("certificate.n", "is missing under replace_one")])
        return value

    def charged(self, release: ValueRelease) -> tuple[str, str]:
        """Return what a ledger calls a value, and its study."""
        return "value", release.declaration.study_id

    def relation(self, release: ValueRelease) -> str:
        """Return the relation of a value's certificate."""
        return str(release.relation)


KIND = register_kind(ValueKind())
value_content = KIND.content
write_value, read_value, verify_value = KIND.write, KIND.read, KIND.verify
