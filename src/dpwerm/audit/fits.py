"""What a fit does with its automatic settings, as a target: the private propensity model."""

from dpwerm.audit.mechanisms import MechanismTarget
from dpwerm.choose.propensity import propensity_settings
from dpwerm.learn.certificate import facts_of
from dpwerm.learn.specification import Specification
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.relation import Relation
from dpwerm.problem.losses import Logistic
from dpwerm.study.blocks import NumberBlock
from dpwerm.study.encoding import Encoding

FLOOR = 0.1
"""π_min of the models that are audited."""


def propensity_target(features: int, people: int, budget: Budget) -> MechanismTarget:
    """Return the release of a private propensity model, with the settings a fit would choose.

    Parameters
    ----------
    features : int ≥ 1, numbers with bounds, beside the intercept
    people : int ≥ 1
    budget : Budget with δ = 0
    """
    names = [f"x{j + 1}" for j in range(features)]
    blocks = [NumberBlock(name=n, column=n, lower=-1.0, upper=1.0, default=0.0) for n in names]
    encoding = Encoding(blocks=tuple(blocks))
    relation = Relation.REPLACE_ONE
    choice = propensity_settings(encoding, people, budget, relation, FLOOR)
    spec = Specification(
        budget=budget,
        gamma=choice.gamma,
        weight_bound=1.0,
        mechanism=choice.mechanism,
        relation=relation,
        loss=Logistic(),
    )
    facts = facts_of(spec, encoding.changed(intercept=choice.intercept), people)
    return MechanismTarget(choice.mechanism, facts, spec.loss, budget, "propensity-model")
