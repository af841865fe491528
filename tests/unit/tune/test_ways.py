"""Who is fitted, who scores, at what budget: the premises of the proofs, seen from outside."""

from typing import Any

import numpy as np
import pytest
from tests.unit.tune.trials import GAMMAS, N, columns, study, table

from dpwerm.arrays import FloatArray
from dpwerm.fit import fit_release
from dpwerm.mechanisms.exponential import ExponentialMechanism
from dpwerm.privacy.budget import Budget
from dpwerm.releases.release import Rule
from dpwerm.releases.tuning import WAYS
from dpwerm.tune import private as ways
from dpwerm.tune.private import SENSITIVITY, fit_tuned, score


class Seen:
    """What a tuning did: fits as (rows, γ, budget), scores as rows, choices as scores."""

    def __init__(self) -> None:
        self.fits: list[tuple[set[float], float, Any]] = []
        self.scored: list[set[float]] = []
        self.scores: list[int] = []
        self.chosen: list[tuple[str, int, Any, list[int], int]] = []
        self.releases: list[Any] = []


def names(X: FloatArray) -> set[float]:
    """Return rows by their first feature, which nobody shares."""
    return set(X[:, 0].tolist())


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    found = Seen()

    def fit(X: FloatArray, y: Any, weights: Any, **other: Any) -> Any:
        spec = other["spec"]
        found.fits.append((names(X), spec.gamma, spec.budget))
        release = fit_release(X, y, weights, **other)
        found.releases.append(release)
        return release

    def scored(release: Any, rows: Any, declaration: Any) -> int:
        found.scored.append(names(rows.X))
        found.scores.append(score(release, rows, declaration))
        return found.scores[-1]

    choose = ExponentialMechanism.choose

    def chosen(self: ExponentialMechanism, scores: list[int], bits: Any) -> int:
        index = choose(self, scores, bits)
        found.chosen.append((self.name, self.sensitivity, self.budget, list(scores), index))
        return index

    monkeypatch.setattr("dpwerm.fit.fit_release", fit)
    monkeypatch.setattr(ways, "score", scored)
    monkeypatch.setattr(ExponentialMechanism, "choose", chosen)
    return found


def tuned(how: str, seed: int | None = 1, data: Any = None, epsilon: Any = 1) -> Rule:
    given = table() if data is None else data
    asked: dict[str, Any] = {"how": how, "gammas": GAMMAS, "random_state": seed}
    return fit_tuned(study(), given, epsilon=epsilon, ledger="none", **asked)


@pytest.mark.parametrize(
    ("how", "name", "epsilon"),
    [
        ("parts", "exponential", "1"),
        ("split", "exponential", "0.3"),
    ],
)
@pytest.mark.parametrize("seed", [None, 1])
def test_candidates_are_fitted_on_folds_of_their_own(
    how: str, name: str, epsilon: str, seed: int | None, seen: Seen
) -> None:
    rule = tuned(how, seed)
    budget = Budget.of(epsilon)
    candidates = seen.fits[:3]
    assert [gamma for _, gamma, _ in candidates] == list(GAMMAS)
    assert [spent for _, _, spent in candidates] == [budget] * 3
    (last,) = {frozenset(rows) for rows in seen.scored}
    folds = [rows for rows, _, _ in candidates] + [set(last)]
    assert [len(rows) for rows in folds] == [15] * 4
    assert len(set.union(*folds)) == N
    ((chooser, sensitivity, spent, scores, index),) = seen.chosen
    assert (chooser, sensitivity, spent) == (name, SENSITIVITY, budget)
    assert scores == seen.scores
    assert rule.release.certificate.gamma == GAMMAS[index]
    if how == "split":
        ((rows, gamma, rest),) = seen.fits[3:]
        assert (len(rows), gamma, rest) == (N, GAMMAS[index], Budget.of("0.7"))
        assert rule.release is seen.releases[3]
    else:
        assert len(seen.fits) == 3
        assert rule.release is seen.releases[index]


@pytest.mark.parametrize("how", WAYS)
def test_folds_do_not_look_at_the_rows(how: str, seen: Seen) -> None:
    """The same seed deals the same positions, whatever stands there."""
    places = []
    for seed in (0, 9):
        data = columns(seed=seed)
        before = len(seen.fits)
        tuned(how, 7, table(seed=seed))
        rows = seen.fits[before][0]
        places.append({i for i, x in enumerate(data["x"]) if np.any(np.isclose(x, list(rows)))})
    assert places[0] == places[1]


def test_folds_are_dealt_anew_each_time(seen: Seen) -> None:
    for _ in range(2):
        tuned("parts", None)
    assert seen.fits[0][0] != seen.fits[3][0]


def test_one_person_moves_one_fit_or_the_scores_alone(seen: Seen) -> None:
    """The parallel composition, in one picture: without noise, row by row."""
    tuned("parts", 5, epsilon="inf")
    base_fits = [release.integers for release in seen.releases]
    base_rows = [rows for rows, _, _ in seen.fits]
    data = columns()
    moved_fits = moved_scores = 0
    for i in range(0, N, 6):
        before = len(seen.fits)
        outcome = data["outcome"].copy()
        outcome[i] = 4.0 - outcome[i]
        tuned("parts", 5, table(outcome=outcome), epsilon="inf")
        now = [release.integers for release in seen.releases[before:]]
        x = data["x"][i]
        here = [bool(np.any(np.isclose(x, list(rows)))) for rows in base_rows]
        assert [a != b for a, b in zip(base_fits, now, strict=True)] == here
        moved_fits += any(here)
        moved_scores += not any(here)
    assert moved_fits
    assert moved_scores


@pytest.mark.parametrize("how", WAYS)
def test_without_noise_the_best_score_wins(how: str, seen: Seen) -> None:
    rule = tuned(how, 3, epsilon="inf")
    fits = seen.fits[: len(seen.scores)]
    best = max((q, gamma) for q, (_, gamma, _) in zip(seen.scores, fits, strict=True))
    assert rule.release.certificate.gamma == best[1]


def test_stages_say_nothing_of_scores() -> None:
    told: dict[str, list[list[str]]] = {}
    for how in WAYS:
        for data in (table(), table(seed=3), table(outcome=np.zeros(N))):
            stages: list[str] = []
            asked: dict[str, Any] = {"how": how, "gammas": GAMMAS, "ledger": "none"}
            fit_tuned(study(), data, epsilon=1, on_stage=stages.append, **asked)
            told.setdefault(how, []).append(stages)
    for each in told.values():
        assert each[0] == each[1] == each[2]
