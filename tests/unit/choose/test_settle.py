"""Settings: what is fixed stays, the rest is chosen from the number of rows and nothing else."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpwerm import PrivateTreatmentRule, PrivateWeightedClassifier
from dpwerm.choose import answer as answers
from dpwerm.choose import candidates, search
from dpwerm.choose.answer import folder
from dpwerm.choose.question import Choice, Outcome, Question
from dpwerm.choose.search import Round
from dpwerm.choose.settings import (
    Asked,
    Settings,
    people,
    plain_settings,
    planned_of,
    saturation_of,
    scale_of,
    settings_for,
    threshold_of,
)
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms.contract import no_progress
from dpwerm.parameters import LARGEST, SMALLEST
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.relation import Relation
from dpwerm.releases.certificate import certify
from dpwerm.releases.specification import Chosen, Specification
from dpwerm.simulate import synthetic as proxies

ENCODING = Encoding.of_numbers(["a", "b"], [(0.0, 1.0), (-5.0, 5.0)])
OPEN = Asked(
    gamma=None, mechanism=None, intercept=None, saturation=None, threshold=None, planned_n=None
)
TRIAL = Outcome(0.0, signed=True, propensity=(0.5, 0.5), pi_min=0.5)


def spec(epsilon: object = 1, delta: object = 0, **other: Any) -> Specification:
    return Specification(Budget.of(epsilon, delta), 1.0, 3.0, **other)  # type: ignore[arg-type]


@pytest.fixture
def quick(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Search a little, with a cache of its own and nothing remembered."""
    monkeypatch.setenv("DPWERM_CACHE", str(tmp_path))
    monkeypatch.setattr(answers, "_MEMORY", {})
    monkeypatch.setattr(search, "ROUNDS", (Round(2, 1, 4), Round(2, 1, 2), Round(2, 1, 1)))
    monkeypatch.setattr(proxies, "TESTS", 40)
    for name in ("CLIPS", "INTERCEPTS", "SATURATIONS"):
        monkeypatch.setattr(candidates, name, getattr(candidates, name)[:2])


def forget() -> None:
    """Let the next question be searched again."""
    answers._MEMORY.clear()
    for path in folder().iterdir():
        path.unlink()


@pytest.fixture
def questions(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    """Answer every question without a search, and return the list of what was asked."""
    asked: list[Question] = []

    def answered(question: Question, on_progress: Any) -> Choice:
        asked.append(question)
        on_progress(0.5)
        return Choice("objective-l2", 20.0, 0.4, 0.5, 1.5, 0.25, 0.9, {}, 4, question.n)

    monkeypatch.setattr("dpwerm.choose.settings.answer", answered)
    return asked


class Untouchable:
    """Rows that have a number and raise on everything else that one may ask of them."""

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "_n", n)

    def __len__(self) -> int:
        return int(object.__getattribute__(self, "_n"))

    def __getattribute__(self, name: str) -> Any:
        raise AssertionError(f"{name} of sensitive rows was touched")

    def _refuse(self, *_: object, **__: object) -> Any:
        raise AssertionError("sensitive rows were touched")

    __getitem__ = __iter__ = __contains__ = __array__ = __bool__ = __eq__ = __hash__ = _refuse
    __repr__ = __str__ = __format__ = __reduce_ex__ = __dir__ = __reversed__ = _refuse
    __setattr__ = __delattr__ = __lt__ = __le__ = __gt__ = __ge__ = __ne__ = _refuse
    __index__ = __int__ = __float__ = __call__ = __add__ = __mul__ = __sizeof__ = _refuse


class Countless(Untouchable):
    """Rows whose number is sensitive too."""

    def __len__(self) -> int:
        raise AssertionError("the number of rows is sensitive here")


def test_the_untouchable_rows_would_notice() -> None:
    rows: Any = Untouchable(3)
    assert len(rows) == 3
    for touch in (list, np.asarray, repr, bool, lambda one: one[0], lambda one: one.shape):
        with pytest.raises(AssertionError, match="touched"):
            touch(rows)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("outcome", [TRIAL, Outcome.of_labels()], ids=["trial", "labels"])
def test_of_the_rows_only_their_number_is_asked(outcome: Outcome) -> None:
    chosen = settings_for(OPEN, spec(), ENCODING, outcome, Untouchable(30), no_progress)
    forget()
    again = settings_for(OPEN, spec(), ENCODING, outcome, [0] * 30, no_progress)
    assert chosen == again
    assert chosen.chosen is not None


@pytest.mark.usefixtures("quick")
def test_under_add_remove_not_even_their_number() -> None:
    asked = replace(OPEN, planned_n=30)
    relation = spec(relation=Relation.ADD_REMOVE)
    first = settings_for(asked, relation, ENCODING, TRIAL, Countless(7), no_progress)
    forget()
    other = settings_for(asked, relation, ENCODING, TRIAL, [0] * 30_000, no_progress)
    assert first == other


def test_under_add_remove_the_planned_number_is_needed(questions: list[Question]) -> None:
    relation = spec(relation=Relation.ADD_REMOVE)
    with pytest.raises(ParameterError, match="needs planned_n"):
        settings_for(OPEN, relation, ENCODING, TRIAL, Countless(7), no_progress)
    assert questions == []


def test_a_planned_number_is_used_under_either_relation(questions: list[Question]) -> None:
    for relation in Relation:
        asked = replace(OPEN, planned_n=123)
        of = spec(relation=relation)
        settings_for(asked, of, ENCODING, TRIAL, Countless(7), no_progress)
    assert [question.n for question in questions] == [123, 123]
    assert people(OPEN, spec()) == 1
    assert people(OPEN, spec(), []) == 1
    assert people(OPEN, spec(), [1, 2]) == 2


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
    asked = Asked(
        gamma=None,
        mechanism="objective-l2",
        intercept=0.5,
        saturation=2.0,
        threshold=0.1,
        planned_n=None,
        clip=0.3,
    )
    settings_for(asked, spec(2, "1e-6"), ENCODING, TRIAL, [0] * 9, no_progress)
    (question,) = questions
    fixed = (question.mechanism, question.clip, question.intercept)
    assert fixed == ("objective-l2", 0.3, 0.5)
    assert (question.saturation, question.threshold, question.n) == (2.0, 0.1, 9)
    assert question.budget == Budget.of(2, "1e-6")
    assert question.encoding == ENCODING
    assert question.outcome == TRIAL


def test_without_privacy_the_mechanism_is_no_question(questions: list[Question]) -> None:
    asked = replace(OPEN, mechanism="gaussian")
    settings_for(asked, spec("inf"), ENCODING, TRIAL, [0] * 9, no_progress)
    assert questions[0].mechanism is None


def test_a_certificate_names_what_was_open_and_nothing_else(questions: list[Question]) -> None:
    def chosen(asked: Asked, outcome: Outcome = TRIAL) -> set[str]:
        found = settings_for(asked, spec(), ENCODING, outcome, [0] * 9, no_progress).chosen
        assert found is not None
        return set(found.settings)

    every = {"gamma", "mechanism", "clip", "intercept_scale", "saturation", "threshold"}
    assert chosen(OPEN) == every
    assert chosen(OPEN, Outcome.of_labels()) == every - {"clip"}
    fixed: dict[str, Any] = {"clip": 0.5, "intercept": 1.0, "saturation": 1.0, "threshold": 0.0}
    assert chosen(replace(OPEN, mechanism="objective-l2", **fixed)) == {"gamma"}


def test_stages_tell_how_far_and_never_a_value(questions: list[Question]) -> None:
    stages: list[str] = []
    settings_for(OPEN, spec(), ENCODING, TRIAL, [0] * 9, stages.append)
    assert stages == [
        "choosing settings on simulated data",
        "choosing settings on simulated data: 50%",
    ]


def test_an_explicit_gamma_switches_the_simulation_off(questions: list[Question]) -> None:
    asked = replace(OPEN, gamma=4.0)
    found = settings_for(asked, spec(), ENCODING, TRIAL, Countless(7), no_progress)
    assert found == Settings(4.0, "spherical-laplace", 1.0, 1.0, 0.0)
    assert questions == []
    delta = settings_for(asked, spec(1, "1e-6"), ENCODING, TRIAL, Countless(7), no_progress)
    assert delta.mechanism == "gaussian"
    fixed: dict[str, Any] = {"intercept": 0.0, "saturation": 2.0, "threshold": 0.3}
    kept = plain_settings(replace(asked, mechanism="objective-l2", **fixed), Budget.of(1))
    assert kept == Settings(4.0, "objective-l2", 0.0, 2.0, 0.3)


CHOSEN = Settings(20.0, "objective-l2", 0.5, 1.5, 0.25, 0.4, Chosen(("gamma",), 0.9, "because"))


@pytest.mark.parametrize("bound", [1e-9, 0.1, 1.0, 7 / 3, 1e9])
def test_a_chosen_gamma_is_in_units_of_the_weight_bound(bound: float) -> None:
    found = CHOSEN.specification(spec(), bound)
    assert found.gamma == pytest.approx(20 * bound, rel=1e-3)
    assert found.weight_bound == bound
    assert replace(CHOSEN, chosen=None).specification(spec(), bound).gamma == 20.0


def test_a_chosen_gamma_stays_within_its_range() -> None:
    assert CHOSEN.specification(spec(), LARGEST).gamma == LARGEST
    small = replace(CHOSEN, gamma=1e-10)
    assert small.specification(spec(), 1e-10).gamma == SMALLEST


def test_a_pure_mechanism_that_was_chosen_promises_no_delta() -> None:
    loose = spec(1, "1e-6", mechanism="gaussian")
    assert CHOSEN.specification(loose, 1.0).budget == Budget.of(1)
    gaussian = replace(CHOSEN, mechanism="gaussian").specification(loose, 1.0)
    assert gaussian.budget == Budget.of(1, "1e-6")
    certificate, _ = certify(
        CHOSEN.specification(loose, 1.0), ENCODING, 30, secure=True, library="x"
    )
    assert certificate.delta == "0"


def test_the_encoding_takes_intercept_and_saturation() -> None:
    encoding = CHOSEN.encoding(ENCODING)
    assert (encoding.intercept, encoding.saturation) == (0.5, 1.5)
    assert encoding.blocks == ENCODING.blocks


def test_the_paper_s_encoding_is_never_saturated() -> None:
    paper = ENCODING.changed(kind="paper")
    with pytest.raises(ParameterError, match="has no saturation"):
        CHOSEN.encoding(paper)
    with pytest.raises(ParameterError, match="has no saturation"):
        settings_for(
            replace(OPEN, saturation=2.0), spec(), paper, TRIAL, Untouchable(30), no_progress
        )


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (scale_of, [0, 0.0, 1e-12, 1.0, 1e12], [-1, 1e-13, 1e13, "1", True, None, np.nan]),
        (saturation_of, [1, 1.0, 2.5, 100], [0, 0.99, 100.1, -2, "2", True, None, np.inf]),
        (threshold_of, [0, 0.0, 0.5, 0.999], [1, 1.0, -0.1, 2, "0", False, None, np.nan]),
        (planned_of, [None, 1, 1000], [0, -1, 1.0, "10", True, np.nan]),
    ],
)
def test_each_parameter_has_its_range(check: Any, good: list[Any], bad: list[Any]) -> None:
    for value in good:
        assert check(value) == value
    for value in bad:
        with pytest.raises(ParameterError):
            check(value)


def estimator(**other: Any) -> SimpleNamespace:
    auto = dict.fromkeys(("gamma", "mechanism", "saturation", "threshold"), "auto")
    return SimpleNamespace(**{**auto, "planned_n": None, **other})


def test_auto_means_open() -> None:
    assert Asked.of(estimator(), intercept="auto") == OPEN
    known = estimator(gamma=2, mechanism="gaussian", saturation=3, threshold=0, planned_n=5)
    assert Asked.of(known, intercept=0, clip=0.5) == Asked(2.0, "gaussian", 0.0, 3.0, 0.0, 5, 0.5)


@pytest.mark.parametrize(
    "wrong",
    [
        {"gamma": "Auto"},
        {"gamma": 0},
        {"gamma": None},
        {"mechanism": "laplace"},
        {"mechanism": 3},
        {"saturation": "automatic"},
        {"threshold": 1},
        {"planned_n": 0},
    ],
    ids=str,
)
def test_a_wrong_parameter_is_named(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ParameterError, match=name):
        Asked.of(estimator(**wrong), intercept="auto")


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
