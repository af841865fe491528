import pytest

from dpwerm.errors import ParameterError
from dpwerm.estimators.parameters import loss_of
from dpwerm.objective.losses import HuberisedHinge, Logistic
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Chosen, Specification


def test_an_infinite_epsilon_is_always_the_baseline() -> None:
    spec = Specification(Budget.of("inf", "1e-6"), 1.0, 1.0, mechanism="gaussian")
    assert (spec.mechanism, spec.budget) == ("none", Budget.of("inf"))


def test_no_noise_at_a_finite_epsilon_is_refused() -> None:
    with pytest.raises(ParameterError, match="adds no noise"):
        Specification(Budget.of(1), 1.0, 1.0, mechanism="none")


@pytest.mark.parametrize("bad", [0, -1, float("inf"), float("nan")])
def test_gamma_and_weight_bound_must_be_positive(bad: float) -> None:
    with pytest.raises(ParameterError, match="gamma"):
        Specification(Budget.of(1), bad, 1.0)
    with pytest.raises(ParameterError, match="weight_bound"):
        Specification(Budget.of(1), 1.0, bad)


def test_other_settings_are_checked_as_the_first_were() -> None:
    spec = Specification(Budget.of(1), 1.0, 1.0)
    chosen = Chosen(settings=["gamma"], accuracy=0.9, reason="chosen on simulated problems")
    other = spec.changed(gamma=7.0, mechanism="product-laplace", chosen=chosen)
    assert (other.gamma, other.mechanism, other.chosen) == (7.0, "product-laplace", chosen)
    assert (other.budget, other.weight_bound) == (spec.budget, spec.weight_bound)
    with pytest.raises(ParameterError, match="gamma"):
        spec.changed(gamma=0.0)
    with pytest.raises(ParameterError, match="adds no noise"):
        spec.changed(mechanism="none")


def test_losses_by_name_and_by_instance() -> None:
    assert loss_of("huberised-hinge", 0.25) == HuberisedHinge(0.25)
    assert loss_of("logistic", 0.25) == Logistic()
    assert loss_of(HuberisedHinge(0.1)) == HuberisedHinge(0.1)
    with pytest.raises(ParameterError, match="loss"):
        loss_of("hinge")
    with pytest.raises(ParameterError, match="h must be"):
        loss_of("logistic", -3)
