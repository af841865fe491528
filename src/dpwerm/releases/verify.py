"""Re-derive a rule's claims: its certificates are functions of the facts inside it.

Whatever follows from something else is computed again and compared: each certificate from its own
facts; W = V/π_min and the origin of the weights from what the study declares; a private propensity
model from the rule whose weights it makes; a private tuning from the rows, the budget and the
candidates, each of which could have been fitted. Facts that follow from nothing else (γ, the
bounds, ε, the charge in a ledger) can only be protected by a digest or by the ledger itself.
"""

from dpwerm.errors import DpwermError
from dpwerm.objective.losses import Logistic
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.sensitivity import KnownByDesign
from dpwerm.releases.certificate import certify
from dpwerm.releases.kinds import Finding, compared
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.tuning import Tuning, refuse_shared_weights
from dpwerm.weighting.propensity import model_encoding, origin_for, split


def verify_release(release: Release) -> list[Finding]:
    """Return one finding per recorded value, each compared with what follows from the facts."""
    recorded = release.certificate
    findings = [Finding("coefficients", len(release.integers), len(release.coefficient_names))]
    try:
        derived, _ = certify(
            recorded.specification(),
            release.encoding,
            recorded.n,
            secure=recorded.randomness == "operating system",
            library=recorded.library,
            receipt=recorded.receipt,
        )
    except DpwermError as error:
        return [*findings, Finding("certificate", "refused", str(error))]
    found, follows = recorded.model_dump(mode="json"), derived.model_dump(mode="json")
    return findings + compared(follows, found, absent=None, prefix="certificate.")


def declared_findings(rule: Rule) -> list[Finding]:
    """Return the checks of a rule against its declaration."""
    certificate, declaration = rule.release.certificate, rule.declaration
    origin = origin_for(declaration.treatment, rule.release.encoding, certificate.n or 1)
    recorded, bound = certificate.weight_origin, certificate.design.weight_bound(declaration)
    findings = [
        Finding("weight bound V/pi_min", certificate.weight_bound, bound),
        Finding("weight origin", recorded.name, origin.name),
        Finding("weight origin, its numbers", recorded.parameters, dict(origin.parameters)),
    ]
    findings += tuning_findings(rule)
    if rule.propensity is None:
        return findings
    return findings + _propensity(rule, rule.propensity)


def _propensity(rule: Rule, propensity: Release) -> list[Finding]:
    """Return the checks of a private propensity model, as of any release and as the rule's."""
    certificate, own = rule.release.certificate, propensity.certificate
    plain, expected = (
        propensity.encoding.changed(intercept=1.0),
        model_encoding(rule.release.encoding),
    )
    pairs = {
        "features": (plain.to_dict(), expected.to_dict()),
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
    return [
        *(
            Finding(f"propensity.{finding.what}", finding.recorded, finding.derived)
            for finding in verify_release(propensity)
        ),
        *(Finding(f"propensity model, {what}", *pair) for what, pair in pairs.items()),
    ]


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
    certificate = rule.release.certificate
    steps, chosen = tuning.steps, certificate.chosen
    pairs: dict[str, tuple[object, object]] = {
        "relation": (str(certificate.relation), str(Relation.REPLACE_ONE)),
        "rows of all slots": (sum(tuning.slots), tuning.rows),
        "rows of the released fit": (certificate.n, tuning.released_rows),
        "budget of the released fit": (str(certificate.budget), str(steps.rule)),
        "gamma is a candidate": (certificate.gamma in tuning.candidates, True),
        "gamma was simulated": (chosen is not None and "gamma" in chosen.settings, False),
        "candidates": (_fitted(rule, tuning), "all can be fitted"),
        "cost of all steps": (_cost(tuning), f"within {tuning.budget}"),
    }
    return [Finding(f"tuning, {what}", *pair) for what, pair in pairs.items()]


def _fitted(rule: Rule, tuning: Tuning) -> str:
    """Return whether the mechanism makes its claim for every candidate on its slot."""
    recorded = rule.release.certificate
    try:
        refuse_shared_weights(recorded.weight_origin.name)
        for gamma in tuning.candidates:
            spec = recorded.specification().with_settings(gamma=gamma, budget=tuning.steps.fit)
            certify(spec, rule.release.encoding, tuning.slots[0], secure=True, library="")
    except DpwermError as error:
        return str(error)
    return "all can be fitted"


def _cost(tuning: Tuning) -> str:
    """Return whether the steps together are within the whole budget."""
    cost, whole = tuning.cost, tuning.budget
    if not isinstance(cost, Budget):
        return str(cost)
    within = cost.epsilon <= whole.epsilon and cost.delta <= whole.delta
    return f"within {whole}" if within else str(cost)
