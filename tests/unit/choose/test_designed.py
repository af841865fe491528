"""From hyperparameters to an estimator and back: its design, its loss, its penalty, its origin."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from tests.unit.choose.questions import encoding_of

from dpwerm.choose.hyperparameters import PLAIN_WIDTH, Hyperparameters
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import Logistic
from dpwerm.objective.regularizers import ArmPenalty, Ridge
from dpwerm.objective.residual_losses import ExpHuber, Huber
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.weight_origin import ExternalModel, KnownByDesign, Unused, WorstCase
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Chosen, Specification
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.arm_wise import ArmWiseRegression
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, WEIGHTINGS
from dpwerm.weighting.contrast import ContrastRegression
from dpwerm.weighting.trial import Trial

ENCODING = encoding_of((0, 3, 0, 1))
NUMBERS = 2
"""How many of the features are numbers."""

PLAIN = Specification(Budget.of(1), 1.0, 3.0)
CONTRAST = Hyperparameters(estimator="contrast", width=0.3, mean=2.0)
ARM_WISE = Hyperparameters(estimator="arm-wise", width=0.3, main=0.25, degree=1.0)


def test_outcome_weights_keep_the_loss_and_the_penalty_that_were_named() -> None:
    named = PLAIN.changed(loss=Logistic())
    for one in (Hyperparameters(), Hyperparameters(estimator="outcome-weighted", clip=0.3)):
        assert one.designed(named, ENCODING) == named


def test_contrast_regression_has_the_constant_of_its_mean() -> None:
    found = CONTRAST.designed(PLAIN, ENCODING)
    assert found.weighting == ContrastRegression(2.0)
    assert found.loss == ExpHuber(0.3)
    assert found.regularizer == Ridge()
    assert replace(CONTRAST, mean=0.0).designed(PLAIN, ENCODING).weighting.parameters == {"mean": 0}
    open_mean = replace(CONTRAST, mean=None).designed(PLAIN, ENCODING)
    assert open_mean.weighting == ContrastRegression()


@pytest.mark.parametrize("degree", [1.0, 2.0, 3.0])
@pytest.mark.parametrize(
    ("main", "penalties"), [(0.25, (1.0, 4.0)), (1.0, (1.0, 1.0)), (8.0, (8.0, 1.0))]
)
def test_arm_wise_regression_has_a_penalty_of_its_own(
    main: float, penalties: tuple[float, float], degree: float
) -> None:
    found = replace(ARM_WISE, main=main, degree=degree).designed(PLAIN, ENCODING)
    assert found.weighting == ArmWiseRegression(degree)
    assert found.loss == ExpHuber(0.3)
    assert found.regularizer == ArmPenalty(*penalties, 2.0, NUMBERS * (degree - 1))
    open_main = replace(ARM_WISE, main=None).designed(PLAIN, ENCODING).regularizer
    assert open_main == ArmPenalty(1.0, 1.0, 2.0, 0.0)
    if degree > 1:
        bent = replace(ARM_WISE, main=main, degree=degree, bend=4.0).designed(PLAIN, ENCODING)
        assert bent.weighting == ArmWiseRegression(degree, 4.0)
        assert bent.regularizer == ArmPenalty(*penalties, 2.0, NUMBERS * (degree - 1), 4.0)


@pytest.mark.parametrize("origin", [KnownByDesign(), ExternalModel()], ids=lambda one: one.name)
def test_only_a_design_that_uses_probabilities_tells_where_they_come_from(origin: Any) -> None:
    spec = PLAIN.changed(origin=origin)
    assert CONTRAST.designed(spec, ENCODING).origin == origin
    assert Hyperparameters().designed(spec, ENCODING).origin == origin
    assert ARM_WISE.designed(spec, ENCODING).origin == Unused()


def test_a_loss_of_residuals_that_was_named_keeps_its_name_with_another_width() -> None:
    spec = PLAIN.changed(weighting=ContrastRegression(), loss=Huber(0.7))
    assert CONTRAST.designed(spec, ENCODING).loss == Huber(0.3)
    assert replace(CONTRAST, width=None).designed(spec, ENCODING).loss == Huber(0.7)


def test_without_a_width_a_regression_has_no_loss() -> None:
    with pytest.raises(ParameterError, match="is of a margin"):
        replace(CONTRAST, width=None).designed(PLAIN, ENCODING)


def test_an_unknown_estimator_is_named() -> None:
    with pytest.raises(ParameterError, match="estimator must be one of"):
        Hyperparameters(estimator="magic").designed(PLAIN, ENCODING)


def test_weights_that_others_move_are_for_inverse_weights_alone() -> None:
    spec = PLAIN.changed(origin=WorstCase())
    assert CONTRAST.designed(spec, ENCODING).origin == WorstCase()
    assert ARM_WISE.designed(spec, ENCODING).origin == Unused()


def test_everything_else_stays() -> None:
    for one in (CONTRAST, ARM_WISE):
        found = one.designed(PLAIN, ENCODING)
        changed = {"weighting", "loss", "regularizer", "origin"}
        for field in {field.name for field in fields(Specification)} - changed:
            assert getattr(found, field) == getattr(PLAIN, field)


# -- plain values ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_a_regression_has_a_plain_width_and_outcome_weights_none(name: str) -> None:
    plain = Hyperparameters(estimator=name).or_plain(Budget.of(1))
    regression = name != OUTCOME_WEIGHTED.name
    assert plain.width == (PLAIN_WIDTH if regression else None)
    assert plain.estimator == name
    assert (plain.clip, plain.main, plain.mean, plain.degree) == (None,) * 4
    named = replace(plain, width=0.7, main=3.0, mean=0.0, degree=2.0, gamma=5.0)
    assert named.or_plain(Budget.of(1)) == named
    plain.designed(PLAIN, ENCODING)  # and they make an estimator


# -- what a settled fit uses, read back ------------------------------------------------------

DECLARED = Declaration.of_keys(
    {"column": "t", "arms": {"a": "0.3", "b": "0.7"}}, {"column": "b", "bounds": [10, 30]}
)
CHOSEN = Chosen(settings=["gamma"], accuracy=0.9, reason="because")
SHARED: dict[str, Any] = {
    "mechanism": "objective-l2",
    "intercept": 0.5,
    "saturation": 1.5,
    "threshold": 0.25,
}
SETTLED = {
    "outcome-weighted": Hyperparameters(clip=0.4, estimator="outcome-weighted", **SHARED),
    "contrast": Hyperparameters(estimator="contrast", width=0.3, mean=2.0, **SHARED),
    "contrast without a mean": Hyperparameters(estimator="contrast", width=7.0, mean=0.0, **SHARED),
    "arm-wise": Hyperparameters(estimator="arm-wise", width=0.02, main=0.25, degree=1.0, **SHARED),
    "arm-wise, curved": Hyperparameters(
        estimator="arm-wise", width=0.02, main=7.0, degree=3.0, **SHARED
    ),
    "arm-wise, bent": Hyperparameters(
        estimator="arm-wise", width=0.02, main=0.25, degree=2.0, bend=4.0, **SHARED
    ),
}


@pytest.mark.parametrize("found", SETTLED.values(), ids=SETTLED)
@pytest.mark.parametrize("chosen", [None, CHOSEN], ids=["given", "chosen"])
def test_what_a_settled_fit_uses_is_what_was_settled(
    found: Hyperparameters, chosen: Chosen | None
) -> None:
    whole = replace(found, gamma=100.0, chosen=chosen)
    settled = Problem(PLAIN, ENCODING, whole, DECLARED)._with(whole)
    used = Hyperparameters.used(
        settled.spec, settled.encoding, settled.declared.benefit, whole.threshold
    )
    assert used == found
    # And what is used makes the same fit again.
    again = used.designed(settled.spec, settled.encoding)
    assert again == settled.spec
    assert settled.spec.weight_bound == settled.spec.weighting.weight_bound(settled.declared)
    bound = settled.spec.weight_bound if chosen else 1.0
    assert settled.spec.gamma == pytest.approx(100 * bound, rel=1e-3)
    settled.calibration(50)


@pytest.mark.parametrize("name", ["contrast", "arm-wise"])
def test_a_regression_clips_nothing_and_has_weights_of_at_most_one(name: str) -> None:
    """A declared V is for outcome weights: benefits at the bounds stay there."""
    whole = replace(SETTLED[name], gamma=100.0)
    settled = Problem(PLAIN, ENCODING, whole, DECLARED.clipped_at(0.3))._with(whole)
    assert settled.spec.weight_bound == 1.0
    second, outcome = np.array([0.7, 0.7, 0.7]), np.array([10.0, 20.0, 33.0])
    rows = np.zeros((3, ENCODING.n_columns))
    trial = Trial(np.array([-1.0, 1.0, 1.0]), outcome, second, lambda _: rows)
    found = settled.spec.weighting.rows(trial, settled.declared, settled.encoding, second)
    np.testing.assert_allclose(found.targets, [-1, 0, 1])
    assert found.weights.max() <= 1


@pytest.mark.parametrize("main", [1e-12, 1e-3, 0.1, 1 / 3, 0.7, 49.0, 1e12])
def test_a_ratio_of_penalties_comes_back_and_makes_the_same_penalty(main: float) -> None:
    spec = replace(ARM_WISE, main=main).designed(PLAIN, ENCODING)
    used = Hyperparameters.used(spec, ENCODING, DECLARED.benefit, 0.0)
    assert used.main == pytest.approx(main, rel=1e-15)
    assert used.designed(PLAIN, ENCODING).regularizer == spec.regularizer
