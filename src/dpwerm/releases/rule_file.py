"""rule.json: a rule, its certificate, and a digest of the whole; versioned, strict, no pickle.

Whatever follows from something else is computed again and compared: each certificate from its own
facts; W and the origin of the weights from what the study declares; a penalty for arms from its
design; a private propensity model from the rule whose weights it makes; a private tuning from the
rows, the budget and the candidates, each of which could have been fitted. Facts that follow from
nothing else (γ, the bounds, ε, the charge in a ledger) can only be protected by the digest or by
the ledger itself.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from dpwerm.errors import DpwermError, Fault, ParameterError, RuleFileError
from dpwerm.features.blocks import Frozen as Record
from dpwerm.features.encoding import Encoding
from dpwerm.objective.losses import Logistic
from dpwerm.objective.regularizers import ArmPenalty, Ridge
from dpwerm.privacy.budget import AnyBudget, Budget, GaussianBudget, Relation
from dpwerm.privacy.weight_origin import KnownByDesign, ReleasedModel
from dpwerm.releases.certificate import PROMISES, Certificate, Finite, Integer, Name, Text, certify
from dpwerm.releases.guard import GuardRecord
from dpwerm.releases.kinds import RULE, Finding, Kind, compared, refused_at, register_kind
from dpwerm.releases.parts import (
    declared_encoding,
    guard_findings,
    parts_findings,
    ranges_findings,
    tightness_findings,
)
from dpwerm.releases.ranges import RangesRecord
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.tightness import TightnessRecord
from dpwerm.releases.tuning import Tuning, TuningRecord, plain_tuning, refuse_shared_weights
from dpwerm.study.propensity import NoPropensity
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.contract import OutcomeWeighted
from dpwerm.weighting.contrast import ContrastRegression
from dpwerm.weighting.trial import NO_PROBABILITIES, model_encoding, origin_for, split

BOUND, OTHER_BOUND = "weight bound V/pi_min", "weight bound of the design"
WITHOUT_ARMS = (OutcomeWeighted.name, ContrastRegression.name)
"""The library's designs that have no columns of each arm."""

NOT_ARMS = "a penalty that is not for columns of each arm"

INSIDE = ("kappa", "epsilon_inside", "epsilon_outside", "jacobian", "rate", "sigma")
COMPUTED = {
    "certificate": ("radius", "private"),
    "certificate.perturbation": INSIDE,
    "certificate.sensitivity": ("minimiser", "tolerance", "total"),
    "certificate.noise": ("scale", "grid_exponent"),
    "certificate.gaussian": ("rho", "mu"),
    "propensity.certificate": ("private", "noise.scale"),
    "tuning": ("claim", "fit.epsilon", "choice.epsilon"),
}
GIVEN = (
    *(f"certificate.{promise}" for promise in PROMISES),
    *(f"propensity.certificate.{key}" for key in ("mechanism", "epsilon")),
    *(f"tuning.{key}" for key in ("how", "rows", "epsilon")),
)
SHOWN = (
    *GIVEN,
    "digest",
    BOUND,
    OTHER_BOUND,
    "weight origin",
    *(f"{part}.{key}" for part, keys in COMPUTED.items() for key in keys),
    "propensity model, share of the budget",
    *(f"tuning, {what} of the released fit" for what in ("rows", "budget")),
    "tuning, cost of all steps",
)


class CoefficientsRecord(Record):
    """θ_j = integers[j]·2^exponent in encoded units; own_units is the rule, for reading."""

    names: list[Text]
    integers: list[Integer]
    exponent: Integer
    threshold: Annotated[float, Field(ge=0, lt=1, allow_inf_nan=False, strict=True)]
    everybody: Literal[-1, 0, 1] = 0
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
    """The content of a rule file; ``propensity`` and ``tuning`` are private ones, if any."""

    format: Literal["dpwerm-rule"]
    version: Literal[5]
    study: StudyRecord
    notice: Text
    treatment: dict[str, Any]
    benefit: dict[str, Any]
    sources: dict[Text, Text]
    propensity: ReleaseRecord | None
    tuning: TuningRecord | None
    tightness: TightnessRecord | None = None
    ranges: list[RangesRecord] = Field(default_factory=list, max_length=2)
    guard: GuardRecord | None = None
    digest: Name


def promise_of(budget: AnyBudget) -> str:
    """Return a budget in the words of a notice."""
    if isinstance(budget, GaussianBudget):
        return f"{budget.symbol} {budget.parameter} ({budget.name})"
    return f"epsilon {budget.epsilon}, delta {budget.delta}"


def notice(rule: Rule | Release) -> str:
    """Return the sentence that heads a rule, or a release alone, wherever it is shown."""
    certificate = rule.certificate if isinstance(rule, Release) else rule.release.certificate
    if rule.private:
        if isinstance(rule, Release):
            promise = promise_of(certificate.budget)
            return (
                f"Released under differential privacy: {promise}, relation {certificate.relation}."
            )
        promise = promise_of(rule.budget)
        if rule.propensity is not None:
            own = "rule" if rule.tuning is None else "tuning of gamma and rule"
            spent = rule.own_budget
            cost = spent.epsilon if isinstance(spent, Budget) else spent
            parts = f"propensity model {rule.propensity.certificate.epsilon}, {own} {cost}"
            promise += f" in all ({parts})"
        elif rule.tuning is not None:
            promise += " in all, private tuning of gamma included"
        return f"Released under differential privacy: {promise}, relation {certificate.relation}."
    if certificate.epsilon == "Infinity":
        return "NOT PRIVATE: fitted without noise. Do not publish if the data is sensitive."
    return "NOT PRIVATE: the noise came from a seed. For simulation only."


def _release(record: ReleaseRecord, where: str, prefix: str = "") -> Release:
    """Return the release that a record describes, or every fault of its form."""
    with refused_at(where, f"{prefix}certificate"):
        record.certificate.specification()
    try:
        encoding = Encoding.from_dict(record.encoding)
    except RuleFileError as error:
        faults = [replace(fault, where=f"{prefix}encoding.{fault.where}") for fault in error.faults]
        raise RuleFileError(where, faults) from None
    coefficients = record.coefficients
    if len(coefficients.integers) != len(record.certificate.design.coefficient_names(encoding)):
        fault = Fault(f"{prefix}coefficients.integers", "not one per encoded column")
        raise RuleFileError(where, [fault])
    integers = tuple(coefficients.integers)
    threshold, everybody = coefficients.threshold, coefficients.everybody
    release = Release(encoding, integers, record.certificate, threshold, everybody)
    try:
        release.own_units()
    except OverflowError:
        fault = Fault(f"{prefix}coefficients", "too large for a double")
        raise RuleFileError(where, [fault]) from None
    return release


def verify_release(release: Release) -> list[Finding]:
    """Return one finding per recorded value, each compared with what follows from the facts."""
    recorded = release.certificate
    findings = [Finding("coefficients", len(release.integers), len(release.coefficient_names))]
    try:
        spec = recorded.specification()
        derived, _ = certify(
            spec,
            release.encoding,
            recorded.n,
            secure=recorded.randomness == "operating system",
            library=recorded.library,
            receipt=recorded.receipt,
        )
    except DpwermError as error:
        return [*findings, Finding("certificate", "refused", str(error))]
    found, follows = recorded.model_dump(mode="json"), derived.model_dump(mode="json")
    if recorded.weight_origin.statement in spec.origin.earlier:
        follows["weight_origin"]["statement"] = recorded.weight_origin.statement
    return findings + compared(follows, found, absent=None, prefix="certificate.")


def declared_findings(rule: Rule) -> list[Finding]:
    """Return the checks of a rule against its declaration."""
    certificate, declaration = rule.release.certificate, rule.declaration
    declared = origin_for(declaration.treatment, rule.release.encoding, certificate.n or 1)
    origin = certificate.design.origin(declared)
    recorded, bound = certificate.weight_origin, certificate.design.weight_bound(declaration)
    name = BOUND if certificate.weighting is None else OTHER_BOUND
    return [
        Finding(name, certificate.weight_bound, bound),
        Finding("weight origin", recorded.name, origin.name),
        Finding("weight origin, its numbers", recorded.parameters, dict(origin.parameters)),
        *_penalty(rule.release),
        *tuning_findings(rule),
        *parts_findings(rule),
        *tightness_findings(rule),
        *ranges_findings(rule),
        *guard_findings(rule),
        *([] if rule.propensity is None else _propensity(rule, rule.propensity)),
    ]


def _penalty(release: Release) -> list[Finding]:
    """Return the check that a penalty for arms is the one of its design and encoding.

    A design without columns of each arm may have any penalty but that one.
    """
    penalty, design = release.certificate.regularizer, release.certificate.design
    what, recorded = "penalty of the design", penalty.parameters
    if design.name in WITHOUT_ARMS:
        return [Finding(what, penalty.name, NOT_ARMS)] if penalty.name == ArmPenalty.name else []
    ratio = recorded.get("main", 1.0) / recorded.get("contrast", 1.0)
    own = design.penalty(release.encoding, ratio)
    return [] if own is None else [Finding(what, recorded, dict(own.parameters))]


def _propensity(rule: Rule, propensity: Release) -> list[Finding]:
    """Return the checks of a private propensity model, as of any release and as the rule's."""
    certificate, own = rule.release.certificate, propensity.certificate
    plain, expected = propensity.encoding.changed(intercept=1.0), declared_encoding(rule)
    pairs = {
        "features": (plain.to_dict(), model_encoding(expected).to_dict()),
        "threshold": (propensity.threshold, 0.0),
        "weight bound": (own.weight_bound, 1.0),
        "weight origin": (own.weight_origin.name, KnownByDesign.name),
        "loss": (own.loss.name, Logistic.name),
        "regularizer": (own.regularizer.name, Ridge.name),
        "relation": (str(own.relation), str(certificate.relation)),
        "n": (own.n, certificate.n if rule.tuning is None else rule.tuning.rows),
        "randomness": (own.randomness, certificate.randomness),
        "ledger": (own.receipt, certificate.receipt),
        "share of the budget": (_parts(rule, propensity), "as declared"),
    }
    findings = verify_release(propensity)
    as_any = [replace(finding, what=f"propensity.{finding.what}") for finding in findings]
    return as_any + [Finding(f"propensity model, {what}", *pair) for what, pair in pairs.items()]


def _parts(rule: Rule, propensity: Release) -> str:
    """Return whether the two budgets are the declared split of their sum; tuning is the rule's."""
    try:
        both = split(rule.budget, rule.declaration.treatment)
    except DpwermError as error:
        return str(error)
    same = both == (propensity.certificate.budget, rule.own_budget)
    return "as declared" if same else "another split than the study declares"


def tuning_findings(rule: Rule) -> list[Finding]:
    """Return the checks of a private tuning; none without one."""
    tuning = rule.tuning
    if tuning is None:
        return []
    certificate, chosen = rule.release.certificate, rule.release.certificate.chosen
    cost, whole = tuning.cost, tuning.budget
    within = cost.epsilon <= whole.epsilon and cost.delta <= whole.delta
    pairs: dict[str, tuple[object, object]] = {
        "relation": (str(certificate.relation), str(Relation.REPLACE_ONE)),
        "rows of all folds": (sum(tuning.folds), tuning.rows),
        "rows of the released fit": (certificate.n, tuning.released_rows),
        "budget of the released fit": (str(certificate.budget), str(tuning.steps.rule)),
        "gamma is a candidate": (certificate.gamma in tuning.candidates, True),
        "gamma was simulated": (chosen is not None and "gamma" in chosen.settings, False),
        "candidates": (_fitted(rule, tuning), "all can be fitted"),
        "cost of all steps": (f"within {whole}" if within else str(cost), f"within {whole}"),
    }
    return [Finding(f"tuning, {what}", *pair) for what, pair in pairs.items()]


def _fitted(rule: Rule, tuning: Tuning) -> str:
    """Return whether the mechanism makes its claim for every candidate on its fold."""
    recorded = rule.release.certificate
    try:
        treatment = rule.declaration.treatment
        if isinstance(treatment.propensity, NoPropensity):
            raise ParameterError(NO_PROBABILITIES)
        refuse_shared_weights(treatment.origin)
        refuse_shared_weights(recorded.weight_origin.name)
        for gamma in tuning.candidates:
            spec = recorded.specification().changed(gamma=gamma, budget=tuning.steps.fit)
            certify(spec, rule.release.encoding, tuning.folds[0], secure=True, library="")
    except DpwermError as error:
        return str(error)
    return "all can be fitted"


class RuleKind(Kind[Rule]):
    """Rules, as ``dpwerm fit`` and private tuning release them."""

    format, version, releases = RULE, 5, Rule
    charged_as = ("rule", "tuned rule")
    again = "run dpwerm verify, or fit again"
    shown, given = SHOWN, GIVEN
    derived = ("certificate.", "propensity.certificate.")

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
            **({} if release.tightness is None else {"tightness": release.tightness.plain()}),
            **({"ranges": [one.plain() for one in release.ranges]} if release.ranges else {}),
            **({} if release.guard is None else {"guard": release.guard.plain()}),
            **release.release.to_dict(),
        }

    def parse(self, content: dict[str, Any], where: str) -> Rule:
        """Return the rule that plain content describes, or every fault of its form."""
        record = self.record(RuleRecord, content, where)
        release, model = _release(record, where), record.propensity
        propensity = None if model is None else _release(model, where, "propensity.")
        with refused_at(where, "treatment, benefit"):
            facts = Declaration.of_record(record.treatment, record.benefit)
        if (facts.treatment.origin == ReleasedModel.name) != (propensity is not None):
            fault = Fault("propensity", "must be there exactly if the propensity model is private")
            raise RuleFileError(where, [fault])
        if not set(record.sources) <= {block.name for block in release.encoding.blocks}:
            raise RuleFileError(where, [Fault("sources", "names something that is no feature")])
        study, sources = record.study, record.sources
        facts = replace(facts, study_id=study.id, study_name=study.name, sources=sources)
        with refused_at(where, "tuning"):
            tuning = None if record.tuning is None else record.tuning.tuning()
        with refused_at(where, "tightness"):
            tightness = None if record.tightness is None else record.tightness.tightness()
        with refused_at(where, "ranges"):
            ranges = tuple(one.ranges() for one in record.ranges)
        with refused_at(where, "guard"):
            relation = record.certificate.relation
            guard = None if record.guard is None else record.guard.guard(relation)
        rule = Rule(release, facts, propensity, tuning, ranges, guard, tightness)
        with refused_at(where, "ranges"):
            declared_encoding(rule)
        with refused_at(where, "budget of both releases"):
            _ = rule.budget
        return rule

    def charged(self, release: Rule) -> tuple[str, str]:
        """Return what a ledger calls a rule, and its study."""
        what = "rule" if release.tuning is None else "tuned rule"
        return what, release.declaration.study_id

    def relation(self, release: Rule) -> str:
        """Return the relation of a rule's certificate."""
        return str(release.release.certificate.relation)

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
