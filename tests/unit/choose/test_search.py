"""Successive halving keeps the best, respects what is fixed, and always takes the same effort."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from tests.unit.choose.questions import NONE, question

from dpwerm.arrays import FloatArray
from dpwerm.choose import search as searching
from dpwerm.choose.grid import gammas, grid, others, thresholds
from dpwerm.choose.hyperparameters import Hyperparameters
from dpwerm.choose.question import Outcome, Question
from dpwerm.choose.search import ROUNDS, search
from dpwerm.choose.shares import Key
from dpwerm.errors import ParameterError
from dpwerm.simulate.judged import Judged, SyntheticTrials

Merit = Callable[[Hyperparameters, float], float | None]


@dataclass
class Stub:
    """A rehearsal that knows how good every setting is, and remembers what it was asked."""

    question: Question
    synthetic: SyntheticTrials
    draws: int
    seed: tuple[int, ...]
    weight: float

    merit: ClassVar[Merit]
    rounds: ClassVar[list[list[Key]]]

    def __post_init__(self) -> None:
        self.rounds.append([])

    def scores(self, setting: Hyperparameters, path: Sequence[float]) -> dict[float, FloatArray]:
        assert list(path) == sorted(path, reverse=True)
        self.rounds[-1] += [(setting, gamma) for gamma in path]
        found: dict[float, FloatArray] = {}
        for gamma in path:
            merit = type(self).merit(setting, gamma)
            if merit is not None:
                # Each threshold has a merit of its own, and the last is the best.
                places = np.arange(len(thresholds(self.question)), dtype=np.float64)
                found[gamma] = merit + 0.01 * places
        return found

    def each(self, setting: Hyperparameters, path: Sequence[float]) -> dict[float, FloatArray]:
        """Return scores on a hundred trials, which a guard moves up and down by 1."""
        moved = np.resize([-1.0, 1.0], 100) * (setting.guard is not None)
        path = sorted(path, reverse=True)
        return {g: one[:, None] + moved for g, one in self.scores(setting, path).items()}

    def judged(self, winner: Hyperparameters) -> Judged:
        """Tell a number of the winner, so that it is seen who was judged."""
        assert winner.gamma is not None
        assert winner.threshold is not None
        return Judged(0.9, 1 / (1 + winner.gamma), winner.threshold)


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> type[Stub]:
    monkeypatch.setattr(searching, "Rehearsal", Stub)
    Stub.rounds = []
    return Stub


def spread(setting: Hyperparameters, gamma: float) -> float:
    """Return a merit in (0, ½) that differs for every key."""
    sizes = zip(shape(setting), (12.9, 78.2, 37.7, 5.3, 91.7, 29.3), strict=True)
    number = math.sin(sum((one or 0.0) * size for one, size in sizes) + gamma * 4.1)
    return 0.25 + 0.2 * number + 0.01 * len(str(setting.mechanism))


def shape(one: Hyperparameters) -> tuple[float | None, ...]:
    """Return everything but mechanism, γ and threshold; intercept and saturation are never open."""
    assert one.intercept is not None
    assert one.saturation is not None
    return one.clip, one.intercept, one.saturation, one.width, one.main, one.mean


ASKED = question()
ESTIMATORS = ASKED.estimators


def whole_grid(asked: Question, mechanism: str) -> set[Key]:
    return {
        (setting, gamma) for setting in grid(asked, mechanism) for gamma in gammas(asked, setting)
    }


def test_every_round_keeps_the_best_of_the_last(stub: type[Stub]) -> None:
    stub.merit = staticmethod(spread)
    choice = search(ASKED)
    assert len(stub.rounds) == len(ROUNDS)
    assert set(stub.rounds[0]) == whole_grid(ASKED, "objective-block")
    for round_, before, after in zip(ROUNDS[:-1], stub.rounds, stub.rounds[1:], strict=False):
        ranked = sorted(set(before), key=lambda key: -spread(*key))
        led = {key for key in after if key[0].mechanism == "objective-block"}
        first = {name: next(k for k in ranked if k[0].estimator == name) for name in ESTIMATORS}
        kept = {*ranked[: round_.keep], *first.values()}
        more = others(ASKED, list(kept)) if after is stub.rounds[1] else []
        assert led == kept | {*more}
        assert len(more) > len(kept) or not more
    last = max(stub.rounds[-1], key=lambda key: spread(*key))
    assert (choice.mechanism, choice.gamma) == (last[0].mechanism, last[1])
    assert shape(choice.hyperparameters) == shape(last[0])


def test_no_key_is_tried_twice_in_a_round(stub: type[Stub]) -> None:
    stub.merit = staticmethod(spread)
    search(ASKED)
    for keys in stub.rounds:
        assert len(set(keys)) == len(keys)


def test_other_mechanisms_come_in_the_last_round_with_the_best_settings(stub: type[Stub]) -> None:
    stub.merit = staticmethod(spread)
    search(ASKED)
    for keys in stub.rounds[:-1]:
        assert {setting.mechanism for setting, _ in keys} == {"objective-block"}
    rivals = [key for key in stub.rounds[-1] if key[0].mechanism != "objective-block"]
    assert {setting.mechanism for setting, _ in rivals} == {"objective-l2", "spherical-laplace"}
    best = max(stub.rounds[-2], key=lambda key: spread(*key))[0]
    assert shape(best) in {shape(one) for one, _ in rivals}


@pytest.mark.parametrize("winner", ["objective-l2", "spherical-laplace"])
def test_a_rival_can_win(stub: type[Stub], winner: str) -> None:
    stub.merit = staticmethod(
        lambda setting, gamma: spread(setting, gamma) / 2 + 0.4 * (setting.mechanism == winner)
    )
    choice = search(ASKED)
    assert choice.mechanism == winner
    others = {"objective-block", "objective-l2", "spherical-laplace"} - {winner}
    beside = {*ESTIMATORS} - {choice.hyperparameters.estimator}
    assert set(choice.rivals) == others | beside
    assert max(choice.rivals.values()) <= choice.score


@pytest.mark.parametrize("winner", ESTIMATORS)
def test_every_estimator_is_compared_to_the_end_and_can_win(stub: type[Stub], winner: str) -> None:
    """One that is worse in every round still has its best in the last, beside the winner."""
    stub.merit = staticmethod(
        lambda setting, gamma: spread(setting, gamma) / 2 + 0.4 * (setting.estimator == winner)
    )
    choice = search(ASKED)
    assert choice.hyperparameters.estimator == winner
    for keys in stub.rounds:
        assert {setting.estimator for setting, _ in keys} == {*ESTIMATORS}
    for name in {*ESTIMATORS} - {winner}:
        of_name = [key for key in stub.rounds[-1] if key[0].estimator == name]
        # The Stub's last threshold is the best, by 0.01 for each.
        best = max(spread(*key) / 2 for key in of_name) + 0.01 * (len(thresholds(ASKED)) - 1)
        assert choice.rivals[name] == pytest.approx(best)


def test_what_has_no_plan_is_dropped(stub: type[Stub]) -> None:
    """The settings that would score best have no plan: they must not even be tried again."""

    def merit(setting: Hyperparameters, gamma: float) -> float | None:
        return None if gamma < 5 or setting.intercept == 1.0 else 0.4 - gamma / 1e6

    stub.merit = staticmethod(merit)
    choice = search(ASKED)
    assert choice.gamma >= 5
    assert choice.hyperparameters.intercept != 1.0
    led = [key for keys in stub.rounds[1:] for key in keys if key[0].mechanism == "objective-block"]
    assert led
    assert all(merit(*key) is not None for key in led)


def test_a_rival_without_a_plan_is_no_fault(stub: type[Stub]) -> None:
    stub.merit = staticmethod(
        lambda setting, gamma: spread(setting, gamma) if "block" in str(setting.mechanism) else None
    )
    choice = search(ASKED)
    assert choice.mechanism == "objective-block"
    assert set(choice.rivals) == {*ESTIMATORS} - {choice.hyperparameters.estimator}


def test_where_nothing_has_a_plan_there_is_an_error_that_helps(stub: type[Stub]) -> None:
    stub.merit = staticmethod(lambda setting, gamma: None)
    with pytest.raises(ParameterError, match="set gamma and mechanism by hand"):
        search(ASKED)


def test_what_is_fixed_is_never_varied(stub: type[Stub]) -> None:
    stub.merit = staticmethod(spread)
    fixed: dict[str, Any] = {"clip": 0.33, "intercept": 0.77, "saturation": 1.25}
    choice = search(question(mechanism="product-laplace", threshold=0.11, **fixed))
    expected = Hyperparameters("product-laplace", estimator="outcome-weighted", **fixed, **NONE)
    assert {setting for keys in stub.rounds for setting, _ in keys} == {expected}
    assert choice.mechanism == "product-laplace"
    assert shape(choice.hyperparameters) == (*fixed.values(), None, None, None)
    assert choice.hyperparameters.threshold == 0.11
    assert choice.rivals == {}


def test_score_gain_and_harm_are_those_of_the_threshold_chosen(stub: type[Stub]) -> None:
    stub.merit = staticmethod(spread)
    choice = search(ASKED)
    found = choice.hyperparameters
    assert found.threshold is not None
    place = thresholds(ASKED).index(found.threshold)
    assert choice.score == pytest.approx(spread(found, choice.gamma) + 0.01 * place)
    assert choice.accuracy == 0.9
    assert (choice.gain, choice.harm) == (1 / (1 + choice.gamma), found.threshold)


def test_a_threshold_that_wins_too_little_is_not_applied(
    stub: type[Stub], monkeypatch: pytest.MonkeyPatch
) -> None:
    stub.merit = staticmethod(spread)
    won = 0.01 * (len(thresholds(ASKED)) - 1)
    monkeypatch.setattr(searching, "WORTH_IT", won + 1e-9)
    assert search(ASKED).hyperparameters.threshold == 0.0
    monkeypatch.setattr(searching, "WORTH_IT", won - 1e-9)
    assert search(ASKED).hyperparameters.threshold == thresholds(ASKED)[-1]


@pytest.mark.parametrize(
    ("won", "fixed", "taken"),
    [(-0.1, None, None), (0.09, None, None), (0.11, None, 0.4), (-1.0, 0.3, 0.3)],
)
def test_a_guard_that_wins_less_than_its_standard_error_is_left_out(
    won: float, fixed: float | None, taken: float | None, stub: type[Stub]
) -> None:
    stub.merit = staticmethod(
        lambda setting, gamma: 0.1 * (gamma == 30) + won * (setting.guard is not None)
    )
    shares: dict[str, Any] = {"guard": fixed, "feature_ranges": 0.0}
    choice = search(question(n=500, estimator="contrast", **shares))
    assert choice.hyperparameters.guard == taken


def test_ties_go_to_the_first(stub: type[Stub]) -> None:
    stub.merit = staticmethod(lambda setting, gamma: 0.5)
    choice = search(ASKED)
    first = stub.rounds[0][0]
    assert (choice.mechanism, choice.gamma) == (first[0].mechanism, first[1])


@pytest.mark.parametrize("asked", [ASKED, question((3,), mechanism="gaussian", delta="1e-6")])
def test_progress_rises_to_one(stub: type[Stub], asked: Question) -> None:
    stub.merit = staticmethod(spread)
    shares: list[float] = []
    search(asked, shares.append)
    assert shares == sorted(shares)
    assert 0 < shares[0] < 1
    assert shares[-1] == pytest.approx(1.0, abs=1e-9)
    assert len(shares) >= len(ROUNDS)


@pytest.mark.parametrize("n", [1, 2, 60, 3_000, 10**6, 10**12])
@pytest.mark.parametrize("widths", [(0,), (0,) * 30])
def test_rows_stand_for_all_people_and_never_grow_without_limit(
    widths: tuple[int, ...], n: int
) -> None:
    asked = question(widths, n=n)
    one = searching._rehearsal(asked, ROUNDS[0], 0, searching._grid(asked, "objective-block"))
    problems, rows = one.synthetic.arm.shape
    assert ROUNDS[0].problems <= problems <= ROUNDS[0].most
    assert 1 <= rows <= min(2 * n, 5_000)
    # Each person stands in both arms where fewer stand for all; together they count for n.
    counts = one.synthetic.counts if one.synthetic.counts.size else np.ones((1, rows))
    np.testing.assert_allclose(one.weight * counts.sum(axis=1), n)


def test_small_problems_are_tried_more_often() -> None:
    few, many = (question((0,), n=n) for n in (60, 30_000))
    counts = [
        len(searching._rehearsal(one, ROUNDS[-1], 2, searching._grid(one, "m")).synthetic.arm)
        for one in (few, many)
    ]
    assert counts[0] == ROUNDS[-1].most > counts[1] >= ROUNDS[-1].problems


KEYS: list[Key] = [(next(grid(ASKED, "objective-block")), 1.0)]
"""One fit, so that as many rows are simulated as there are people."""


def test_every_round_has_problems_and_random_numbers_of_its_own() -> None:
    first, second, again = (searching._rehearsal(ASKED, ROUNDS[0], i, KEYS) for i in (0, 1, 0))
    assert not np.array_equal(first.synthetic.X, second.synthetic.X)
    assert first.seed != second.seed
    np.testing.assert_array_equal(first.synthetic.X, again.synthetic.X)


def test_labels_and_trials_are_simulated_each_in_their_way() -> None:
    labels = searching._rehearsal(question(outcome=Outcome.of_labels()), ROUNDS[0], 0, KEYS)
    assert (labels.synthetic.probability == 1).all()
    third = Outcome(0.0, True, (0.25, 0.25), 0.25)
    trial = searching._rehearsal(question(outcome=third), ROUNDS[0], 0, KEYS)
    assert set(np.unique(trial.synthetic.probability)) == {0.25, 0.75}
