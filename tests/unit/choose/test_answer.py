"""Every question has an answer that its mechanism accepts, and always the same."""

import json
import os
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from tests.unit.choose.questions import TRIAL, question
from tests.unit.features.domains import Curved

from dpwerm.choose import settle as answers
from dpwerm.choose.grid import ABOVE_FLOOR, floor_of, mechanisms
from dpwerm.choose.question import FIXED, Choice, Outcome, Question
from dpwerm.choose.settle import MOST_COLUMNS, answer, key_of, narrowed, told_of
from dpwerm.errors import ParameterError
from dpwerm.objective.losses import HuberisedHinge, Logistic
from dpwerm.objective.regularizers import Ridge
from dpwerm.privacy.budget import Budget, Relation
from dpwerm.privacy.weight_origin import ExternalModel, KnownByDesign, WorstCase
from dpwerm.releases.certificate import certify
from dpwerm.simulate.judged import MOST_LOST
from dpwerm.weighting.contract import WEIGHTINGS

BOUNDS = (1e-6, 1.0, 37.5, 1e4)
"""Weight bounds at which an answer is tried."""


def check(choice: Choice, asked: Question) -> None:
    """Check that a fit accepts a choice at any W, and that what was fixed stayed."""
    found = choice.hyperparameters
    assert choice.mechanism in mechanisms(asked)
    assert found.estimator in asked.estimators
    for name in FIXED:
        fixed = getattr(asked.fixed, name)
        assert fixed is None or fixed == getattr(found, name)
    own = WEIGHTINGS[found.estimator].options  # type: ignore[attr-defined]
    for name in ("clip", "width", "main", "mean", "degree"):
        assert (getattr(found, name) is not None) == (name in own)
    assert found.threshold is not None
    assert 0 < (1 if found.clip is None else found.clip) <= 1
    assert 0 <= found.threshold < 1
    assert 0 <= choice.accuracy <= 1
    assert (choice.gain is None) == (choice.harm is None) == asked.outcome.labels
    if choice.gain is not None and choice.harm is not None:
        assert -MOST_LOST <= choice.gain <= 1
        assert 0 <= choice.harm <= 1
    settings = replace(found, chosen=told_of(choice, []))
    if asked.spec.regularizer != Ridge():  # such a regulariser is none that a certificate can name
        asked.calibration(found, choice.gamma)
        return
    spec, encoding = asked.designed(found)
    for bound in BOUNDS:
        certify(
            settings.specification(spec, bound if spec.is_outcome_weighted else 1.0),
            encoding,
            asked.n,
            secure=True,
            library="x",
        )


ONE: dict[str, Any] = {"clip": 1.0, "intercept": 1.0, "saturation": 1.0}
QUESTIONS: dict[str, Question] = {
    "one person": question(n=1),
    "two people": question(n=2),
    "very many people": question(n=10**9),
    "epsilon 1e-4": question(epsilon="1e-4"),
    "epsilon 1e-6": question(epsilon="1e-6"),
    "epsilon 1e-6, delta": question(epsilon="1e-6", delta="1e-9"),
    "epsilon 100": question((0,), n=8, epsilon=100, **ONE),
    "no privacy": question(epsilon="inf"),
    "delta": question(delta="1e-6"),
    "zcdp": question(budget=Budget.zcdp("0.1")),
    "gdp": question((0, 3), budget=Budget.gdp("0.5")),
    "add/remove": question(relation=Relation.ADD_REMOVE),
    "worst case": question(origin=WorstCase()),
    "worst case, delta": question(origin=WorstCase(), delta="1e-6"),
    "worst case, one person": question(origin=WorstCase(), n=1),
    "external": question(origin=ExternalModel()),
    "another regulariser": question(regularizer=Curved(), open_method=False),
    "logistic": question(loss=Logistic()),
    "narrow bend": question(loss=HuberisedHinge(1e-3)),
    "paper": question(kind="paper"),
    "categories": question((1, 3, 5)),
    "two levels": question((1,)),
    "labels": question(outcome=Outcome.of_labels()),
    "rare arm": question(outcome=Outcome(0.0, True, (0.01, 0.01), 0.01)),
    "propensities": question(outcome=Outcome(0.0, True, (0.05, 0.95), 0.05)),
    "non-negative": question(outcome=Outcome(-1.0, False, (0.5, 0.5), 0.5)),
    "centre near the upper end": question(outcome=Outcome(0.999, False, (0.5, 0.5), 0.5)),
    "wide": question((0,) * 100),
    "wide, paper": question((0,) * 40, kind="paper"),
    "wide, epsilon 1e-4": question((0,) * 100, epsilon="1e-4"),
    "wide, epsilon 1e-6": question((0,) * 100, epsilon="1e-6"),
    "wide, no privacy": question((0,) * 100, epsilon="inf"),
    "wide, one person": question((0,) * 100, n=1),
    "wide, worst case": question((0,) * 100, origin=WorstCase()),
    "wide, fixed": question((0,) * 50, mechanism="objective-l2", threshold=0.5, **ONE),
    "one wide category": question((300,)),
    "a number and a wide category": question((0, 300)),
    "wide categories": question((40, 0, 50, 1)),
    "all levels allowed": question((1_000, 1_000)),
}


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.usefixtures("quick", "cold")
def test_every_question_has_an_answer_that_a_fit_accepts(name: str) -> None:
    asked = QUESTIONS[name]
    choice = answer(asked)
    check(choice, asked)
    assert answer(asked) == choice


def some_question(labels: bool, **other: Any) -> Question:
    if labels:
        other |= {"outcome": Outcome.of_labels(), "clip": None}
    if other["epsilon"] == "inf":
        other["delta"] = 0
    return question(other.pop("widths"), **other)


questions = st.builds(
    some_question,
    labels=st.booleans(),
    widths=st.lists(st.sampled_from([0, 0, 1, 3, 12]), min_size=1, max_size=5),
    kind=st.sampled_from(["centred", "centred", "paper"]),
    n=st.one_of(st.integers(1, 30), st.integers(30, 10**5)),
    epsilon=st.one_of(
        st.sampled_from(["1e-6", "1e-4", "inf"]),
        st.floats(0.01, 3).map(lambda epsilon: f"{epsilon:.3g}"),
    ),
    delta=st.sampled_from([0, 0, "1e-6"]),
    relation=st.sampled_from(list(Relation)),
    loss=st.sampled_from([HuberisedHinge(), Logistic()]),
    origin=st.sampled_from([KnownByDesign(), ExternalModel()]),
    outcome=st.sampled_from([TRIAL, Outcome(0.2, True, (0.2, 0.8), 0.2)]),
    clip=st.sampled_from([None, 0.3]),
    intercept=st.sampled_from([None, 0.0, 1.0]),
    threshold=st.sampled_from([None, 0.2]),
)


@hypothesis_settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(asked=questions)
@pytest.mark.usefixtures("quick", "cold")
def test_whatever_is_asked_a_fit_accepts_the_answer(asked: Question) -> None:
    check(answer(asked), asked)


# -- where the leading mechanism makes no claim ----------------------------------------------


@pytest.mark.usefixtures("quick", "cold")
def test_without_objective_perturbation_all_that_is_left_is_compared() -> None:
    shares: list[float] = []
    choice = answer(question((0,), origin=WorstCase(), delta="1e-6"), shares.append)
    assert {choice.mechanism, *choice.rivals} == {"spherical-laplace", "gaussian"}
    assert choice.score >= max(choice.rivals.values())
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (question(mechanism="gaussian"), "needs delta above 0"),
        (question(mechanism="none"), "needs epsilon = inf"),
        (question(mechanism="objective-l2", origin=WorstCase()), "origin worst_case use"),
        (question(mechanism="objective-l2", epsilon="1e-6"), r"at least 0\.0001"),
        (question(mechanism="objective-l2", regularizer=Curved()), "needs the regularizer ridge"),
        (question(origin=WorstCase(), relation=Relation.ADD_REMOVE), "worst_case"),
    ],
)
@pytest.mark.usefixtures("cold")
def test_where_nothing_can_be_claimed_the_error_says_why(asked: Question, reason: str) -> None:
    with pytest.raises(ParameterError, match=reason):
        answer(asked)


# -- wide studies ------------------------------------------------------------------------------


@pytest.mark.parametrize("widths", [(0,), (0,) * 32, (32,), (1, 30, 0)])
def test_what_is_not_wide_is_asked_as_it_is(widths: tuple[int, ...]) -> None:
    assert narrowed(question(widths)) is None


@hypothesis_settings(max_examples=60, deadline=None)
@given(
    widths=st.lists(st.sampled_from([0, 0, 1, 3, 20, 200]), min_size=1, max_size=80),
    n=st.integers(1, 10**9),
)
def test_a_wide_question_becomes_one_about_fewer_columns_and_fewer_people(
    widths: list[int], n: int
) -> None:
    columns = sum(max(width, 1) for width in widths)
    narrow = narrowed(question(widths, n=n))
    if columns <= MOST_COLUMNS:
        assert narrow is None
        return
    assert narrow is not None
    used = narrow.encoding.n_columns
    # At most two columns of room are left: no category is cut to fewer than three levels.
    assert MOST_COLUMNS - 2 <= used <= MOST_COLUMNS or max(widths) < 2
    assert narrow.n <= n
    assert narrow.n == min(n, max(20, n * used // columns))
    known = iter(widths)
    for width in narrow.widths:
        assert any(width == whole or 3 <= width < whole for whole in known)


@pytest.mark.usefixtures("quick", "cold")
def test_gamma_of_a_wide_study_stands_against_all_of_its_people() -> None:
    asked = question((0,) * 64, n=1000, epsilon=2)
    narrow = narrowed(asked)
    assert narrow is not None
    small, large = answer(narrow), answer(asked)
    assert large.mechanism == small.mechanism
    floor = floor_of(asked, small.hyperparameters)
    expected = max(2 * small.gamma, ABOVE_FLOOR[0] * floor)
    assert large.gamma == pytest.approx(expected, rel=0.01)


# -- always the same -----------------------------------------------------------------------------

SCRIPT = """
import json, sys
from dataclasses import asdict
from dpwerm.choose import grid, search
from dpwerm.choose.search import Round
from tests.unit.choose.questions import question
from dpwerm.choose.settle import answer
search.ROUNDS = (Round(2, 2, 6), Round(3, 2, 3), Round(6, 2, 1))
grid.GAMMAS = grid.GAMMAS[::3]
found = [asdict(answer(question((0, 0, 3, 1), n=900)))]
print(json.dumps(found))
"""


def in_a_fresh_process(folder: Path, threads: int) -> Any:
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = os.environ | dict.fromkeys(names, str(threads))
    root = Path(__file__).parents[3]
    path = os.pathsep.join([str(root / "src"), str(root)])
    environment |= {"DPWERM_CACHE": str(folder), "PYTHONPATH": path, "PYTHONHASHSEED": "0"}
    if threads > 1:
        environment["PYTHONHASHSEED"] = "77"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, check=True, text=True
    )
    return json.loads(done.stdout)


def test_a_fresh_process_with_other_threads_and_a_cold_cache_finds_the_same(
    tmp_path: Path,
) -> None:
    one = in_a_fresh_process(tmp_path / "one", threads=1)
    assert one == in_a_fresh_process(tmp_path / "two", threads=2)
    kept = sorted(path.read_text() for path in (tmp_path / "one").iterdir())
    assert kept == sorted(path.read_text() for path in (tmp_path / "two").iterdir())
    assert sorted(kept) == sorted(json.dumps(choice, indent=2) for choice in one)


@pytest.mark.usefixtures("quick")
def test_the_same_question_has_the_same_answer_with_a_cold_cache(cold: Path) -> None:
    asked = question((0, 3))
    first = answer(asked)
    assert [path.stem for path in cold.iterdir()] == [key_of(asked)]
    next(cold.iterdir()).unlink()
    answers._MEMORY.clear()
    assert answer(asked) == first


@pytest.mark.usefixtures("quick")
def test_another_version_of_the_library_asks_again(
    cold: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = question((1,))
    first = answer(asked)
    monkeypatch.setattr(answers, "__version__", "another")
    assert asdict(answer(asked)) == asdict(first)
    assert len(list(cold.iterdir())) == 2
