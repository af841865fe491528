"""A rehearsal is a real fit in small: the same weights, the same minimiser, the same rule."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.choose.questions import TRIAL, question

from dpwerm.choose.grid import grid, thresholds
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Outcome, Question
from dpwerm.choose.search import Rehearsal
from dpwerm.choose.settle import outcome_of
from dpwerm.draws import Draws
from dpwerm.mechanisms import MECHANISMS
from dpwerm.objective.losses import Logistic
from dpwerm.objective.objective import Objective
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Specification, certify
from dpwerm.releases.release import Release
from dpwerm.simulate.engine.released import TOLERANCE, inside_noise, outside_noise
from dpwerm.simulate.judged import SyntheticTrials
from dpwerm.simulate.synthetic import generator, random_labels, random_trials
from dpwerm.solve.newton import minimise
from dpwerm.study.treatment import Declaration
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, outcome_weights

B, N = 3, 25
SETTING = Hyperparameters("objective-block", 0.4, 0.5, 2.0)
REGRESSION = Hyperparameters("objective-block", intercept=0.5, saturation=2.0, width=0.2)
CONTRAST = replace(REGRESSION, estimator="contrast", mean=2.0)
ARM_WISE = replace(REGRESSION, estimator="arm-wise", main=0.25, degree=1.0)
EVERY = {"outcome-weighted": SETTING, "contrast": CONTRAST, "arm-wise": ARM_WISE}


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


@pytest.mark.parametrize("mean", [0.0, 2.0])
def test_contrast_rows_are_those_of_a_fit(mean: float) -> None:
    declared = declaration()
    asked = question((0, 3), outcome=outcome_of(declared))
    one = rehearsal(asked)
    problems = one.problems(replace(CONTRAST, mean=mean))
    encoding = CONTRAST.encoding(asked.encoding)
    X = encoding.learning_rows(encoding.of_centred(one.synthetic.X))
    whole = np.concatenate([np.full((B, N, 1), encoding.intercept_scale), X], axis=-1)
    np.testing.assert_array_equal(problems.X, whole * one.synthetic.arm[..., None])
    assert problems.intercept_scale == mean
    np.testing.assert_array_equal(problems.targets, one.synthetic.benefit)
    received = one.synthetic.probability
    np.testing.assert_allclose(problems.weights, declared.treatment.pi_min / received, rtol=1e-12)
    assert problems.weights.max() <= 1
    assert problems.weights.min() < 0.5  # of the arm that came more often


@pytest.mark.parametrize("degree", [1.0, 2.0, 3.0])
def test_arm_wise_rows_are_those_of_a_fit(degree: float) -> None:
    asked = question((0, 3), outcome=outcome_of(declaration()))
    one = rehearsal(asked)
    problems = one.problems(replace(ARM_WISE, degree=degree))
    encoding = ARM_WISE.encoding(asked.encoding)
    X = encoding.learning_rows(encoding.of_centred(one.synthetic.X))
    whole = np.concatenate([np.full((B, N, 1), encoding.intercept_scale), X], axis=-1)
    second = (one.synthetic.arm > 0)[..., None]
    x = X[..., :1]
    curves = [2 * x**2 - 1, 4 * x**3 - 3 * x][: int(degree) - 1]
    expected = np.concatenate([whole * ~second, whole * second, *curves], axis=-1)
    np.testing.assert_allclose(problems.X, expected, atol=1e-12)
    assert problems.intercept_scale == 0
    np.testing.assert_array_equal(problems.targets, one.synthetic.benefit)
    assert (problems.weights == 1).all()


MECHANISM_NAMES = [name for name in MECHANISMS if name != "none"]
MARGINS = [question().spec.loss, Logistic()]
TRIED = [*(("outcome-weighted", loss) for loss in MARGINS), ("contrast", None), ("arm-wise", None)]


@pytest.mark.parametrize(("estimator", "loss"), TRIED, ids=str)
@pytest.mark.parametrize("mechanism", [*MECHANISM_NAMES, "none"])
def test_the_rules_are_those_of_the_single_solver_with_the_noise_of_the_plan(
    mechanism: str, estimator: str, loss: Any
) -> None:
    delta = "1e-6" if MECHANISMS[mechanism].needs_delta else 0
    epsilon = "inf" if mechanism == "none" else 2
    named = {} if loss is None else {"loss": loss}
    asked = question((0, 1), epsilon=epsilon, delta=delta, **named)
    setting, path = replace(EVERY[estimator], mechanism=mechanism), [90.0, 30.0]
    one = rehearsal(asked, weight=2.0)
    seen = one.released(setting, path)
    assert list(seen) == list(one.scores(setting, path)) == path
    spec, encoding = asked.designed(setting)
    problems = one.problems(setting)
    p = problems.dimension
    assert p == {"outcome-weighted": 3, "contrast": 4, "arm-wise": 6}[estimator]
    base = Draws.of((B, 2), p, generator(7))
    for gamma, found in seen.items():
        facts = asked.facts(setting, gamma)
        calibration = MECHANISMS[mechanism].calibrate(facts, asked.spec.budget)
        linear_term = inside_noise(calibration, base)
        added = outside_noise(calibration, base) if linear_term is None else np.zeros((B, 2, p))
        for b, r in np.ndindex(B, 2):
            perturbed = None if linear_term is None else (linear_term[b, r],)
            objective = Objective(
                problems.data(b), spec.loss, gamma, spec.regularizer, linear_term=perturbed
            )
            whole = [float(t) for t in minimise(objective, 1e-9).theta] + added[b, r]
            expected = spec.weighting.rule(whole.tolist(), encoding)
            # A difference of two arms is off by what both are.
            assert np.linalg.norm(found[b, r] - expected) <= 1.5 * TOLERANCE


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
        given = list(judged.second_arm(theta[:, None], encoding, one.synthetic.people))
        assert len(given) == len(thresholds(asked))
        assert (judged.synthetic.accuracy(given[place]) == 1.0).all()
        opposite = replace(one.synthetic, best=-best)
        assert (opposite.accuracy(given[place]) == 0.0).all()
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


EASY = random_trials(
    (0, 0), count=6, rows=2000, propensity=(0.5, 0.5), rng=np.random.default_rng(3)
)


@pytest.mark.parametrize(
    "setting",
    [
        *(Hyperparameters("none", clip, 1.0, 1.0) for clip in (0.1, 1.0)),
        Hyperparameters("none", None, 2.0, 1.0, estimator="contrast", width=0.5, mean=4.0),
        Hyperparameters("none", None, 2.0, 1.0, estimator="arm-wise", width=0.5, main=1.0),
    ],
    ids=str,
)
def test_without_noise_an_easy_problem_is_learned(setting: Hyperparameters) -> None:
    """A rehearsal that mixed up arms or signs would be near a half or below."""
    asked = question((0, 0), epsilon="inf", n=2000)
    tight = np.flatnonzero(EASY.tight)
    assert len(tight)
    parts = {name: one[tight] for name, one in vars(EASY).items() if len(one)}
    easy = SyntheticTrials(**parts)
    one = Rehearsal(asked, easy, 1, (7,), 1.0)
    found = one.judged(replace(setting, gamma=2.0, threshold=0.0))
    assert found.accuracy > 0.9
    if setting.estimator is not None:
        assert found.gain is not None
        assert found.gain > 0.9
        assert found.harm == 0


def test_the_same_rehearsal_gives_the_same_scores() -> None:
    asked = question((0, 3))
    first, second = (rehearsal(asked).scores(SETTING, [90.0, 30.0]) for _ in range(2))
    for gamma in first:
        np.testing.assert_array_equal(first[gamma], second[gamma])


def test_scores_are_the_means_of_what_each_person_is_given() -> None:
    one = rehearsal(question((0, 3)))
    theta = one.released(SETTING, [90.0])[90.0]
    assert theta.shape == (B, 2, 5)
    encoding, people = SETTING.encoding(one.question.encoding), one.synthetic.people
    given = list(one.second_arm(theta, encoding, people))
    assert {each.shape for each in given} == {(B, 2, one.synthetic.best.shape[1])}
    means = [one.synthetic.score(each).mean() for each in given]
    np.testing.assert_allclose(one.scores(SETTING, [90.0])[90.0], means)


@pytest.mark.parametrize("setting", EVERY.values(), ids=EVERY)
def test_a_winner_is_judged_by_its_own_rules_at_its_own_threshold(
    setting: Hyperparameters,
) -> None:
    one = rehearsal(question((0, 3)))
    theta = one.released(setting, [90.0])[90.0]
    assert theta.shape == (B, 2, 5)
    encoding, people = setting.encoding(one.question.encoding), one.synthetic.people
    given = one.second_arm(theta, encoding, people)
    for threshold, second in zip(thresholds(one.question), given, strict=True):
        winner = replace(setting, gamma=90.0, threshold=threshold)
        assert one.judged(winner) == one.synthetic.judged(second)
