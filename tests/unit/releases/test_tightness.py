"""Tightness: what it is, how far one person moves it, its law, and how it is told in documents."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.privacy.budget import Budget
from dpwerm.privacy.randomness import bit_source
from dpwerm.releases.ranges import BENEFIT, FEATURES
from dpwerm.releases.tightness import (
    CUT,
    STEP,
    TIGHT,
    TOGETHER,
    Filled,
    Tightness,
    TightnessRecord,
    apart,
    law,
    simulated_tight,
)

ONE = Budget.of(1)
COLUMNS = {BENEFIT: ("benefit",), FEATURES: ("x", "y")}
PLACES = st.lists(
    st.one_of(st.none(), st.floats(-1, 1, allow_nan=False, width=32)), min_size=2, max_size=2
)


def by_hand(u: FloatArray) -> Fraction:
    """Return the mean over columns of the sum over pairs, each pair by itself."""
    found, columns = Fraction(0), Fraction(u.shape[1])
    for one, other in itertools.combinations(u, 2):
        for a, b in zip(one, other, strict=True):
            if not (np.isnan(a) or np.isnan(b)):
                far = abs(Fraction(round(a * STEP)) - Fraction(round(b * STEP))) / STEP
                found += min(far, CUT)
    return found / columns


def both(u: FloatArray) -> dict[str, FloatArray]:
    """Return benefit and features of rows."""
    return {BENEFIT: u[:, :1], FEATURES: u[:, 1:]}


@given(st.lists(PLACES, min_size=1, max_size=12))
def test_it_is_the_sum_over_all_pairs_exactly_whatever_the_order(rows: list[list[float]]) -> None:
    u = np.array(rows, dtype=float)
    assert apart(u) == by_hand(u) == apart(u[::-1])


@given(st.lists(PLACES, min_size=2, max_size=12), PLACES)
def test_one_person_moves_each_sum_by_less_than_is_covered(
    rows: list[list[float]], other: list[float]
) -> None:
    u, changed = np.array(rows, dtype=float), np.array(rows, dtype=float)
    changed[0] = np.array(other, dtype=float)
    for one, two in ((u, changed), *zip(both(u).values(), both(changed).values(), strict=True)):
        assert abs(apart(one) - apart(two)) <= law(2, len(u), ONE).sensitivity


@pytest.mark.parametrize("n", [2, 3, 40])
def test_what_is_covered_is_attained_in_both_sums_at_once(n: int) -> None:
    together = np.zeros((n, 3))
    alone = together.copy()
    alone[-1] = 1.0
    for one, two in zip(both(together).values(), both(alone).values(), strict=True):
        assert apart(two) - apart(one) == law(2, n, ONE).sensitivity == Fraction(n - 1, 2)


@pytest.mark.parametrize(("benefit", "features"), [*itertools.product([True, False], repeat=2)])
def test_bounds_are_tight_where_benefit_and_features_fill_them(
    benefit: bool, features: bool
) -> None:
    """Whatever the one is: features that fill their bounds outvote no benefit, nor it them."""
    rng = np.random.default_rng(5)
    n, large = 2000, Budget.of(1000)
    u = rng.uniform(-1.0, 1.0, size=(n, 9))
    u[:, 0] *= 1.0 if benefit else 0.2
    u[:, 1:] *= 1.0 if features else 0.2
    names = {BENEFIT: (BENEFIT,), FEATURES: tuple("abcdefgh")}
    found = Tightness.released(names, both(u), large, bit_source(1))
    assert found.tight is (benefit and features)
    assert found.columns == names
    for (of, value), fills in zip(found.values.items(), (benefit, features), strict=True):
        exact = float(apart(both(u)[of])) * 2 / (n * (n - 1))
        assert float(value) == pytest.approx(exact, abs=2e-4)
        assert (value >= TIGHT[of]) is fills


def test_a_record_gives_back_what_was_released() -> None:
    u = np.random.default_rng(6).uniform(-1, 1, size=(50, 3))
    found = Tightness.released(COLUMNS, both(u), ONE, bit_source(2))
    plain = found.plain()
    assert TightnessRecord.model_validate(plain).tightness() == found
    assert plain["sensitivity"] == 24.5
    assert plain["scale"] == 24.5


def test_files_of_earlier_versions_have_one_number_and_keep_it() -> None:
    found = Tightness((Filled(TOGETHER, ("benefit", "x"), 10**6),), 50, ONE)
    plain = found.plain()
    assert (plain["columns"], plain["integer"]) == (["benefit", "x"], 10**6)
    assert "filled" not in plain
    assert TightnessRecord.model_validate(plain).tightness() == found
    assert found.tight is (found.values[TOGETHER] >= TIGHT[TOGETHER])
    filled = Tightness((Filled(FEATURES, ("x",), 3),), 50, ONE).plain()["filled"]
    lacking = {name: value for name, value in plain.items() if name != "integer"}
    for wrong in ({**plain, "filled": filled}, lacking, {**lacking, "filled": filled}):
        with pytest.raises(ParameterError, match="no tightness"):
            TightnessRecord.model_validate(wrong).tightness()


@pytest.mark.parametrize("n", [1, 2])
def test_few_people_have_one_too(n: int) -> None:
    u = {FEATURES: np.full((n, 1), np.nan)}
    assert Tightness.released({FEATURES: ("x",)}, u, ONE, bit_source(3)).n == n


X = Filled(FEATURES, ("x",), 0)


@pytest.mark.parametrize(
    "filled", [(), (X, X), (Filled("rows", ("x",), 0),), (Filled(BENEFIT, (), 0),)], ids=repr
)
def test_what_is_none_is_refused(filled: tuple[Filled, ...]) -> None:
    with pytest.raises(ParameterError, match="no tightness"):
        Tightness(filled, 5, ONE)
    with pytest.raises(ParameterError, match="delta = 0"):
        Tightness((X,), 5, Budget.of(1, "1e-6"))


def test_simulated_and_real_ones_have_the_law_of_the_claim() -> None:
    """Of people at one place: given r each is tight by (r − c)/2r. Six standard errors: 4e-9."""
    n, budget, runs = 60, Budget.of("0.1"), 2000
    units = [float(TIGHT[of]) * n * 0.1 for of in (BENEFIT, FEATURES)]
    radii = np.linspace(0, 60, 600_001)  # of Gamma(3)
    above = [np.clip((radii - c) / np.maximum(2 * radii, 1e-12), 0, None) for c in units]
    expected = float(np.sum(radii**2 * np.exp(-radii) / 2 * above[0] * above[1]) * 1e-4)
    assert 0.05 < expected < 0.15  # twice the scale, or half of it, would be far from this
    bits, zeros = bit_source(4), {BENEFIT: np.zeros((n, 1)), FEATURES: np.zeros((n, 2))}
    real = [Tightness.released(COLUMNS, zeros, budget, bits).tight for _ in range(runs)]
    many = {of: np.zeros((runs, *rows.shape)) for of, rows in zeros.items()}
    told = simulated_tight(many, n, budget, np.random.default_rng(7))
    for found in (np.mean(real), told.mean()):
        assert abs(found - expected) < 6 * np.sqrt(expected * (1 - expected) / runs)
