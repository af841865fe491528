"""The score of a rule, and that one person moves it by at most Δ = 2^20 and can move it by that."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.tune.trials import GAMMAS, study, table

from dpwerm.arrays import FloatArray
from dpwerm.releases.release import Release
from dpwerm.tune.private import SENSITIVITY, fit_tuned, score, units
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, TrialRows

DECLARED = study().declaration()
W = OUTCOME_WEIGHTED.weight_bound(DECLARED)
RELEASE = fit_tuned(
    study(), table(), epsilon="inf", how="parts", gammas=GAMMAS
).release  # f(x) grows with x


def rows(x: FloatArray, labels: FloatArray, weights: FloatArray) -> TrialRows:
    X = np.column_stack([x, np.zeros(len(x))])
    return TrialRows(X, labels, weights)


def people(n: int, seed: int = 0) -> tuple[FloatArray, FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 1, n), rng.choice([-1.0, 1.0], n), rng.uniform(0, W, n)


def test_it_is_the_weight_of_those_for_whom_the_rule_is_right() -> None:
    x, labels, weights = people(200)
    f = RELEASE.score(np.column_stack([x, np.zeros(200)]))
    by_hand = sum(
        int(Fraction(float(w)) / Fraction(W) * 2**20)
        for w, y, z in zip(weights, labels, f, strict=True)
        if z * y > 0
    )
    assert abs(score(RELEASE, rows(x, labels, weights), DECLARED) - by_hand) <= 1


def _largest_move() -> int:
    """Return the largest change of the score over replacements of one row."""
    x, labels, weights = people(20)
    sign = np.sign(RELEASE.score(np.column_stack([x, np.zeros(20)])))
    before = score(RELEASE, rows(x, labels, weights), DECLARED)
    moves = []
    for label, weight in ((1.0, W), (-1.0, W), (1.0, 0.0)):
        labels[0], weights[0] = label * sign[0], weight
        moves.append(score(RELEASE, rows(x, labels, weights), DECLARED))
    return max(abs(one - other) for one in [*moves, before] for other in moves)


def test_the_sensitivity_is_attained_and_half_of_it_is_not_enough() -> None:
    assert _largest_move() == SENSITIVITY
    assert _largest_move() > SENSITIVITY // 2


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_replacement_moves_it_further(first: int, second: int) -> None:
    x, labels, weights = people(15, first)
    others = people(15, second)
    before = score(RELEASE, rows(x, labels, weights), DECLARED)
    for mine, other in zip((x, labels, weights), others, strict=True):
        mine[7] = other[7]
    assert abs(score(RELEASE, rows(x, labels, weights), DECLARED) - before) <= SENSITIVITY


def test_units_are_whole_and_between_0_and_the_largest() -> None:
    weights = np.array([0.0, W * 2**-21, W / 2, np.nextafter(W, 0), W])
    assert units(weights, W).tolist() == [0, 0, 2**19, 2**20 - 1, 2**20]
    for bound in (3.0, 0.1, 1e12, 1e-12, 7.000000000000001):
        assert units(np.array([bound]), bound).tolist() == [SENSITIVITY]


def test_where_the_rule_has_no_opinion_the_default_arm_counts() -> None:
    silent = Release(RELEASE.encoding, (0,) * len(RELEASE.integers), RELEASE.certificate)
    x, weights = np.zeros(2), np.array([W, W / 2])
    assert DECLARED.treatment.default == DECLARED.treatment.arms[0]
    assert score(silent, rows(x, np.array([-1.0, 1.0]), weights), DECLARED) == SENSITIVITY
    assert score(silent, rows(x, np.array([1.0, -1.0]), weights), DECLARED) == SENSITIVITY // 2
