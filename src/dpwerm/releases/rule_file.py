"""rule.json: a rule, its certificate, and a digest of the whole; versioned, strict, no pickle."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from dpwerm.errors import DpwermError, Fault, ParameterError, RuleFileError
from dpwerm.faults import faults_of
from dpwerm.features.blocks import Frozen as Record
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget, GaussianBudget
from dpwerm.privacy.origin import ReleasedModel
from dpwerm.releases.certificate import Certificate, Finite, Name
from dpwerm.releases.files import read_json, refuse_broken_lines, refuse_other_versions, write_json
from dpwerm.releases.findings import declared_findings
from dpwerm.releases.release import Release, digest_of
from dpwerm.releases.rule import Rule
from dpwerm.releases.tuning import Tuning, TuningRecord, plain_tuning
from dpwerm.releases.verify import Finding, leaves, verify_release
from dpwerm.study.declaration import Declaration

FORMAT, VERSION = "dpwerm-rule", 5
ABSENT = "(absent)"
Text = Annotated[str, Field(max_length=1000, strict=True)]


class CoefficientsRecord(Record):
    """θ_j = integers[j]·2^exponent in encoded units; own_units is the rule, for reading."""

    names: list[Text]
    integers: list[Annotated[int, Field(strict=True)]]
    exponent: Annotated[int, Field(strict=True)]
    threshold: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False, strict=True)]
    own_units: dict[Text, Finite]


class ReleaseRecord(Record):
    """A release: how rows become numbers, the coefficients, and what they promise."""

    encoding: dict[str, Any]
    coefficients: CoefficientsRecord
    certificate: Certificate


class StudyRecord(Record):
    """Which study the rule comes from."""

    id: Text
    name: Text


class RuleRecord(ReleaseRecord):
    """The content of a rule file.

    ``propensity`` is the private propensity model and ``tuning`` the private tuning of γ, if any.
    """

    format: Literal["dpwerm-rule"]
    version: Literal[5]
    study: StudyRecord
    notice: Text
    treatment: dict[str, Any]
    benefit: dict[str, Any]
    sources: dict[Text, Text]
    propensity: ReleaseRecord | None
    tuning: TuningRecord | None
    digest: Name


def notice(rule: Rule) -> str:
    """Return the sentence that heads a rule wherever it is shown."""
    certificate = rule.release.certificate
    if rule.private:
        budget = rule.budget
        if isinstance(budget, GaussianBudget):
            promise = f"{budget.symbol} {budget.parameter} ({budget.name})"
        else:
            promise = f"epsilon {budget.epsilon}, delta {budget.delta}"
        if rule.propensity is not None:
            own = "rule" if rule.tuning is None else "tuning of gamma and rule"
            parts = f"propensity model {rule.propensity.certificate.epsilon}, {own} {_own(rule)}"
            promise += f" in all ({parts})"
        elif rule.tuning is not None:
            promise += " in all, private tuning of gamma included"
        return f"Released under differential privacy: {promise}, relation {certificate.relation}."
    if certificate.epsilon == "Infinity":
        return "NOT PRIVATE: fitted without noise. Do not publish if the data is sensitive."
    return "NOT PRIVATE: the noise came from a seed. For simulation only."


def _own(rule: Rule) -> str:
    """Return what the rule cost without its propensity model, in a word."""
    own = rule.own_budget
    return str(own.epsilon if isinstance(own, Budget) else own)


def content_of(rule: Rule) -> dict[str, Any]:
    """Return the plain content of a rule file, digest included."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "notice": notice(rule),
        "study": {"id": rule.declaration.study_id, "name": rule.declaration.study_name},
        "treatment": rule.declaration.treatment_keys(),
        "benefit": rule.declaration.benefit_keys(),
        "sources": dict(rule.declaration.sources),
        "propensity": None if rule.propensity is None else rule.propensity.to_dict(),
        "tuning": None if rule.tuning is None else plain_tuning(rule.tuning),
        **rule.release.to_dict(),
    }
    return {**content, "digest": digest_of(content)}


def write_rule(rule: Rule, path: str | Path) -> None:
    """Write a rule file in one step."""
    write_json(content_of(rule), Path(path))


def parse_rule(content: dict[str, Any], where: str) -> tuple[Rule, RuleRecord]:
    """Return the rule that plain content describes, or every fault of its form."""
    refuse_other_versions(content, where, FORMAT, VERSION)
    refuse_broken_lines(content, where)
    try:
        record = RuleRecord.model_validate(content)
    except ValidationError as error:
        raise RuleFileError(where, faults_of(error)) from None
    release = _release(record, where)
    propensity = None
    if record.propensity is not None:
        propensity = _release(record.propensity, where, "propensity.")
    try:
        facts = Declaration.of_record(record.treatment, record.benefit)
    except ParameterError as error:
        raise RuleFileError(where, [Fault("treatment, benefit", str(error))]) from None
    if (facts.treatment.origin == ReleasedModel.name) != (propensity is not None):
        fault = Fault("propensity", "must be there exactly if the propensity model is private")
        raise RuleFileError(where, [fault])
    strange = sorted(set(record.sources) - {block.name for block in release.encoding.blocks})
    if strange:
        raise RuleFileError(where, [Fault("sources", "names something that is no feature")])
    declaration = Declaration(
        facts.treatment, facts.benefit, record.study.id, record.study.name, record.sources
    )
    rule = Rule(release, declaration, propensity, _tuning(record, where))
    try:
        _ = rule.budget
    except ParameterError as error:
        raise RuleFileError(where, [Fault("budget of both releases", str(error))]) from None
    return rule, record


def _tuning(record: RuleRecord, where: str) -> Tuning | None:
    """Return the private tuning that a record describes, if it describes one."""
    if record.tuning is None:
        return None
    try:
        return record.tuning.tuning()
    except ParameterError as error:
        raise RuleFileError(where, [Fault("tuning", str(error))]) from None


def _release(record: ReleaseRecord, where: str, prefix: str = "") -> Release:
    """Return the release that a record describes, or every fault of its form."""
    try:
        record.certificate.specification()
    except DpwermError as error:
        raise RuleFileError(where, [Fault(f"{prefix}certificate", str(error))]) from None
    try:
        encoding = Encoding.from_dict(record.encoding)
    except RuleFileError as error:
        faults = [replace(fault, where=f"{prefix}encoding.{fault.where}") for fault in error.faults]
        raise RuleFileError(where, faults) from None
    coefficients = record.coefficients
    if len(coefficients.integers) != len(encoding.coefficient_names):
        fault = Fault(f"{prefix}coefficients.integers", "not one per encoded column")
        raise RuleFileError(where, [fault])
    release = Release(
        encoding, tuple(coefficients.integers), record.certificate, coefficients.threshold
    )
    try:
        release.own_units()
    except OverflowError:
        fault = Fault(f"{prefix}coefficients", "too large for a double")
        raise RuleFileError(where, [fault]) from None
    return release


def read_rule(path: str | Path) -> Rule:
    """Return the rule in a file; one that ``verify_rule`` would reject is refused."""
    path = Path(path)
    content = read_json(path)
    rule, record = parse_rule(content, path.name)
    remedy = "run dpwerm verify, or fit again"
    if record.digest != digest_of(content):
        fault = Fault("digest", "does not match the content", remedy)
        raise RuleFileError(path.name, [fault])
    wrong = [finding.what for finding in _findings(content, rule, record) if not finding.holds]
    if wrong:
        problem = "does not follow from the rest of the file"
        raise RuleFileError(path.name, [Fault(what, problem, remedy) for what in wrong])
    return rule


def verify_rule(path: str | Path) -> list[Finding]:
    """Return every check of a rule file: digest, certificate, and all that follows from it."""
    path = Path(path)
    content = read_json(path)
    return _findings(content, *parse_rule(content, path.name))


def _findings(content: dict[str, Any], rule: Rule, record: RuleRecord) -> list[Finding]:
    findings = [Finding("digest", record.digest, digest_of(content)), *verify_release(rule.release)]
    findings += declared_findings(rule)
    expected = dict(leaves(content_of(rule)))
    found = dict(leaves(content))
    paths = [*expected, *(path for path in found if path not in expected)]
    written = [
        Finding(path, found.get(path, ABSENT), expected.get(path, ABSENT))
        for path in paths
        if path != "digest"
    ]
    # What the certificates say was derived above; here it matters only how it is written.
    return findings + [
        finding
        for finding in written
        if not (
            finding.holds and finding.what.startswith(("certificate.", "propensity.certificate."))
        )
    ]
