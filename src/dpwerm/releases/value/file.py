"""value.json: a released value, its certificate, and a digest of the whole; versioned and strict.

The integers and the declared facts are all there is; the rest is written for reading and is
computed again when it is verified.
"""

from dataclasses import asdict
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from dpwerm.errors import DpwermError, Fault, ParameterError, RuleFileError
from dpwerm.features.blocks import Frozen as Record
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Finite, Name
from dpwerm.releases.kinds import VALUE, Kind, Released, register_kind
from dpwerm.releases.rule_file import StudyRecord, Text
from dpwerm.releases.value.outcome import CONFIDENCES, NOT_EVALUATED, OutcomeModel, for_evaluation
from dpwerm.releases.value.release import ValueCertificate, ValueRelease
from dpwerm.study.declaration import Declaration

SHOWN = (
    "digest",
    "certificate.epsilon",
    "certificate.delta",
    "certificate.private",
    "certificate.pi_min",
    "certificate.sensitivity",
    "certificate.noise_scale",
    "certificate.grid_exponent",
)


class SumsRecord(Record):
    """Sum j is integers[j]·2^exponent, in units of whole rows."""

    names: list[Text]
    integers: list[Annotated[int, Field(strict=True)]]
    exponent: Annotated[int, Field(strict=True)]


class EstimateRecord(Record):
    """A value or a gain with its interval, for reading."""

    name: Text
    over: Text | None
    estimate: Finite | None
    lower: Finite
    upper: Finite
    privacy: Finite
    sampling: Finite


class EvaluatedRule(Record):
    """Which rule was evaluated, and whether it carries a privacy claim itself."""

    digest: Name
    private: Annotated[bool, Field(strict=True)]


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
    values: list[EstimateRecord]
    gains: list[EstimateRecord]
    sums: SumsRecord
    certificate: ValueCertificate
    digest: Name


class ValueKind(Kind[ValueRelease]):
    """Values of rules, as ``dpwerm evaluate`` releases them."""

    format, version, releases = VALUE, 2, ValueRelease
    charged_as = ("value",)
    again = "evaluate again"
    shown = SHOWN
    given = ("certificate.epsilon", "certificate.delta")
    words = MappingProxyType({"summary": "dpwerm.documents.value:value_summary"})

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
            "values": [asdict(one) for one in release.values],
            "gains": [asdict(one) for one in release.gains],
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
        try:
            facts = for_evaluation(Declaration.of_record(record.treatment, record.benefit))
            if facts.treatment.origin in NOT_EVALUATED:
                raise ParameterError(f"origin {facts.treatment.origin} is never evaluated")
            value = ValueRelease(
                integers=tuple(record.sums.integers),
                declaration=Declaration(
                    facts.treatment, facts.benefit, record.study.id, record.study.name
                ),
                budget=Budget.of(certificate.epsilon),
                relation=certificate.relation,
                n=certificate.n,
                secure=certificate.randomness == "operating system",
                library=certificate.library,
                confidence=record.confidence,
                rule_digest=record.rule.digest,
                rule_private=record.rule.private,
                outcome_model=OutcomeModel.of(record.outcome_model),
                receipt=certificate.receipt,
            )
        except DpwermError as error:
            raise RuleFileError(where, [Fault("facts", str(error))]) from None
        if len(value.integers) != value.layout.count:
            raise RuleFileError(where, [Fault("sums.integers", "not one per sum")])
        if value.relation.publishes_n and value.n is None:
            raise RuleFileError(where, [Fault("certificate.n", "is missing under replace_one")])
        return value

    def charged(self, release: ValueRelease, digest: str) -> Released:
        """Return what a value says of its charge."""
        study = release.declaration.study_id
        return Released("value", release.private, study, digest, release.budget, release.receipt)


KIND = register_kind(ValueKind())
value_content, write_value, read_value, verify_value = (
    KIND.content,
    KIND.write,
    KIND.read,
    KIND.verify,
)
