import pytest
from tests.unit.tune.trials import study

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Chosen, Specification
from dpwerm.tune.candidates import around, declared, not_simulated, usable


def spec(mechanism: str = "objective-block") -> Specification:
    return Specification(Budget.of("1"), 1.0, weight_bound=4.0, mechanism=mechanism)


def test_candidates_lie_around_a_gamma_on_both_sides() -> None:
    assert around(90.0) == (10.0, 30.0, 90.0, 270.0, 810.0)
    assert around(1.0) == (0.111, 0.333, 1.0, 3.0, 9.0)
    assert around(1e12) == (1.11e11, 3.33e11, 1e12)


def test_declared_ones_are_put_in_order() -> None:
    assert declared([3, 1.5, 200]) == (1.5, 3.0, 200.0)


@pytest.mark.parametrize(
    ("gammas", "words"),
    [
        ([1], "2 to 50 numbers, not 1"),
        (list(range(1, 60)), "2 to 50 numbers, not 59"),
        ([1, 1.0], "must differ"),
        ([0, 1], "gammas must be between"),
        (["1", 2], "gammas must be a number, not str"),
        ("12", "must be a list of numbers"),
        (5, "must be a list of numbers"),
        ([float("nan"), 1], "finite"),
    ],
)
def test_others_are_refused(gammas: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        declared(gammas)


def test_what_the_mechanism_refuses_is_left_out_or_named() -> None:
    def problem(mechanism: str) -> Problem:
        return Problem(spec(mechanism), study().encoding(), Hyperparameters())

    gammas, budget, small = (0.01, 20.0, 60.0), Budget.of("1"), Budget.of("0.2")
    inside, outside = problem("objective-block"), problem("spherical-laplace")
    assert usable(gammas, inside, [budget], strict=False) == (20.0, 60.0)
    with pytest.raises(ParameterError, match=r"gammas: 0\.01 cannot be tried: .*gamma"):
        usable(gammas, inside, [budget], strict=True)
    # At a smaller budget more is refused; a claim is needed at every one.
    with pytest.raises(ParameterError, match="fewer than two candidates"):
        usable(gammas, inside, [budget, small], strict=False)
    assert usable(gammas, outside, [budget], strict=True) == gammas


def test_a_tuned_gamma_is_not_called_simulated() -> None:
    chosen = Chosen(settings=["gamma", "mechanism"], accuracy=0.9, reason="chosen")
    found = not_simulated(spec().changed(chosen=chosen)).chosen
    assert found == Chosen(settings=["mechanism"], accuracy=0.9, reason="chosen")
    alone = Chosen(settings=["gamma"], accuracy=0.9, reason="chosen")
    assert not_simulated(spec().changed(chosen=alone)).chosen is None
    assert not_simulated(spec()).chosen is None
