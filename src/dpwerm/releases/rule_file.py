"""rule.json: a rule, its certificate, and a digest of the whole; versioned, strict, no pickle."""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import Field

from dpwerm.errors import DpwermError, Fault, ParameterError, RuleFileError
from dpwerm.features.blocks import Frozen as Record
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget, GaussianBudget
from dpwerm.privacy.sensitivity import ReleasedModel
from dpwerm.releases.certificate import Certificate, Finite, Name
from dpwerm.releases.kinds import RULE, Finding, Kind, Released, register_kind
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.tuning import Tuning, TuningRecord, plain_tuning
from dpwerm.releases.verify import declared_findings, verify_release
from dpwerm.study.treatment import Declaration

Text = Annotated[str, Field(max_length=1000, strict=True)]
SHOWN = (
    "digest",
    "weight bound V/pi_min",
    "weight origin",
    "certificate.radius",
    "certificate.perturbation.kappa",
    "certificate.perturbation.epsilon_inside",
    "certificate.perturbation.epsilon_outside",
    "certificate.perturbation.jacobian",
    "certificate.perturbation.rate",
    "certificate.perturbation.sigma",
    "certificate.sensitivity.minimiser",
    "certificate.sensitivity.tolerance",
    "certificate.sensitivity.total",
    "certificate.noise.scale",
    "certificate.noise.grid_exponent",
    "certificate.epsilon",
    "certificate.delta",
    "certificate.rho",
    "certificate.mu",
    "certificate.gaussian.rho",
    "certificate.gaussian.mu",
    "certificate.private",
    "propensity.certificate.private",
    "propensity.certificate.mechanism",
    "propensity.certificate.epsilon",
    "propensity.certificate.noise.scale",
    "propensity model, share of the budget",
    "tuning.how",
    "tuning.claim",
    "tuning.rows",
    "tuning.fit.epsilon",
    "tuning.choice.epsilon",
    "tuning.epsilon",
    "tuning, rows of the released fit",
    "tuning, budget of the released fit",
    "tuning, cost of all steps",
)
GIVEN = (
    "certificate.epsilon",
    "certificate.delta",
    "certificate.rho",
    "certificate.mu",
    "propensity.certificate.mechanism",
    "propensity.certificate.epsilon",
    "tuning.how",
    "tuning.rows",
    "tuning.epsilon",
)


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


def what_of(rule: Rule) -> str:
    """Return what a ledger calls a rule that was charged."""
    return "rule" if rule.tuning is None else "tuned rule"


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
    if len(coefficients.integers) != len(record.certificate.design.coefficient_names(encoding)):
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


class RuleKind(Kind[Rule]):
    """Rules, as ``dpwerm fit`` and private tuning release them."""

    format, version, releases = RULE, 5, Rule
    charged_as = ("rule", "tuned rule")
    again = "run dpwerm verify, or fit again"
    shown = SHOWN
    given = GIVEN
    derived = ("certificate.", "propensity.certificate.")
    words = MappingProxyType(
        {
            "summary": "dpwerm.documents.summary:summary",
            "report": "dpwerm.documents.report.compose:report_on",
            "audit": "dpwerm.audit.suite:rule_cells",
        }
    )

    def plain(self, release: Rule) -> dict[str, Any]:
        """Return the content of a rule file without format, version and digest."""
        declaration, propensity, tuning = release.declaration, release.propensity, release.tuning
        return {
            "notice": notice(release),
            "study": {"id": declaration.study_id, "name": declaration.study_name},
            "treatment": declaration.treatment_keys(),
            "benefit": declaration.benefit_keys(),
            "sources": dict(declaration.sources),
            "propensity": None if propensity is None else propensity.to_dict(),
            "tuning": None if tuning is None else plain_tuning(tuning),
            **release.release.to_dict(),
        }

    def parse(self, content: dict[str, Any], where: str) -> Rule:
        """Return the rule that plain content describes, or every fault of its form."""
        record = self.record(RuleRecord, content, where)
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
        return rule

    def charged(self, release: Rule, digest: str) -> Released:
        """Return what a rule says of its charge."""
        what, study = what_of(release), release.declaration.study_id
        return Released(what, release.private, study, digest, release.budget, release.receipt)

    def checks(self, release: Rule) -> list[Finding]:
        """Return what follows from the certificates and from the declaration."""
        return [*verify_release(release.release), *declared_findings(release)]

    def refusal(self, wrong: Sequence[str]) -> list[Fault]:
        """Return why a file is not read: by its digest alone where that is wrong."""
        if "digest" in wrong:
            return [Fault("digest", "does not match the content", self.again)]
        return super().refusal(wrong)


KIND = register_kind(RuleKind())
content_of, write_rule, read_rule, verify_rule = KIND.content, KIND.write, KIND.read, KIND.verify
