"""A rehearsal is a real fit in small: the same weights, the same minimiser, the same rule."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.choose.questions import TRIAL, question

from dpwerm.arrays import FloatArray
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Outcome, Question
from dpwerm.choose.search import Rehearsal, grid, thresholds
from dpwerm.choose.settle import outcome_of
from dpwerm.draws import Draws
from dpwerm.mechanisms import MECHANISMS
from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Specification, certify
from dpwerm.releases.release import Release
from dpwerm.simulate.engine.released import TOLERANCE, inside_noise, outside_noise
from dpwerm.simulate.synthetic import SyntheticTrials, generator, random_labels, random_trials
from dpwerm.solve.newton import minimise
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, outcome_weights

B, N = 3, 25
SETTING = Hyperparameters("objective-block", 0.4, 0.5, 2.0)


def synthetic_for(asked: Question, seed: int = 0) -> SyntheticTrials:
    rng = np.random.default_rng(seed)
    if asked.outcome.labels:
        return random_labels(asked.widths, count=B, rows=N, rng=rng)
    propensity = asked.outcome.propensity
    return random_trials(asked.widths, count=B, rows=N, propensity=propensity, rng=rng)


def rehearsal(asked: Question, draws: int = 2, weight: float = 1.0, seed: int = 0) -> Rehearsal:
    return Rehearsal(asked, synthetic_for(asked, seed), draws, (7,), weight)


def declaration(**other: Any) -> Declaration:
    """Return a benefit within [10, 30]; 20 + 10·u for a simulated u."""
    treatment = {"column": "t", "arms": {"a": "0.3", "b": "0.7"}}
    return Declaration.of_keys(treatment, {"column": "b", "bounds": [10, 30], **other})


@pytest.mark.parametrize("clip", [1.0, 0.4, 0.1])
@pytest.mark.parametrize(
    "declared",
    [
        declaration(),
        declaration(centre=12.0),
        declaration(centre="lower"),
        declaration(weights="nonnegative"),
        declaration(weights="nonnegative", centre=18),
        declaration(direction="smaller"),
        declaration(direction="smaller", centre=-11.0),
    ],
)
def test_labels_and_weights_are_those_of_a_fit(declared: Declaration, clip: float) -> None:
    asked = question((0, 3), outcome=outcome_of(declared))
    one = rehearsal(asked)
    problems = one.problems(replace(SETTING, clip=clip))
    clipped = declared.clipped_at(clip)
    bound = OUTCOME_WEIGHTED.weight_bound(clipped)
    turned = -1 if declared.benefit.direction == "smaller" else 1
    values = 20 + turned * 10 * one.synthetic.benefit
    for b in range(B):
        labels, weights = outcome_weights(
            one.synthetic.arm[b],
            clipped.benefit.centred(values[b]),
            one.synthetic.probability[b],
            bound,
        )
        np.testing.assert_array_equal(problems.targets[b], labels)
        np.testing.assert_allclose(problems.weights[b], weights / bound, rtol=1e-9, atol=1e-12)
    assert problems.weights.max() <= 1


@pytest.mark.parametrize("weight", [1.0, 40.0])
def test_weights_lie_between_zero_and_what_a_row_stands_for(weight: float) -> None:
    for outcome in (TRIAL, Outcome(0.3, True, (0.1, 0.9), 0.1), Outcome.of_labels()):
        asked = question((0, 1), outcome=outcome)
        for setting in grid(asked, "objective-l2"):
            alone, weights = (
                rehearsal(asked, weight=each).problems(setting).weights for each in (1.0, weight)
            )
            assert alone.min() >= 0
            assert alone.max() <= 1
            np.testing.assert_array_equal(weights, weight * alone)


def test_labels_with_weights_are_left_as_they_are() -> None:
    asked = question((0, 1), outcome=Outcome.of_labels())
    one = rehearsal(asked)
    problems = one.problems(replace(SETTING, clip=1.0))
    np.testing.assert_array_equal(problems.targets, one.synthetic.arm)
    np.testing.assert_array_equal(problems.weights, one.synthetic.benefit)


@pytest.mark.parametrize("kind", ["centred", "paper"])
def test_rows_are_those_that_are_learned_from(kind: str) -> None:
    asked = question((0, 3), kind=kind)
    saturation = 2.0 if kind == "centred" else 1.0
    encoding = asked.encoding.changed(intercept=0.5, saturation=saturation)
    one = rehearsal(asked)
    problems = one.problems(replace(SETTING, intercept=0.5, saturation=saturation))
    assert problems.intercept_scale == encoding.intercept_scale
    X = encoding.learning_rows(encoding.of_centred(one.synthetic.X))
    np.testing.assert_array_equal(problems.X, X)
    assert (np.abs(X) <= encoding.domain.column_bounds[1:]).all()


MECHANISM_NAMES = [name for name in MECHANISMS if name != "none"]


@pytest.mark.parametrize("loss", [question().spec.loss, Logistic()], ids=lambda loss: loss.name)
@pytest.mark.parametrize("mechanism", [*MECHANISM_NAMES, "none"])
def test_the_rules_are_those_of_the_single_solver_with_the_noise_of_the_plan(
    mechanism: str, loss: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[FloatArray] = []

    def recorded(_: Rehearsal, theta: FloatArray, encoding: object) -> FloatArray:
        seen.append(theta)
        return np.zeros(1)

    monkeypatch.setattr(Rehearsal, "_accuracy", recorded)
    delta = "1e-6" if MECHANISMS[mechanism].needs_delta else 0
    epsilon = "inf" if mechanism == "none" else 2
    asked = question((0, 1), loss=loss, epsilon=epsilon, delta=delta)
    setting, path = replace(SETTING, mechanism=mechanism), [90.0, 30.0]
    one = rehearsal(asked, weight=2.0)
    assert list(one.scores(setting, path)) == path
    encoding = setting.encoding(asked.encoding)
    problems = one.problems(setting)
    base = Draws.of((B, 2), 3, generator(7))
    for gamma, found in zip(path, seen, strict=True):
        facts = asked.facts(encoding, gamma)
        calibration = MECHANISMS[mechanism].calibrate(facts, asked.spec.budget)
        linear_term = inside_noise(calibration, base)
        added = outside_noise(calibration, base) if linear_term is None else np.zeros((B, 2, 3))
        for b, r in np.ndindex(B, 2):
            perturbed = None if linear_term is None else (linear_term[b, r],)
            objective = Objective(problems.data(b), loss, gamma, linear_term=perturbed)
            expected = [float(t) for t in minimise(objective, 1e-9).theta] + added[b, r]
            assert np.linalg.norm(found[b, r] - expected) <= 1.01 * TOLERANCE


@pytest.mark.parametrize("intercept", [0.0, 0.5])
@pytest.mark.parametrize(
    ("kind", "saturation"), [("centred", 1.0), ("centred", 3.0), ("paper", 1.0)]
)
def test_people_are_judged_as_the_released_rule_would(
    kind: str, saturation: float, intercept: float
) -> None:
    """If each person's better arm is what the release says, the accuracy is 1."""
    asked = question((0, 0, 3, 1), kind=kind)
    encoding = asked.encoding.changed(intercept=intercept, saturation=saturation)
    one, rng = rehearsal(asked), np.random.default_rng(8)
    spec = Specification(Budget.of(1), 10.0, 1.0)
    certificate, _ = certify(spec, encoding, 60, secure=True, library="x")
    names = encoding.coefficient_names
    integers = [tuple(rng.integers(-900, 900, len(names)).tolist()) for _ in range(B)]
    theta = np.array([Release(encoding, each, certificate).theta for each in integers])
    rows = encoding.of_centred(one.synthetic.people)
    dropped = set()
    for place, threshold in enumerate(thresholds(asked)):
        releases = [Release(encoding, each, certificate, threshold) for each in integers]
        dropped |= {release.kept.count(0) for release in releases}
        scores = [release.score(X) for release, X in zip(releases, rows, strict=True)]
        best = np.where(np.array(scores) > 0, 1.0, -1.0)
        judged = replace(one, synthetic=replace(one.synthetic, best=best))
        accuracy = judged._accuracy(theta[:, None], encoding)
        assert accuracy.shape == (len(thresholds(asked)),)
        assert accuracy[place] == 1.0
        opposite = replace(one, synthetic=replace(one.synthetic, best=-best))
        assert opposite._accuracy(theta[:, None], encoding)[place] == 0.0
    assert len(dropped) > 1


def test_where_no_plan_exists_nothing_is_scored() -> None:
    asked = question((0,))
    one = rehearsal(asked)
    low, high = 1e-3, 50.0
    assert set(one.scores(SETTING, [high, low])) == {high}
    assert one.scores(SETTING, [low]) == {}
    assert one.scores(replace(SETTING, mechanism="gaussian"), [high]) == {}


def test_a_pure_mechanism_is_planned_without_delta() -> None:
    pure, loose = (question((0,), delta=delta) for delta in (0, "1e-6"))
    scores = [rehearsal(asked).scores(SETTING, [50.0])[50.0] for asked in (pure, loose)]
    np.testing.assert_array_equal(scores[0], scores[1])


def test_without_noise_an_easy_problem_is_learned() -> None:
    """A rehearsal that mixed up arms or signs would be near a half or below."""
    asked = question((0, 0), epsilon="inf", n=2000)
    synthetic = random_trials(
        asked.widths, count=6, rows=2000, propensity=(0.5, 0.5), rng=np.random.default_rng(3)
    )
    for clip in (0.1, 1.0):
        setting = Hyperparameters("none", clip, 1.0, 1.0)
        scores = Rehearsal(asked, synthetic, 1, (7,), 1.0).scores(setting, [2.0])[2.0]
        assert scores[0] > 0.9


def test_the_same_rehearsal_gives_the_same_scores() -> None:
    asked = question((0, 3))
    first, second = (rehearsal(asked).scores(SETTING, [90.0, 30.0]) for _ in range(2))
    for gamma in first:
        np.testing.assert_array_equal(first[gamma], second[gamma])


def test_scores_are_the_means_of_what_each_person_is_given() -> None:
    one = rehearsal(question((0, 3)))
    theta = one.released(SETTING, [90.0])[90.0]
    assert theta.shape == (B, 2, 5)
    given = list(one.second_arm(theta, SETTING.encoding(one.question.encoding)))
    assert {each.shape for each in given} == {(B, 2, one.synthetic.best.shape[1])}
    right = [each == (one.synthetic.best > 0)[:, None] for each in given]
    means = [each.mean(axis=(1, 2)).mean() for each in right]
    np.testing.assert_allclose(one.scores(SETTING, [90.0])[90.0], means)
