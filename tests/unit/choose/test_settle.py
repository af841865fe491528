"""What is fixed stays, the rest is chosen from the number of people and nothing else."""

import inspect
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.small import search_little

from dpwerm import PrivateTreatmentRule, PrivateWeightedClassifier
from dpwerm.choose import settle as answers
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Choice, Outcome, Question
from dpwerm.choose.settle import folder, public_people, settle
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import Stage, no_progress
from dpwerm.parameters import LARGEST
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.problem import Problem
from dpwerm.releases.certificate import Specification
from dpwerm.weighting.contract import OutcomeWeighted

ENCODING = Encoding.of_numbers(["a", "b"], [(0.0, 1.0), (-5.0, 5.0)])
OPEN = Hyperparameters()
TRIAL = Outcome(0.0, signed=True, propensity=(0.5, 0.5), pi_min=0.5)


def spec(epsilon: object = 1, delta: object = 0, **other: Any) -> Specification:
    return Specification(Budget.of(epsilon, delta), 1.0, 3.0, **other)  # type: ignore[arg-type]


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search_little(tmp_path / "cache", monkeypatch)


def forget() -> None:
    """Let the next question be searched again."""
    answers._MEMORY.clear()
    for path in folder().glob("*"):
        path.unlink()


FOUND = Hyperparameters("objective-l2", 0.4, 0.5, 1.5, 20.0, 0.25, estimator="outcome-weighted")
REGRESSION = replace(FOUND, clip=None, estimator="arm-wise", width=0.1, main=0.25, degree=1.0)


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """Answer every question without a search, and return the list of what was asked."""
    asked: list[Question] = []

    def answered(question: Question, on_progress: Any) -> Choice:
        asked.append(question)
        on_progress(0.5)
        gain, harm = (None, None) if question.outcome.labels else (0.5, 0.1)
        found = REGRESSION if question.fixed.estimator == "arm-wise" else FOUND
        return Choice(found, 0.9, gain, harm, 2.0, {}, 4, question.n)

    monkeypatch.setattr("dpwerm.choose.settle.answer", answered)
    return asked


class Sensitive:
    """A number of rows that raises on everything one may ask of it: it is not public."""

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"{name} of a sensitive number was touched")

    def _refuse(self, *_: object, **__: object) -> Any:
        raise AssertionError("a sensitive number was touched")

    __bool__ = __eq__ = __hash__ = __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _refuse
    __index__ = __int__ = __float__ = __add__ = __mul__ = __radd__ = __rmul__ = _refuse
    __repr__ = __str__ = __format__ = __reduce_ex__ = __sizeof__ = __dir__ = _refuse
    __setattr__ = __delattr__ = __len__ = __iter__ = __getitem__ = __call__ = _refuse


COUNTLESS: Any = Sensitive()


def test_a_sensitive_number_would_notice() -> None:
    touches: list[Callable[[Any], Any]] = [
        int,
        bool,
        repr,
        lambda one: max(1, one),
        lambda one: one or 1,
        lambda one: one == 3,
        lambda one: one + 1,
        lambda one: one.real,
    ]
    for touch in touches:
        with pytest.raises(AssertionError, match="touched"):
            touch(COUNTLESS)


def settled(asked: Hyperparameters, of: Specification, outcome: Outcome = TRIAL) -> Hyperparameters:
    """Return the hyperparameters for nine people."""
    return settle(asked, of, ENCODING, outcome, 9, no_progress)


def labels(asked: Hyperparameters = OPEN, planned_n: int | None = None, **other: Any) -> Problem:
    return Problem(spec(**other), ENCODING, asked, planned_n=planned_n)


def test_of_the_rows_nothing_but_a_number_can_be_handed_over() -> None:
    """No argument can hold a row: what is asked is typed as public, and n is a number."""
    found = {name: one.annotation for name, one in inspect.signature(settle).parameters.items()}
    assert found == {
        "given": Hyperparameters,
        "spec": Specification,
        "encoding": Encoding,
        "outcome": Outcome,
        "people": int | None,
        "on_stage": Stage,
        "open_method": bool,
    }
    assert inspect.signature(Problem.settled).parameters["n"].annotation == int | None


def test_under_add_remove_not_even_their_number(questions: list[Question]) -> None:
    problem = labels(planned_n=30, relation=Relation.ADD_REMOVE)
    first = problem.settled(COUNTLESS)
    assert first == problem.settled(30_000) == problem.settled(None)
    assert first.hyperparameters.chosen is not None
    assert [question.n for question in questions] == [30, 30, 30]


def test_under_add_remove_the_planned_number_is_needed(questions: list[Question]) -> None:
    with pytest.raises(ParameterError, match="needs planned_n"):
        labels(relation=Relation.ADD_REMOVE).settled(COUNTLESS)
    assert questions == []


def test_a_planned_number_is_used_under_either_relation(questions: list[Question]) -> None:
    for relation in Relation:
        labels(planned_n=123, relation=relation).settled(COUNTLESS)
    assert [question.n for question in questions] == [123, 123]


def test_without_a_planned_number_it_is_that_of_the_rows(questions: list[Question]) -> None:
    labels().settled(9)
    assert [question.n for question in questions] == [9]
    assert public_people(None, spec()) == 1
    assert public_people(None, spec(), 0) == 1
    assert public_people(None, spec(), 2) == 2
    assert public_people(7, spec(), 2) == 7


def test_who_needs_the_planned_number_is_named() -> None:
    removed = spec(relation=Relation.ADD_REMOVE)
    with pytest.raises(ParameterError, match=r"^gamma = auto under add_remove needs .* set gamma$"):
        public_people(None, removed, 5)
    with pytest.raises(ParameterError, match=r"^the model under add_remove needs .* there$"):
        public_people(None, removed, 5, whose="the model")


@pytest.mark.usefixtures("quick")
def test_two_data_sets_of_one_size_are_fitted_with_the_same_settings() -> None:
    rng = np.random.default_rng(0)
    n = 40
    data = {
        "plain": (rng.uniform(-1, 1, (n, 2)), rng.integers(0, 2, n), rng.uniform(0, 2, n)),
        "extreme": (np.full((n, 2), 1e300), np.ones(n, dtype=int), np.full(n, 1e300)),
        "nothing": (np.zeros((n, 2)), np.zeros(n, dtype=int), np.zeros(n)),
        "outlier": (
            np.vstack([[[-1e200, 1e200]], np.zeros((n - 1, 2))]),
            np.r_[0, np.ones(n - 1, dtype=int)],
            np.r_[1e12, np.zeros(n - 1)],
        ),
    }
    seen = []
    for X, y, weights in data.values():
        forget()
        model = PrivateWeightedClassifier(
            1, feature_bounds=(-1, 1), classes=(0, 1), weight_bound=2.0, ledger="none"
        ).fit(X, y, weights)
        release = model.release_
        assert release.certificate.chosen is not None
        seen.append((release.certificate, release.encoding, release.threshold))
    assert all(one == seen[0] for one in seen)


def test_the_question_is_about_what_is_public(questions: list[Question]) -> None:
    asked = Hyperparameters("objective-l2", 0.3, 0.5, 2.0, threshold=0.1)
    settled(asked, spec(2, "1e-6"))
    (question,) = questions
    assert (question.fixed, question.n) == (asked, 9)
    assert question == Question(spec(2, "1e-6"), ENCODING, 9, TRIAL, asked)
    assert question.open_method
    settle(OPEN, spec(), ENCODING, TRIAL, 9, no_progress, open_method=False)
    assert not questions[-1].open_method


def test_without_privacy_the_mechanism_is_no_question(questions: list[Question]) -> None:
    settled(replace(OPEN, mechanism="gaussian"), spec("inf"))
    assert questions[0].fixed.mechanism is None


def test_a_certificate_names_what_was_open_and_nothing_else(questions: list[Question]) -> None:
    def chosen(asked: Hyperparameters, outcome: Outcome = TRIAL, **other: bool) -> set[str]:
        found = settle(asked, spec(), ENCODING, outcome, 9, no_progress, **other)
        assert found.chosen is not None
        assert replace(found, chosen=None) in (FOUND, REGRESSION)
        return set(found.chosen.settings)

    shared = {"gamma", "mechanism", "intercept_scale", "saturation", "threshold"}
    assert chosen(OPEN) == shared | {"estimator", "clip"}
    assert chosen(OPEN, open_method=False) == shared | {"clip"}
    assert chosen(OPEN, Outcome.of_labels()) == shared
    arm_wise = replace(OPEN, estimator="arm-wise")
    assert chosen(arm_wise) == shared | {"width", "main"}
    assert chosen(replace(arm_wise, width=0.1)) == shared | {"main"}
    assert chosen(replace(arm_wise, main=0.25, degree=1.0)) == shared | {"width"}
    fixed: dict[str, Any] = {"clip": 0.5, "intercept": 1.0, "saturation": 1.0, "threshold": 0.0}
    assert chosen(replace(OPEN, mechanism="objective-l2", **fixed)) == {"gamma"}


def test_a_certificate_tells_gain_and_harm_of_trials_alone(questions: list[Question]) -> None:
    trial, labels = (settled(OPEN, spec(), one).chosen for one in (TRIAL, Outcome.of_labels()))
    assert trial is not None
    assert (trial.accuracy, trial.gain, trial.harm) == (0.9, 0.5, 0.1)
    assert labels is not None
    assert (labels.accuracy, labels.gain, labels.harm) == (0.9, None, None)


def test_stages_tell_how_far_and_never_a_value(questions: list[Question]) -> None:
    stages: list[str] = []
    settle(OPEN, spec(), ENCODING, TRIAL, 9, stages.append)
    assert stages == [
        "choosing hyperparameters on synthetic trials",
        "choosing hyperparameters on synthetic trials: 50%",
    ]


def test_an_explicit_gamma_switches_the_simulation_off(questions: list[Question]) -> None:
    asked = replace(OPEN, gamma=4.0)
    found = settle(asked, spec(), ENCODING, TRIAL, None, no_progress)
    plain = Hyperparameters("spherical-laplace", None, 1.0, 1.0, 4.0, 0.0)
    assert found == plain
    for relation in Relation:  # nor does the number of people matter
        assert labels(asked, relation=relation).settled(COUNTLESS).hyperparameters == plain
    assert questions == []
    delta = settle(asked, spec(1, "1e-6"), ENCODING, TRIAL, None, no_progress)
    assert delta.mechanism == "gaussian"
    fixed = Hyperparameters("objective-l2", 0.5, 0.0, 2.0, 4.0, 0.3)
    assert settle(fixed, spec(), ENCODING, TRIAL, None, no_progress) == fixed


class Sideways(OutcomeWeighted):
    """Another design, without synthetic trials."""

    name = "sideways"
    options = None  # type: ignore[assignment]


def test_nothing_is_chosen_for_a_weighting_without_synthetic_trials(
    questions: list[Question],
) -> None:
    other = spec(weighting=Sideways())
    with pytest.raises(ParameterError, match="weighting sideways: set gamma and mechanism"):
        settled(OPEN, other)
    assert questions == []
    assert settled(replace(OPEN, gamma=4.0), other) == settled(replace(OPEN, gamma=4.0), spec())
    problem = Problem(other, ENCODING, replace(OPEN, gamma=4.0)).settled(None)
    assert problem.spec.weighting == Sideways()  # and it stays what it was


def test_a_settled_problem_has_every_hyperparameter_in_its_place(
    questions: list[Question],
) -> None:
    found = labels().settled(9)
    assert (found.spec.mechanism, found.spec.gamma) == ("objective-l2", 60.0)  # 20 W
    assert found.spec.chosen == found.hyperparameters.chosen
    assert found.encoding == ENCODING.changed(intercept=0.5, saturation=1.5)
    assert found.hyperparameters.threshold == 0.25


def test_the_paper_s_encoding_is_never_saturated() -> None:
    paper = ENCODING.changed(kind="paper")
    with pytest.raises(ParameterError, match="has no saturation"):
        settle(replace(OPEN, saturation=2.0), spec(), paper, TRIAL, 30, no_progress)


@pytest.mark.parametrize("reach", [5.0, 5e9, 5e11])
@pytest.mark.parametrize("epsilon", ["0.01", "0.1"])
def test_a_choice_can_be_released_whatever_the_size_of_the_weights(
    reach: float, epsilon: str
) -> None:
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, size=(40, 2))
    rule = PrivateTreatmentRule(
        epsilon,
        feature_bounds=(-1, 1),
        benefit_bounds=(-reach, reach),
        benefit_clip="range",
        propensity={"a": 0.5, "b": 0.5},
        random_state=1,
    )
    rule.fit(X, rng.choice(["a", "b"], 40), rng.uniform(-reach, reach, 40))
    assert rule.release_.certificate.gamma <= LARGEST
