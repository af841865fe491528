"""What a rule's certificates must say because of what its study declares.

W = V/π_min, the origin of the weights with all its numbers, and for a private propensity model that
it is the model of the weights: the same features, n and relation, the arm as label, weights of 1.
"""

from dpwerm.errors import DpwermError
from dpwerm.learn.release import Release
from dpwerm.learn.verify import Finding, verify_release
from dpwerm.privacy.origin import KnownByDesign
from dpwerm.problem.losses import Logistic
from dpwerm.problem.regularizers import Ridge
from dpwerm.rules.propensity import model_encoding, origin_for, split
from dpwerm.rules.rule import Rule
from dpwerm.rules.tuning_findings import tuning_findings


def declared_findings(rule: Rule) -> list[Finding]:
    """Return the checks of a rule against its declaration."""
    certificate, declaration = rule.release.certificate, rule.declaration
    origin = origin_for(declaration.treatment, rule.release.encoding, certificate.n or 1)
    recorded = certificate.weight_origin
    findings = [
        Finding("weight bound V/pi_min", certificate.weight_bound, declaration.weight_bound),
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
    compared = {
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
        *(Finding(f"propensity model, {what}", *pair) for what, pair in compared.items()),
    ]


def _parts(rule: Rule, propensity: Release) -> str:
    """Return whether the two budgets are the declared split of their sum; tuning is the rule's."""
    try:
        both = split(rule.budget, rule.declaration.treatment)
    except DpwermError as error:
        return str(error)
    same = both == (propensity.certificate.budget, rule.own_budget)
    return "as declared" if same else "another split than the study declares"
