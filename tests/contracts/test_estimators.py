"""scikit-learn's checks for the classifier, and one contract for everything that fits."""

import html
import inspect
import math
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import estimator_html_repr
from sklearn.utils.estimator_checks import check_estimator

from dpwerm import PrivateTreatmentRule, PrivateWeightedClassifier, Study, treatment_value
from dpwerm.errors import BudgetError, ParameterError
from dpwerm.releases.rule_file import notice, read_rule
from dpwerm.simulate.demo import demo_trial, study_text

EXPECTED_FAILURES = {
    "check_all_zero_sample_weights_error": (
        "all weights zero is a data set like any other: refusing it would tell something about it"
    ),
}
NOT_RUN = {"check_array_api_input": "needs an array library that this project does not support"}


@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.EstimatorCheckFailedWarning")
@pytest.mark.parametrize(
    "budget",
    [
        {"epsilon": math.inf},
        {"epsilon": math.inf, "loss": "logistic"},
        {"epsilon": 1e6, "random_state": 0},
    ],
    ids=["inf", "logistic", "seeded"],
)
def test_scikit_learn_estimator_checks(budget: dict[str, Any]) -> None:
    model = PrivateWeightedClassifier(
        **budget, feature_bounds=(-10, 10), weight_bound=100, gamma=0.1
    )
    results = check_estimator(model, expected_failed_checks=EXPECTED_FAILURES, on_fail=None)
    by_status: dict[str, set[str]] = {}
    for result in results:
        by_status.setdefault(result["status"], set()).add(result["check_name"])
    assert len(by_status["passed"]) > 50
    assert by_status.get("failed", set()) == set()
    assert by_status.get("xfail", set()) == set(EXPECTED_FAILURES)
    assert by_status.get("skipped", set()) <= set(NOT_RUN)


RNG = np.random.default_rng(5)
N = 300
X = RNG.uniform(-1, 1, size=(N, 2))
ARM = RNG.choice(["a", "b"], N)
BETTER = np.where(X[:, 0] > 0, "b", "a")
BENEFIT = np.where(ARM == BETTER, 1.0, 0.0) + RNG.normal(0, 0.1, N)
CANARY = 0.73125
X[17, 1] = CANARY


def classifier(**other: Any) -> PrivateWeightedClassifier:
    parameters: dict[str, Any] = {
        "feature_bounds": (-1, 1),
        "gamma": 5.0,
        "classes": ("a", "b"),
        "ledger": "none",
    } | other
    return PrivateWeightedClassifier(parameters.pop("epsilon", 1.0), **parameters)


def rule(**other: Any) -> PrivateTreatmentRule:
    parameters: dict[str, Any] = {
        "feature_bounds": (-1, 1),
        "benefit_bounds": (-0.5, 1.5),
        "propensity": {"a": 0.5, "b": 0.5},
        "gamma": 5.0,
        "ledger": "none",
    } | other
    return PrivateTreatmentRule(parameters.pop("epsilon", 1.0), **parameters)


def fit(estimator: Any) -> Any:
    if isinstance(estimator, PrivateWeightedClassifier):
        return estimator.fit(X, BETTER)
    return estimator.fit(X, ARM, BENEFIT)


def private_rule(**other: Any) -> PrivateTreatmentRule:
    """Return a rule with a propensity model that is released too."""
    model = {"propensity": "private", "arms": ("a", "b"), "propensity_floor": 0.2}
    return rule(**({**model, "planned_n": 250} | other))


def ridge_rule(**other: Any) -> PrivateTreatmentRule:
    """Return a rule with a propensity model that stays secret."""
    return rule(**({"propensity": "ridge", "arms": ("a", "b"), "propensity_floor": 0.2} | other))


def contrast_rule(**other: Any) -> PrivateTreatmentRule:
    """Return a rule by contrast regression."""
    return rule(**({"estimator": "contrast"} | other))


def arm_wise_rule(**other: Any) -> PrivateTreatmentRule:
    """Return a rule by arm-wise regression, without probabilities of the arms."""
    model = {"propensity": "outcome", "arms": ("a", "b"), "main_effect": "squares"}
    return rule(**(model | other))


MAKERS = [classifier, rule, private_rule, contrast_rule, arm_wise_rule]
EVERY = pytest.mark.parametrize("make", MAKERS)
WITH_A_SECRET = pytest.mark.parametrize("make", [*MAKERS, ridge_rule])


@EVERY
def test_parameters_are_stored_as_given_and_cloned(make: Any) -> None:
    estimator = make()
    copy = clone(estimator)
    assert copy.get_params() == estimator.get_params()
    assert copy.set_params(epsilon=2.0).epsilon == 2.0


@EVERY
def test_the_baseline_finds_the_rule(make: Any) -> None:
    fitted = fit(make(epsilon=math.inf))
    assert np.mean(fitted.predict(X) == BETTER) > 0.9
    assert not fitted.release_.private


@WITH_A_SECRET
def test_a_fit_leaves_nothing_sensitive_behind(make: Any) -> None:
    fitted = fit(make())
    allowed = {*fitted.get_params(), "release_", "rule_", "arms_", "classes_", "n_features_in_"}
    assert set(vars(fitted)) <= allowed
    blob = pickle.dumps(fitted)
    row = np.float64(CANARY).tobytes()
    assert row not in blob
    assert row[::-1] not in blob
    assert str(CANARY) not in repr(fitted) + str(vars(fitted))
    arrays = [value for value in vars(fitted).values() if isinstance(value, np.ndarray)]
    assert all(array.size < 10 for array in arrays)


@EVERY
def test_a_pickled_estimator_predicts_the_same(make: Any) -> None:
    fitted = fit(make())
    copy = pickle.loads(pickle.dumps(fitted))  # noqa: S301 - our own bytes
    assert np.array_equal(copy.predict(X), fitted.predict(X))


@EVERY
def test_private_fits_differ_and_seeded_fits_do_not(make: Any) -> None:
    assert fit(make()).release_.integers != fit(make()).release_.integers
    first, second = fit(make(random_state=3)), fit(make(random_state=3))
    assert first.release_.integers == second.release_.integers
    assert not first.release_.private


@EVERY
@pytest.mark.parametrize("epsilon", [0, -1, math.nan, "x", None, True])
def test_an_impossible_epsilon_is_named(make: Any, epsilon: object) -> None:
    with pytest.raises(ParameterError, match="epsilon"):
        fit(make(epsilon=epsilon))


@EVERY
@pytest.mark.parametrize("gamma", [None, 0, -1, math.inf, math.nan])
def test_an_impossible_gamma_is_named(make: Any, gamma: object) -> None:
    with pytest.raises(ParameterError, match="gamma"):
        fit(make(gamma=gamma))


@EVERY
def test_the_fit_does_not_change_its_input(make: Any) -> None:
    before = X.copy()
    fit(make())
    assert np.array_equal(X, before)


@EVERY
def test_values_beyond_the_bounds_are_clipped(make: Any) -> None:
    fitted = fit(make(random_state=1))
    assert fitted.decision_function([[5.0, 0.0]]) == fitted.decision_function([[1.0, 0.0]])


@EVERY
def test_add_remove_writes_no_n(make: Any) -> None:
    fitted = fit(make(relation="add_remove"))
    assert fitted.release_.certificate.n is None
    # The coefficients are noise and may hold any digits; nothing else may hold n.
    public = fitted.get_params(), fitted.release_.certificate, fitted.release_.encoding
    assert str(N) not in str(public)


def test_a_private_classifier_needs_declared_classes() -> None:
    with pytest.raises(ParameterError, match="classes is missing"):
        classifier(classes=None).fit(X, BETTER)


def test_weights_count_like_rows() -> None:
    weights = RNG.integers(0, 3, N)
    by_weight = classifier(epsilon=math.inf, weight_bound=3).fit(X, BETTER, weights)
    rows = np.repeat(np.arange(N), weights)
    by_row = classifier(epsilon=math.inf, weight_bound=3).fit(X[rows], BETTER[rows])
    assert np.allclose(by_weight.release_.theta, by_row.release_.theta, atol=1e-5)


def test_weights_above_the_bound_are_clipped() -> None:
    heavy = np.where(np.arange(N) == 0, 1e9, 1.0)
    light = np.where(np.arange(N) == 0, 2.0, 1.0)
    first = classifier(epsilon=math.inf, weight_bound=2).fit(X, BETTER, heavy)
    second = classifier(epsilon=math.inf, weight_bound=2).fit(X, BETTER, light)
    assert first.release_.integers == second.release_.integers


def test_weights_need_a_bound() -> None:
    with pytest.raises(ParameterError, match="weight_bound is missing"):
        classifier().fit(X, BETTER, np.ones(N))


def test_the_classifier_works_inside_scikit_learn() -> None:
    model = make_pipeline(FunctionTransformer(np.tanh), classifier(epsilon=math.inf, gamma=0.1))
    assert cross_val_score(model, X, BETTER, cv=3).min() > 0.9


@pytest.mark.parametrize("labels", [("a", "b"), (0, 1), (False, True), (2.5, 1.5)])
@pytest.mark.parametrize("by_mapping", [True, False])
def test_recommended_arms_are_the_declared_labels(labels: Any, by_mapping: bool) -> None:
    received = np.where(ARM == "a", labels[0], labels[1])
    declared = (
        {"propensity": {labels[0]: 0.5, labels[1]: 0.5}}
        if by_mapping
        else {"propensity": 0.5, "arms": labels}
    )
    fitted = rule(epsilon=math.inf, **declared).fit(X, received, BENEFIT)
    better = np.where(BETTER == "a", labels[0], labels[1])
    assert np.mean(fitted.predict(X) == better) > 0.9


def test_a_study_s_budget_is_kept_from_python_too() -> None:
    study = Study.parse(study_text())
    with pytest.raises(BudgetError, match="more than is left of epsilon = 2"):
        PrivateTreatmentRule.from_study(study, 50, ledger="none").fit(demo_trial(20))
    seeded = PrivateTreatmentRule.from_study(study, 50, gamma=2000.0, random_state=1)
    assert not seeded.fit(demo_trial(20)).release_.private


def test_a_rule_is_saved_from_python(tmp_path: Path) -> None:
    fitted = fit(rule())
    fitted.save(tmp_path / "rule.json")
    assert read_rule(tmp_path / "rule.json").release.integers == fitted.release_.integers


@pytest.mark.parametrize("estimator", [PrivateWeightedClassifier, PrivateTreatmentRule])
def test_every_parameter_is_documented(estimator: type) -> None:
    text = (estimator.__doc__ or "").partition("Examples")[0]
    documented = set(re.findall(r"\w+", text.partition("Parameters")[2]))
    assert set(inspect.signature(estimator).parameters) <= documented


STUDY = Study.parse(study_text())


def study_rule() -> PrivateTreatmentRule:
    return PrivateTreatmentRule.from_study(STUDY, 1, gamma=2000.0, random_state=2).fit(demo_trial())


@EVERY
@pytest.mark.parametrize("encoding", ["centred", "paper"])
def test_the_coefficients_give_the_score_in_the_units_of_x(make: Any, encoding: str) -> None:
    bounds = {"age": (18, 90), "dose": (-3, 1.5)}
    other = {"saturation": 3.0, "threshold": 0.1} if encoding == "centred" else {}
    estimator = make(feature_bounds=bounds, encoding=encoding, random_state=1, **other)
    assert not hasattr(estimator, "coef_")
    scale, shift = np.array([36.0, 2.25]), np.array([54.0, -0.75])
    frame = pd.DataFrame(X * scale + shift, columns=["age", "dose"])
    data = (BETTER,) if make is classifier else (ARM, BENEFIT)
    fitted = estimator.fit(frame, *data)
    assert (fitted.coef_.shape, fitted.intercept_.shape) == ((1, 2), (1,))
    assert fitted.coef_names_.tolist() == ["age", "dose"]
    line = (frame.to_numpy() @ fitted.coef_.T + fitted.intercept_)[:, 0]
    assert np.allclose(fitted.decision_function(frame), line, rtol=1e-9, atol=1e-9)
    far = frame * 10  # beyond the bounds the score stays, the line does not
    assert np.abs(fitted.decision_function(far)).max() < np.abs(line).max() * 2
    assert not np.allclose(
        fitted.decision_function(far), (far.to_numpy() @ fitted.coef_.T + fitted.intercept_)[:, 0]
    )


def test_each_level_of_a_study_has_a_coefficient() -> None:
    fitted = study_rule()
    names = fitted.coef_names_.tolist()
    assert "sex=F" in names
    assert "age" in names
    people = demo_trial().to_pandas()
    columns = []
    for name in names:
        feature, _, level = name.partition("=")
        columns.append(people[feature] == level if level else people[feature].astype(float))
    full = people[[block.column for block in fitted.release_.encoding.blocks]].notna().all(axis=1)
    line = np.column_stack(columns).astype(float) @ fitted.coef_[0] + fitted.intercept_
    assert full.sum() > 100
    assert np.allclose(fitted.decision_function(people)[full], line[full], atol=1e-9)


def test_probabilities_are_of_the_logistic_loss_alone() -> None:
    hinge = classifier()
    assert not hasattr(hinge, "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba") as refused:
        fit(hinge).predict_proba(X)
    assert "predict_proba needs loss='logistic'" in str(refused.value.__cause__)
    fitted = classifier(loss="logistic", random_state=1).fit(X, BETTER)
    chances = fitted.predict_proba(X)
    assert np.allclose(np.log(chances[:, 1] / chances[:, 0]), fitted.decision_function(X))
    assert np.array_equal(fitted.classes_[chances.argmax(axis=1)], fitted.predict(X))
    assert hasattr(fitted.set_params(loss="huberised-hinge"), "predict_proba")  # of its release
    assert not hasattr(rule(loss="logistic"), "predict_proba")


def test_a_classifier_s_score_is_its_weighted_accuracy() -> None:
    fitted = fit(classifier(epsilon=math.inf))
    right, weights = fitted.predict(X) == BETTER, RNG.uniform(0, 3, N)
    assert fitted.score(X, BETTER, weights) == pytest.approx(np.average(right, weights=weights))


@pytest.mark.parametrize("direction", ["larger", "smaller"])
def test_a_rule_s_score_is_its_value_function(direction: str) -> None:
    changed = {"propensity": {"a": 0.3, "b": 0.7}, "direction": direction}
    fitted = fit(rule(epsilon=math.inf, benefit_clip=0.1, **changed))
    frame = pd.DataFrame(X, columns=["x0", "x1"]).assign(treatment=ARM, benefit=BENEFIT)
    wanted = treatment_value(fitted, frame, math.inf).value.estimate
    assert fitted.score(X, ARM, BENEFIT) == pytest.approx(wanted, abs=1e-6)
    assert math.isnan(fitted.score(X, np.where(fitted.predict(X) == "a", "b", "a"), BENEFIT))
    with pytest.raises(ParameterError, match="not released"):
        fit(ridge_rule()).score(X, ARM, BENEFIT)


def test_a_rule_of_a_study_is_scored_by_its_table() -> None:
    wanted = treatment_value(study_rule(), demo_trial(), math.inf, ledger="none").value.estimate
    assert study_rule().score(demo_trial()) == pytest.approx(wanted, rel=1e-5)
    with pytest.raises(ParameterError, match="the table alone"):
        study_rule().score(demo_trial(), ["pill"])


@EVERY
@pytest.mark.parametrize(
    ("other", "before", "after"),
    [
        ({}, "will be released under differential privacy: epsilon 1, delta 0.", "epsilon 1"),
        (
            {"epsilon": math.inf},
            "will be NOT PRIVATE: without noise.",
            "NOT PRIVATE: fitted without noise. Do not publish if the data is sensitive.",
        ),
        (
            {"random_state": 1},
            "will be NOT PRIVATE: the noise will come from a seed.",
            "NOT PRIVATE: the noise came from a seed. For simulation only.",
        ),
    ],
)
def test_the_html_says_whether_it_is_private(
    make: Any, other: dict[str, Any], before: str, after: str
) -> None:
    estimator = make(**other)
    for shown in (estimator, make_pipeline(FunctionTransformer(), estimator)):
        assert before in estimator_html_repr(shown)
    said = notice(getattr(fit(estimator), "rule_", estimator.release_))
    assert after in said
    for shown in (estimator, make_pipeline(FunctionTransformer(), estimator)):
        page = estimator_html_repr(shown)
        assert html.escape(said) in page
        assert "Not fitted." not in page


def test_the_html_of_impossible_parameters_is_still_shown() -> None:
    assert "Not fitted." in estimator_html_repr(classifier(epsilon=-1))
