"""The library's own plans for a setting, so that a wrong constant shows in the densities."""

from decimal import Decimal

from tests.unit.mechanisms.densities import Law, Setting, block_norm, exponential, l2_norm

from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.contract import Inside, Plan
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.origin import KnownByDesign
from dpwerm.privacy.relation import Relation
from dpwerm.privacy.sensitivity import Facts

PURE = ("objective-l2", "objective-block")
EPSILON = Decimal(1)


def facts_of(setting: Setting, n: int = 1) -> Facts:
    """Return the public facts of a setting; n is published under replace-one only."""
    return Facts(
        weight_bound=setting.weight_bound,
        lipschitz=setting.loss.lipschitz,
        radius=setting.radius,
        gamma=setting.gamma,
        relation=setting.relation,
        n=n if setting.relation is Relation.REPLACE_ONE else None,
        origin=KnownByDesign(),
        smoothness=setting.loss.smoothness,
        blocks=setting.blocks,
        regularizer="ridge",
    )


def plan_of(
    setting: Setting, name: str, epsilon: Decimal = EPSILON, delta: Decimal = Decimal(0)
) -> Plan:
    return MECHANISMS[name].plan(facts_of(setting), Budget(epsilon, delta))


def inside_of(plan: Plan) -> Inside:
    assert plan.inside is not None
    return plan.inside


def rate_of(plan: Plan) -> float:
    rate = inside_of(plan).rate
    assert rate is not None
    return rate


def sigma_of(plan: Plan) -> float:
    sigma = inside_of(plan).sigma
    assert sigma is not None
    return sigma


def law_of(setting: Setting, plan: Plan, rate: float | None = None) -> Law:
    """Return log ν in the plan's norm, at the plan's rate unless another is given."""
    norm = {"l2": l2_norm, "block": block_norm(setting.blocks)}[inside_of(plan).norm]
    return exponential(rate_of(plan) if rate is None else rate, norm)
