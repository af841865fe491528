from dpwerm.audit.attack import audit
from dpwerm.audit.mechanisms import FLOOR, propensity_target
from dpwerm.choose.propensity import propensity_hyperparameters
from dpwerm.features.blocks import NumberBlock
from dpwerm.features.composed import Product
from dpwerm.features.domain import Interval
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget, Relation

FOUR = Budget.of(4)
X1 = NumberBlock(name="x1", column="x1", lower=-1.0, upper=1.0, default=0.0)


def test_the_propensity_model_is_audited_with_the_settings_a_fit_would_choose() -> None:
    target = propensity_target(1, 30, FOUR)
    assert (target.name, target.dimension, target.facts.n) == ("propensity-model", 2, 30)
    assert (target.facts.weight_bound, target.loss.name) == (1.0, "logistic")
    choice = propensity_hyperparameters(
        Encoding(blocks=(X1,)), 30, FOUR, Relation.REPLACE_ONE, FLOOR
    )
    found = choice.hyperparameters
    assert (target.mechanism, target.facts.gamma) == (found.mechanism, found.gamma)
    assert found.intercept is not None
    assert target.facts.domain == Product((Interval(found.intercept), Interval(1.0)))


def test_its_claim_holds_and_is_not_far_away() -> None:
    found = audit(propensity_target(1, 30, FOUR), runs=8000, confidence=1 - 1e-8)
    assert found.holds
    assert found.lower > 1.0
