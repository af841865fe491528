"""What a rule's certificate must say because its γ was tuned privately.

The release is one of the fits that the tuning describes: its rows, its budget, a candidate's γ; and
every candidate could have been fitted. Slots and steps are derived where the record is written.
"""

from collections.abc import Iterable

from dpwerm.errors import DpwermError
from dpwerm.objective.losses.logistic import Logistic
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import AnyBudget, Budget
from dpwerm.privacy.ledger.entry import Entry
from dpwerm.privacy.origin import KnownByDesign
from dpwerm.privacy.randomness import Receipt
from dpwerm.privacy.relation import Relation
from dpwerm.releases.certificate import certify
from dpwerm.releases.release import Release
from dpwerm.releases.rule import Rule
from dpwerm.releases.tuning import Tuning, refuse_shared_weights
from dpwerm.releases.verify import Finding, verify_release
from dpwerm.weighting.propensity import model_encoding, origin_for, split


def tuning_findings(rule: Rule) -> list[Finding]:
    """Return the checks of a private tuning; none without one."""
    tuning = rule.tuning
    if tuning is None:
        return []
    certificate = rule.release.certificate
    steps, chosen = tuning.steps, certificate.chosen
    compared: dict[str, tuple[object, object]] = {
        "relation": (str(certificate.relation), str(Relation.REPLACE_ONE)),
        "rows of all slots": (sum(tuning.slots), tuning.rows),
        "rows of the released fit": (certificate.n, tuning.released_rows),
        "budget of the released fit": (str(certificate.budget), str(steps.rule)),
        "gamma is a candidate": (certificate.gamma in tuning.candidates, True),
        "gamma was simulated": (chosen is not None and "gamma" in chosen.settings, False),
        "candidates": (_fitted(rule, tuning), "all can be fitted"),
        "cost of all steps": (_cost(tuning), f"within {tuning.budget}"),
    }
    return [Finding(f"tuning, {what}", *pair) for what, pair in compared.items()]


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


# ------------------------------------------------------------------------------------------
# What a rule's certificates must say because of what its study declares.
#
# W = V/π_min, the origin of the weights with all its numbers, and for a private propensity model
# that it is the model of the weights: the same features, n and relation, the arm as label,
# weights of 1.


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


# ------------------------------------------------------------------------------------------
# What a rule file or a value file must say because of the charge that paid for it.
#
# A file alone shows only that its numbers belong together. The ledger knows what was charged
# before the noise was drawn, and which release came of it: a consistent forgery differs from one
# of the two.


ABSENT, EDITED = "(no such entry)", "(edited)"
PAID_FOR = ("ledger, what was charged", "ledger, cost")
"""The checks that must hold before a release is attached to a charge."""
NOT_ATTACHED = "(none; dpwerm ledger attach records it)"


def what_of(rule: Rule) -> str:
    """Return what a ledger calls a rule that was charged."""
    return "rule" if rule.tuning is None else "tuned rule"


def ledger_findings(
    digest: str,
    budget: AnyBudget,
    receipt: Receipt | None,
    entries: Iterable[Entry],
    *,
    study: str,
    what: str,
) -> list[Finding]:
    """Return the checks of a file against the entries of the ledger; each must hold.

    Parameters
    ----------
    digest, budget, receipt : of the file, its whole budget
    entries : of the ledger from the first one on, whose chain was verified
    study : id of the file's study, empty if it names none
    what : "rule", "tuned rule" (see ``what_of``) or "value"
    """
    if receipt is None:
        return [Finding("ledger, charge", "none", "the entry that paid for the release")]
    known = {entry.number: entry for entry in entries}
    started = known[1].body.get("ledger") if 1 in known else ABSENT
    charge = known.get(receipt.entry)
    findings = [
        Finding("ledger, id", receipt.ledger, started),
        Finding("ledger, hash of the charge", receipt.hash, _hash(charge)),
    ]
    if charge is None:
        return findings
    paid = charge.body
    compared: dict[str, tuple[object, object]] = {
        "kind of the entry": ("charged", paid.get("kind")),
        "what was charged": (what, paid.get("what")),
        "cost": (budget.plain(), paid.get("cost")),
        "digest of the release": (digest, _attached(receipt.entry, known.values())),
    }
    if study:
        compared["study"] = (study, paid.get("study"))
    return findings + [Finding(f"ledger, {name}", *pair) for name, pair in compared.items()]


def _hash(entry: Entry | None) -> str:
    if entry is None:
        return ABSENT
    return entry.hash if entry.is_sealed else EDITED


def _attached(number: int, entries: Iterable[Entry]) -> object:
    """Return the digest that was attached to a charge."""
    for entry in entries:
        if entry.body.get("kind") == "released" and entry.body.get("charge") == number:
            return entry.body.get("digest")
    return NOT_ATTACHED
