"""A rehearsed propensity model is judged by its weights, and by nothing else."""

import numpy as np
import pytest
from scipy.special import expit
from tests.unit.choose.questions import encoding_of

from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.propensity import PropensityRehearsal, question_of, random_logits
from dpwerm.choose.question import Question
from dpwerm.features.encoding import Encoding
from dpwerm.privacy.budget import Budget, Relation

FLOOR = 0.1


def asked(widths: tuple[int, ...] = (0, 3, 1), n: int = 400, epsilon: str = "1") -> Question:
    return question_of(encoding_of(widths), n, Budget.of(epsilon), Relation.REPLACE_ONE)


def rehearsal(question: Question, count: int = 6, rows: int = 300) -> PropensityRehearsal:
    return PropensityRehearsal.of(question, FLOOR, count=count, rows=rows, draws=2, seed=5)


def model(one: PropensityRehearsal, theta: np.ndarray, encoding: Encoding) -> PropensityRehearsal:
    """Return the rehearsal whose truth is the model θ (B, p)."""
    rows = encoding.of_centred(one.synthetic.people)
    logits = encoding.intercept_scale * theta[:, :1] + np.einsum("btd,bd->bt", rows, theta[:, 1:])
    return PropensityRehearsal(
        one.question, one.synthetic, one.draws, one.seed, one.weight, expit(logits), one.floor
    )


@pytest.mark.parametrize("intercept", [0.5, 1.0])
@pytest.mark.parametrize("kind", ["centred", "paper"])
def test_the_true_model_has_no_error_and_any_other_has(kind: str, intercept: float) -> None:
    question = question_of(
        encoding_of((0, 3, 1), kind=kind), 400, Budget.of(1), Relation.REPLACE_ONE
    )
    candidate = Hyperparameters(intercept=intercept)
    encoding = candidate.encoding(question.encoding)
    one = rehearsal(question)
    theta = 0.5 * np.random.default_rng(0).normal(size=(6, 6))
    true = model(one, theta, encoding)
    assert true._score(theta[:, None], candidate) == pytest.approx(1.0, abs=1e-9)
    for j in range(6):
        moved = theta + 0.5 * np.eye(6)[j]
        assert true._score(moved[:, None], candidate)[0] < 0.97


def test_the_error_is_the_root_mean_square_of_the_ratio_of_weights() -> None:
    """With p = 0.2 for everybody and p̂ = 1/2: p/p̂ − 1 is −0.6 in one arm and 0.6 in the other."""
    one = rehearsal(asked())
    flat = PropensityRehearsal(
        one.question, one.synthetic, 2, (1,), 1.0, np.full_like(one.truth, 0.2), FLOOR
    )
    zero = np.zeros((6, 1, 6))
    assert flat._score(zero, Hyperparameters())[0] == pytest.approx(1 - 0.6)


def test_beyond_the_floor_nothing_is_right_or_wrong() -> None:
    one = rehearsal(asked())
    steep = np.zeros((6, 6))
    steep[:, 0] = 50.0
    certain = model(one, steep, one.question.encoding)
    assert certain._score(steep[:, None] / 10, Hyperparameters())[0] == pytest.approx(1.0)


@pytest.mark.parametrize("floor", [0.02, 0.1, 0.3])
def test_most_probabilities_lie_within_the_floor(floor: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (200, 500, 4))
    second = expit(random_logits(X, floor, rng))
    inside = (second >= floor) & (second <= 1 - floor)
    assert 0.9 < inside.mean() < 0.995
    assert 0.3 < second.mean() < 0.7
    assert second.std() > 0.3 * (0.5 - floor)


def test_a_column_that_never_varies_is_no_fault() -> None:
    found = random_logits(np.ones((3, 20, 1)), 0.1, np.random.default_rng(0))
    assert np.isfinite(found).all()


def test_labels_follow_the_models() -> None:
    """Without noise and with many rows the fitted weights are nearly right."""
    question = asked((0, 1), n=20_000, epsilon="inf")
    one = rehearsal(question, count=4, rows=20_000)
    setting = Hyperparameters("none", 1.0, 1.0, 1.0)
    assert one.scores(setting, [1.0])[1.0][0] > 0.97


def test_rows_stand_for_all_people() -> None:
    one = rehearsal(asked(n=900))
    assert one.weight == 3.0
    problems = one.problems(Hyperparameters("objective-l2", 1.0, 1.0, 1.0))
    assert (problems.weights == 3.0).all()
    assert np.array_equal(problems.targets, one.synthetic.arm)


def test_the_same_seed_gives_the_same_models() -> None:
    first, second = (rehearsal(asked()) for _ in range(2))
    assert np.array_equal(first.truth, second.truth)
    assert np.array_equal(first.synthetic.arm, second.synthetic.arm)
