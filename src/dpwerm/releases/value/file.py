"""value.json: a released value, its certificate, and a digest of the whole; versioned and strict.

The integers and the declared facts are all there is; the rest is written for reading and is
computed again by ``verify_value``.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from dpwerm.errors import DpwermError, Fault, ParameterError, RuleFileError
from dpwerm.faults import faults_of
from dpwerm.features.blocks import Frozen as Record
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Finite, Name
from dpwerm.releases.files import (
    VALUE_FORMAT,
    read_json,
    refuse_broken_lines,
    refuse_other_versions,
    write_json,
)
from dpwerm.releases.release import digest_of
from dpwerm.releases.rule_file import ABSENT, StudyRecord, Text
from dpwerm.releases.value.outcome import CONFIDENCES, NOT_EVALUATED, OutcomeModel, for_evaluation
from dpwerm.releases.value.release import ValueCertificate, ValueRelease
from dpwerm.releases.verify import Finding, leaves
from dpwerm.study.declaration import Declaration

FORMAT, VERSION = VALUE_FORMAT, 2


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


def value_content(value: ValueRelease) -> dict[str, Any]:
    """Return the plain content of a value file, digest included."""
    model = value.outcome_model
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "notice": value.notice,
        "study": {"id": value.declaration.study_id, "name": value.declaration.study_name},
        "rule": {"digest": value.rule_digest, "private": value.rule_private},
        "treatment": value.declaration.treatment_keys(),
        "benefit": value.declaration.benefit_keys(),
        "outcome_model": None if model is None else model.model_dump(mode="json"),
        "confidence": value.confidence,
        "values": [asdict(one) for one in value.values],
        "gains": [asdict(one) for one in value.gains],
        "sums": {
            "names": list(value.layout.names),
            "integers": list(value.integers),
            "exponent": value.noise.exponent,
        },
        "certificate": value.certificate.model_dump(mode="json"),
    }
    return {**content, "digest": digest_of(content)}


def write_value(value: ValueRelease, path: str | Path) -> None:
    """Write a value file in one step."""
    write_json(value_content(value), Path(path))


def parse_value(content: dict[str, Any], where: str) -> tuple[ValueRelease, ValueRecord]:
    """Return the value that plain content describes, or every fault of its form."""
    refuse_other_versions(content, where, FORMAT, VERSION)
    refuse_broken_lines(content, where)
    try:
        record = ValueRecord.model_validate(content)
    except ValidationError as error:
        raise RuleFileError(where, faults_of(error)) from None
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
    return value, record


def read_value(path: str | Path) -> ValueRelease:
    """Return the value in a file; one that ``verify_value`` would reject is refused."""
    path = Path(path)
    content = read_json(path)
    value, _ = parse_value(content, path.name)
    wrong = [finding.what for finding in _findings(content, value) if not finding.holds]
    if wrong:
        problem, remedy = "does not follow from the rest of the file", "evaluate again"
        raise RuleFileError(path.name, [Fault(what, problem, remedy) for what in wrong])
    return value


def verify_value(path: str | Path) -> list[Finding]:
    """Return every check of a value file: digest, certificate, values, and how all is written."""
    path = Path(path)
    content = read_json(path)
    value, _ = parse_value(content, path.name)
    return _findings(content, value)


def _findings(content: dict[str, Any], value: ValueRelease) -> list[Finding]:
    derived = value_content(value)
    expected, found = dict(leaves(derived)), dict(leaves(content))
    paths = [*expected, *(path for path in found if path not in expected)]
    findings = [Finding("digest", content.get("digest"), digest_of(content))]
    return findings + [
        Finding(path, found.get(path, ABSENT), expected.get(path, ABSENT))
        for path in paths
        if path != "digest"
    ]
