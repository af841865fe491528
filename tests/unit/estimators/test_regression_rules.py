"""Rules by contrast and arm-wise regression: the minimiser, the claim, what they cost and need."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.optimize import minimize
from tests.cli.test_verify import edits, survives, write
from tests.unit.estimators.observational import STUDY, arrays, by_study, columns, fitted

from dpwerm import Budget, PrivateTreatmentRule, Study
from dpwerm.arrays import FloatArray
from dpwerm.choose.hyperparameters import PLAIN_WIDTH
from dpwerm.errors import ParameterError
from dpwerm.estimators.parameters import checked_problem, declaration_of, is_open, problem_of
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import get_mechanism
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.objective.regularizers import Ridge
from dpwerm.objective.residual_losses import Huber
from dpwerm.privacy.weight_origin import Unused
from dpwerm.releases.certificate import facts_of
from dpwerm.releases.files import digest_of
from dpwerm.releases.release import Rule
from dpwerm.releases.rule_file import content_of, read_rule, verify_rule, write_rule
from dpwerm.weighting.contract import get_weighting

N = 120
DESIGN: dict[str, Any] = {
    "propensity": {"a": 0.3, "b": 0.7},
    "arms": None,
    "propensity_floor": None,
}
NOBODY_KNOWS: dict[str, Any] = {"propensity": "outcome", "propensity_floor": None}
REGRESSIONS = ("contrast", "arm-wise")
every = pytest.mark.parametrize("estimator", REGRESSIONS)


def trial(seed: int = 0) -> dict[str, Any]:
    """Return a trial of two arms 3 : 7 with a main effect that bends, and outcomes in [0, 4]."""
    rng = np.random.default_rng(seed)
    x, z = rng.uniform(-1, 1, N), rng.uniform(0, 10, N)
    arm = np.where(rng.random(N) < 0.7, "b", "a")
    mean = 1.4 + 0.5 * x + (z / 10) ** 2 + np.where(arm == "b", 1, -1) * (0.4 * x + 0.1)
    return {"x": x, "z": z, "arm": arm, "outcome": mean + 0.3 * rng.normal(size=N)}


def exp_huber(r: FloatArray, T: float) -> tuple[FloatArray, FloatArray]:
    """Return T|r| − T²(1 − e^(−|r|/T)) and its slope, from the theory alone."""
    size = np.abs(r)
    return T * size + T**2 * np.expm1(-size / T), -np.sign(r) * T * np.expm1(-size / T)


def huber(r: FloatArray, T: float) -> tuple[FloatArray, FloatArray]:
    size = np.abs(r)
    value = np.where(size <= T, size**2 / 2, T * size - T**2 / 2)
    return value, np.clip(r, -T, T)


def minimiser(
    rows: FloatArray, targets: FloatArray, weights: FloatArray, matrix: FloatArray, **loss: Any
) -> FloatArray:
    """Return argmin Σ w ℓ(ξᵀθ − t) + ½θᵀΓθ by a general optimiser."""
    of = loss.get("of", exp_huber)

    def both(theta: FloatArray) -> tuple[float, FloatArray]:
        value, slope = of(rows @ theta - targets, loss["T"])
        penalty = matrix @ theta
        return float(weights @ value + theta @ penalty / 2), rows.T @ (weights * slope) + penalty

    found = minimize(both, np.zeros(rows.shape[1]), jac=True, options={"gtol": 1e-10}).x
    return np.asarray(found)


def by_hand(data: dict[str, Any], intercept: float = 1.0) -> tuple[FloatArray, FloatArray]:
    """Return rows (s₀, x, z) and benefits, both in [−1, 1]."""
    rows = np.column_stack([np.full(N, intercept), data["x"], (data["z"] - 5) / 5])
    return rows, np.clip(data["outcome"], 0, 4) / 2 - 1


@pytest.mark.parametrize("mean", [1.0, 3.0, 0.0])
@pytest.mark.parametrize(("T", "gamma"), [(0.1, 3.0), (2.0, 50.0)])
def test_contrast_regression_is_what_its_objective_says(
    T: float, gamma: float, mean: float
) -> None:
    data = trial()
    rule = fitted(
        "inf", data, estimator="contrast", gamma=gamma, width=T, mean_scale=mean, **DESIGN
    )
    x, v = by_hand(data)
    a = np.where(data["arm"] == "b", 1.0, -1.0)
    rows = np.column_stack([np.full(N, mean), x * a[:, None]] if mean else [x * a[:, None]])
    weights = 0.3 / np.where(a > 0, 0.7, 0.3)
    expected = minimiser(rows, v, weights, gamma * np.eye(rows.shape[1]), T=T)
    np.testing.assert_allclose(rule.release.theta, expected[1:] if mean else expected, atol=1e-6)
    assert np.abs(expected[-3:]).max() > 0.01  # there is something to find


@pytest.mark.parametrize("main_effect", ["linear", "squares", "cubes"])
@pytest.mark.parametrize(("T", "gamma", "main"), [(0.1, 3.0, 0.25), (2.0, 50.0, 4.0), (0.5, 9, 1)])
def test_arm_wise_regression_is_what_its_objective_says(
    T: float, gamma: float, main: float, main_effect: str
) -> None:
    data = trial()
    rule = fitted(
        "inf",
        data,
        estimator="arm-wise",
        gamma=gamma,
        width=T,
        main_penalty=main,
        main_effect=main_effect,
        **DESIGN,
    )
    x, v = by_hand(data)
    own = (data["arm"] == "b")[:, None]
    curves = [2 * x[:, 1:] ** 2 - 1, 4 * x[:, 1:] ** 3 - 3 * x[:, 1:]]
    curves = curves[: ("linear", "squares", "cubes").index(main_effect)]
    rows = np.column_stack([x * ~own, x * own, *curves])
    # θ± = α ± τ: a penalty on α = (θ₊ + θ₋)/2 and τ = (θ₊ − θ₋)/2, and one on the curves.
    alpha, tau = max(main, 1.0), max(1 / main, 1.0)
    pair = np.array([[alpha + tau, alpha - tau], [alpha - tau, alpha + tau]]) / 2
    shared = len(curves) * 2
    matrix = np.zeros((6 + shared, 6 + shared))
    matrix[:6, :6] = np.kron(pair, np.eye(3))
    matrix[6:, 6:] = alpha * np.eye(shared)
    expected = minimiser(rows, v, np.ones(N), gamma * matrix, T=T)
    np.testing.assert_allclose(rule.release.theta, expected[3:6] - expected[:3], atol=1e-6)
    assert len(rule.release.integers) == 6 + shared
    assert np.abs(rule.release.theta).max() > 0.01


@pytest.mark.parametrize("loss", ["huber", Huber(0.4)], ids=["by name", "by class"])
def test_a_loss_of_residuals_may_be_named(loss: Any) -> None:
    data = trial()
    rule = fitted("inf", data, estimator="contrast", gamma=5.0, loss=loss, mean_scale=0, **DESIGN)
    T = PLAIN_WIDTH if isinstance(loss, str) else 0.4
    assert rule.release.certificate.loss.parameters == {"width": T}
    x, v = by_hand(data)
    a = np.where(data["arm"] == "b", 1.0, -1.0)
    weights = 0.3 / np.where(a > 0, 0.7, 0.3)
    expected = minimiser(x * a[:, None], v, weights, 5 * np.eye(3), T=T, of=huber)
    np.testing.assert_allclose(rule.release.theta, expected, atol=1e-6)


@every
def test_who_gains_gets_the_arm(estimator: str) -> None:
    data = trial()
    rule = fitted("inf", data, estimator=estimator, gamma=1.0, width=1.0, **DESIGN)
    x = np.array([-0.9, -0.5, 0.5, 0.9])
    rows, _ = by_hand({"x": np.resize(x, N), "z": np.full(N, 5.0), "outcome": np.zeros(N)})
    assert rule.arms_for(rule.release.score(rows[:4, 1:])).tolist() == ["a", "a", "b", "b"]


@every
def test_a_benefit_of_which_less_is_better_turns_the_rule(estimator: str) -> None:
    data = trial()
    more, less = (
        fitted("inf", data | {"outcome": one}, estimator=estimator, gamma=5.0, **DESIGN, **other)
        for one, other in (
            (data["outcome"], {}),
            (4 - data["outcome"], {"direction": "smaller"}),
        )
    )
    np.testing.assert_allclose(more.release.theta, less.release.theta, atol=1e-9)


@every
def test_rows_without_arm_or_outcome_weigh_nothing_and_count(estimator: str) -> None:
    data = {key: list(one) for key, one in trial().items()}
    lost = pa.table(
        data | {"arm": ["c", *data["arm"][1:]], "outcome": [*data["outcome"][:-1], None]}
    )
    kept = pa.table({key: one[1:-1] for key, one in data.items()})
    text = STUDY.replace(
        'arms = ["a", "b"]\npropensity = { model = "private" }\npropensity_floor = 0.1',
        "arms = { a = 0.3, b = 0.7 }",
    )
    rules = [
        by_study("inf", text, estimator=estimator, gamma=5.0).fit(table).rule_
        for table in (lost, kept)
    ]
    np.testing.assert_allclose(rules[0].release.theta, rules[1].release.theta, atol=1e-9)
    assert [rule.release.certificate.n for rule in rules] == [N, N - 2]


# -- the certificate -------------------------------------------------------------------------

MECHANISM: dict[str, Any] = {"mechanism": "objective-block", "gamma": 60.0, "width": 0.2}
RELEASED: dict[str, dict[str, Any]] = {
    "contrast": {"estimator": "contrast", "mean_scale": 2.0, **DESIGN},
    "contrast, output": {"estimator": "contrast", "mechanism": "spherical-laplace", **DESIGN},
    "arm-wise": {"estimator": "arm-wise", "main_penalty": 0.25, **DESIGN},
    "arm-wise, curved": {"main_effect": "cubes", **NOBODY_KNOWS},
    "arm-wise, below the taper": {"estimator": "arm-wise", "gamma": 3.0, **NOBODY_KNOWS},
    "contrast, private model": {"estimator": "contrast"},
    "contrast, ridge": {
        "estimator": "contrast", "mechanism": "spherical-laplace", "propensity": "ridge",
    },
}  # fmt: skip


def released(name: str, epsilon: object = 2) -> Rule:
    return fitted(epsilon, trial(), **(MECHANISM | RELEASED[name]))


@pytest.mark.parametrize("name", RELEASED)
def test_a_rule_and_its_file_verify(name: str, tmp_path: Path) -> None:
    rule, path = released(name), tmp_path / "rule.json"
    write_rule(rule, path)
    assert all(finding.holds for finding in verify_rule(path))
    back = read_rule(path)
    assert content_of(back) == content_of(rule)
    assert rule.private
    assert rule.budget == Budget.of(2)
    people = pa.table(columns(40))
    named = people.rename_columns(["x0", "x1", "arm", "outcome"])
    np.testing.assert_array_equal(back.score_table(named), rule.score_table(named))


PENALTY = "certificate.regularizer.parameters."
FREE = {"certificate.n"}
"""What follows from nothing else in a file: how many people there were."""

UNPAID = {f"{PENALTY}main", f"{PENALTY}contrast"}
"""Where nothing is paid for the Jacobian, no noise hangs on the penalty."""


@pytest.mark.parametrize(
    ("name", "free"),
    [
        ("contrast", FREE),
        ("arm-wise", FREE | UNPAID),
        ("arm-wise, below the taper", FREE),
    ],
)
def test_every_edited_number_of_the_certificate_is_found_even_under_a_new_digest(
    name: str, free: set[str], tmp_path: Path
) -> None:
    content = json.loads(json.dumps(content_of(released(name))))
    path = tmp_path / "rule.json"
    seen: set[str] = set()
    unseen: set[str] = set()
    for where, other, edited in edits(content):
        number = isinstance(other, int | float) and not isinstance(other, bool)
        if not where.startswith("certificate.") or not number or where in seen:
            continue
        seen.add(where)
        edited["digest"] = digest_of(edited)
        write(path, edited)
        if survives(path):
            unseen.add(where)
    parts = ("loss.", "regularizer.", "weighting.", "perturbation.", "sensitivity.", "noise.")
    told = [part for part in parts if any(part in where for where in seen)]
    assert len(told) >= 5
    assert {"certificate.gamma", "certificate.weight_bound", "certificate.radius"} <= seen
    assert unseen <= free


@every
def test_a_certificate_tells_the_design(estimator: str) -> None:
    certificate = released(estimator).release.certificate
    assert certificate.weight_bound == 1.0
    assert certificate.loss.name == "exp-huber"
    assert (certificate.loss.lipschitz, certificate.loss.smoothness) == (0.2, 1.0)
    assert certificate.weighting is not None
    told = (certificate.weighting.name, certificate.weighting.parameters)
    penalty = (certificate.regularizer.name, certificate.weight_origin.name)
    if estimator == "contrast":
        assert told == ("contrast", {"mean": 2.0})
        assert penalty == ("ridge", "design")
        assert certificate.radius == pytest.approx(math.sqrt(2**2 + 3))
        assert certificate.dimension == 4
    else:
        assert told == ("arm-wise", {"degree": 1.0})
        assert penalty == ("arm-wise", "unused")
        assert certificate.regularizer.parameters["main"] == 1.0
        assert certificate.regularizer.parameters["contrast"] == 4.0
        assert certificate.radius == pytest.approx(math.sqrt(3))
        assert certificate.dimension == 6


def test_a_private_model_and_a_contrast_cost_epsilon_in_all() -> None:
    rule = released("contrast, private model", "0.7")
    assert rule.propensity is not None
    assert rule.propensity.certificate.budget == Budget.of("0.35")
    assert rule.release.certificate.budget == Budget.of("0.35")
    assert rule.budget == Budget.of("0.7")
    assert rule.release.certificate.weight_origin.name == "released"


def test_an_outcome_model_needs_no_probabilities_and_no_floor() -> None:
    rule = fitted(2, **NOBODY_KNOWS, **MECHANISM)
    assert rule.propensity is None
    assert rule.release.certificate.weighting is not None
    assert rule.release.certificate.weighting.name == "arm-wise"
    data = columns()
    X = np.column_stack([data["x"], data["z"]])
    estimator = arrays(2, **NOBODY_KNOWS, **MECHANISM).fit(X, data["arm"], data["outcome"])
    with pytest.raises(ParameterError, match="no probabilities of the arms"):
        estimator.score(X, data["arm"], data["outcome"])


# -- which estimator -------------------------------------------------------------------------


def asked(**other: Any) -> PrivateTreatmentRule:
    """Return an estimator for arrays of a randomised trial, with everything left open."""
    known: dict[str, Any] = {
        "feature_bounds": (-1, 1),
        "benefit_bounds": (0, 4),
        "propensity": {"a": 0.5, "b": 0.5},
        "ledger": "none",
    }
    return PrivateTreatmentRule(1, **(known | other))


@pytest.mark.parametrize(
    ("named", "left_open"),
    [
        ({}, True),
        ({"mechanism": "objective-l2", "saturation": 2.0, "threshold": 0.1}, True),
        ({"width": 0.2}, True),
        ({"estimator": "contrast"}, True),
        ({"loss": "logistic"}, False),
        ({"h": 0.5}, False),
        ({"regularizer": "arm-wise"}, False),
        ({"benefit_clip": 1.0}, False),
        ({"benefit_clip": "range"}, False),
        ({"centre": 2.0}, True),
        ({"centre": "midpoint"}, True),
        ({"centre": 1.0, "benefit_clip": 1.0}, False),
        ({"weights": "nonnegative"}, False),
    ],
    ids=str,
)
def test_the_estimator_is_left_open_unless_something_of_one_was_named(
    named: dict[str, Any], left_open: bool
) -> None:
    estimator = asked(**named)
    assert is_open(estimator, declaration_of(estimator)) == left_open


@pytest.mark.parametrize("centre", [None, 1.0, "lower", "midpoint"])
def test_a_declared_centre_leaves_the_choice_open(centre: object) -> None:
    encoding = Encoding.of_numbers(["x"], [(-1.0, 1.0)])
    estimator = asked(centre=centre)
    assert problem_of(estimator, declaration_of(estimator), encoding).open_method
    line = "" if centre is None else f"centre = {json.dumps(centre)}"
    text = STUDY.replace("bounds = [0, 4]", f"bounds = [0, 4]\n{line}")
    study = Study.parse(text.replace("gamma = 50", ""))
    assert (study.benefit.declared_centre is None) == (centre is None)
    _, problem = checked_problem(PrivateTreatmentRule.from_study(study, 1, ledger="none"))
    assert problem is not None
    assert problem.open_method


@pytest.mark.parametrize("name", ["outcome-weighted", *REGRESSIONS])
def test_only_outcome_weights_use_a_centre(name: str) -> None:
    rules = [
        fitted("inf", trial(), estimator=name, gamma=20.0, centre=one, **DESIGN).release
        for one in (None, 0.5)
    ]
    assert (rules[0].integers == rules[1].integers) == (name in REGRESSIONS)


@every
@pytest.mark.parametrize(
    ("key", "value", "usual"), [("h", 0.5, 1), ("weights", "nonnegative", "signed")]
)
def test_what_a_named_regression_would_ignore_is_refused(
    estimator: str, key: str, value: object, usual: object
) -> None:
    reason = f"{key} would not be used by estimator {estimator}: name estimator outcome-weighted"
    for gamma in ("auto", 50.0):
        with pytest.raises(ParameterError, match=f"{reason}, or leave {key} out"):
            checked_problem(asked(estimator=estimator, gamma=gamma, **{key: value}))
        checked_problem(asked(estimator=estimator, gamma=gamma, **{key: usual}))
        checked_problem(asked(estimator="outcome-weighted", gamma=gamma, **{key: value}))
        checked_problem(asked(gamma=gamma, **{key: value}))


def test_where_no_probabilities_are_known_the_way_out_is_to_leave_it_out() -> None:
    with pytest.raises(ParameterError, match=r"h would not be used .* no other: leave h out"):
        checked_problem(arrays(h=0.5, **NOBODY_KNOWS))


def weighting_of(rule: Rule) -> str:
    told = rule.release.certificate.weighting
    return "outcome-weighted" if told is None else told.name


def test_with_a_gamma_the_estimator_is_outcome_weighted_unless_it_is_named() -> None:
    assert weighting_of(fitted(2, gamma=60.0, **DESIGN)) == "outcome-weighted"
    for name in ("outcome-weighted", *REGRESSIONS):
        assert weighting_of(fitted(2, gamma=60.0, estimator=name, **DESIGN)) == name


def test_naming_outcome_weights_changes_no_bit_of_a_rule() -> None:
    known: dict[str, Any] = {"gamma": 60.0, "random_state": 4, **DESIGN}
    first, second = fitted(2, **known), fitted(2, estimator="outcome-weighted", **known)
    assert content_of(first) == content_of(second)


@pytest.mark.parametrize(
    ("text", "named", "reason"),
    [
        ("outcome", {"estimator": "contrast"}, "contrast needs probabilities.* use estimator arm-"),
        ("outcome", {"estimator": "outcome-weighted"}, "outcome-weighted needs probabilities"),
        ("private", {"estimator": "arm-wise"}, r"paid for in vain: declare .*model = \"outcome\""),
        ("ridge", {"estimator": "arm-wise"}, "a ridge propensity model would be paid for in vain"),
        ("private", {"main_effect": "squares"}, "main_effect would not be used .* estimator arm-w"),
        ("outcome", {"mean_scale": 1.0}, "mean_scale would not be used by estimator arm-wise"),
    ],
)
def test_an_estimator_that_a_study_cannot_have_is_refused_before_a_row_is_read(
    text: str, named: dict[str, Any], reason: str
) -> None:
    floor = "" if text == "outcome" else "propensity_floor = 0.1"
    written = STUDY.replace('"private"', f'"{text}"').replace("propensity_floor = 0.1", floor)
    for gamma in ("", "gamma = 50"):
        study = Study.parse(written.replace("gamma = 50", gamma))
        estimator = PrivateTreatmentRule.from_study(study, 1, ledger="none", **named)
        with pytest.raises(ParameterError, match=reason):
            checked_problem(estimator)


@pytest.mark.parametrize("name", ["outcome-weighted", "contrast"])
def test_weights_by_probabilities_cannot_claim_that_none_are_used(name: str) -> None:
    spec = released("contrast").release.certificate.specification()
    loss = HuberisedHinge() if name == "outcome-weighted" else spec.loss
    with pytest.raises(ParameterError, match="cannot have the origin unused"):
        spec.changed(weighting=get_weighting(name), loss=loss, origin=Unused())


@pytest.mark.parametrize("mechanism", ["objective-block", "objective-l2", "objective-gaussian"])
def test_a_claim_with_a_penalty_matrix_speaks_of_its_leverage(mechanism: str) -> None:
    spec = released("arm-wise").release.certificate.specification()
    facts = facts_of(spec.changed(loss=Huber(0.2)), released("arm-wise").release.encoding, 10)
    claim, proof = get_mechanism(mechanism).claim(facts)
    assert "Wcρ" in claim
    assert "r²/γ" not in claim
    page = "objective-gaussian" if mechanism == "objective-gaussian" else "penalty-matrix"
    assert proof == f"docs/proofs/{page}.md"
    assert "Wcr²/γ" in get_mechanism(mechanism).claim(replace(facts, regularizer=Ridge()))[0]
