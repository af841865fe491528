"""What a rule's certificate must say because its γ was tuned privately.

The release is one of the fits that the tuning describes: its rows, its budget, a candidate's γ; and
every candidate could have been fitted. Slots and steps are derived where the record is written.
"""

from dpwerm.errors import DpwermError
from dpwerm.learn.certificate import certify
from dpwerm.learn.verify import Finding
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.relation import Relation
from dpwerm.rules.rule import Rule
from dpwerm.rules.tuning import Tuning, refuse_shared_weights


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
