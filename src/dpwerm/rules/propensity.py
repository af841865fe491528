r"""What it costs that P(second arm | x) comes from where it does: public facts alone.

A private model takes a share of the budget: ε = ε_p + ε_rule, exactly, by composition. Its released
coefficients are public, so C = 0 for the rule (docs/proofs/weight-origin.md).
"""

from decimal import Decimal

from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import AnyBudget, Budget, parted
from dpwerm.privacy.facts import WeightOrigin
from dpwerm.privacy.origin import origin_of
from dpwerm.privacy.ridge_origin import RidgeModel
from dpwerm.study.encoding import Encoding
from dpwerm.study.propensity import PrivatePropensity, RidgePropensity
from dpwerm.study.treatment import Treatment

SHARE = Decimal("0.5")
"""The automatic share of a private propensity model; measured in docs/observational.md."""

RIDGE_TOLERANCE = 1e-9


def model_encoding(encoding: Encoding) -> Encoding:
    """Return how a propensity model sees rows: centred, with an intercept of 1, not saturated."""
    return encoding.changed(kind="centred", intercept=1.0, saturation=1.0)


def split(budget: AnyBudget, treatment: Treatment) -> tuple[Budget | None, AnyBudget]:
    """Return the parts of a budget for the propensity model (None if it needs none) and the rule.

    The model's part has ε alone; a δ stays with the rule.
    """
    model = treatment.propensity
    if not isinstance(model, PrivatePropensity):
        return None, budget
    if not isinstance(budget, Budget):
        raise ParameterError(f"a private propensity model needs a budget in epsilon, not {budget}")
    share = SHARE if isinstance(model.share, str) else model.share
    return parted(budget, share, "the propensity model")


def origin_for(treatment: Treatment, encoding: Encoding, n: int) -> WeightOrigin:
    """Return the origin of the weights, with the public numbers of a ridge model."""
    model = treatment.propensity
    if not isinstance(model, RidgePropensity):
        return origin_of(treatment.origin)
    seen = model_encoding(encoding)
    return RidgeModel(
        pi_min=treatment.pi_min,
        radius=seen.radius,
        dimension=float(len(seen.coefficient_names)),
        gamma=model.penalty(n),
        tolerance=RIDGE_TOLERANCE,
    )
