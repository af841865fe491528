"""w = |v|/P and y' = y·sign(v): bounded, centred, and the same target."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.weighting.contract import outcome_weights, weight_bound


def test_the_formula() -> None:
    arm = np.array([1.0, 1.0, -1.0, -1.0, 1.0])
    v = np.array([2.0, -2.0, 2.0, -2.0, 0.0])
    probability = np.array([0.5, 0.5, 0.25, 0.25, 0.5])
    labels, weights = outcome_weights(arm, v, probability, 8.0)
    assert labels.tolist() == [1.0, -1.0, -1.0, 1.0, 1.0]
    assert weights.tolist() == [4.0, 4.0, 8.0, 8.0, 0.0]


def test_unusable_rows_get_weight_zero_and_stay() -> None:
    nan = np.nan
    labels, weights = outcome_weights(
        np.array([nan, 1.0, -1.0]), np.array([1.0, nan, 1.0]), np.array([0.5, 0.5, nan]), 2.0
    )
    assert weights.tolist() == [0.0, 0.0, 0.0]
    assert labels.tolist() == [1.0, 1.0, 1.0]


@given(
    st.floats(1e-6, 1e6),
    st.floats(1e-6, 0.5),
    st.lists(st.tuples(st.floats(-1, 1), st.floats(0, 1)), min_size=1),
)
def test_no_weight_exceeds_the_bound(
    v_bound: float, floor: float, rows: list[tuple[float, float]]
) -> None:
    bound = weight_bound(v_bound, floor)
    assert Fraction(bound) >= Fraction(v_bound) / Fraction(floor)
    v = np.array([u * v_bound for u, _ in rows])
    probability = np.array([max(p, floor) for _, p in rows])
    _, weights = outcome_weights(np.ones(len(rows)), v, probability, bound)
    assert np.all((weights >= 0) & (weights <= bound))


def test_the_bound_is_not_off_by_two() -> None:
    assert weight_bound(15.0, 0.5) == 30.0
    _, weights = outcome_weights(np.ones(1), np.array([15.0]), np.array([0.5]), 30.0)
    assert weights[0] == 30.0


def test_centring_leaves_the_weighted_risk_of_every_rule_unchanged_up_to_a_constant() -> None:
    """E[(B−c)/P·1(Y≠T)] − E[B/P·1(Y≠T)] is the same for all rules T (docs/proofs)."""
    rng = np.random.default_rng(0)
    x = np.repeat(np.arange(4), 2)
    arm = np.tile([-1.0, 1.0], 4)
    p_second = rng.uniform(0.2, 0.8, 4)[x]
    probability = np.where(arm > 0, p_second, 1 - p_second)
    benefit = rng.normal(size=8)
    c = 0.3
    differences = set()
    for code in range(16):
        rule = np.array([1.0 if code >> k & 1 else -1.0 for k in range(4)])[x]
        # Each (x, arm) cell has probability 1/4·P(arm | x).
        cell = probability / 4
        plain = np.sum(cell * benefit / probability * (arm != rule))
        labels, weights = outcome_weights(arm, benefit - c, probability, 1e9)
        wrong = np.sum(cell * weights * (labels != rule))
        # Signed: |v|·1(y'≠T) = v·1(y≠T) + max(−v, 0), whose last term no rule moves.
        differences.add(round(float(wrong - plain), 12))
    assert len(differences) == 1
