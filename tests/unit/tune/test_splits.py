"""Splits of Algorithm 2: who may train with whom, in both branches, with the errata."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwerm.errors import ParameterError
from dpwerm.tune.people import (
    checked_sizes,
    default_validation,
    is_bootstrapped,
    splits,
    validating,
)


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 40), st.integers(1, 60), st.integers(1, 39), st.integers(0, 10**6))
def test_nobody_trains_and_validates(size: int, n: int, m: int, seed: int) -> None:
    m = min(m, size - 1)
    found = splits(n, size, m, 5, np.random.default_rng(seed))
    assert found.training.shape == (5, n)
    assert found.validation.shape == (5, validating(n, size, m))
    for training, validation in zip(found.training, found.validation, strict=True):
        assert not set(training) & set(validation)
        assert len(set(validation)) == len(validation) >= m
        assert set(training) | set(validation) <= set(range(size))
        if not is_bootstrapped(n, size, m):
            assert len(set(training)) == n
            assert set(training) | set(validation) == set(range(size))


def test_training_sets_have_n_people_and_not_n0() -> None:
    assert splits(30, 10, 4, 2, np.random.default_rng(0)).training.shape == (2, 30)
    assert splits(3, 10, 4, 2, np.random.default_rng(0)).training.shape == (2, 3)


@pytest.mark.parametrize(
    ("n", "size", "m", "bootstrapped", "judges"),
    [(1000, 1000, 500, True, 500), (500, 1000, 500, False, 500), (200, 1000, 500, False, 800)],
)
def test_the_papers_sizes(n: int, size: int, m: int, bootstrapped: bool, judges: int) -> None:
    assert is_bootstrapped(n, size, m) is bootstrapped
    assert validating(n, size, m) == judges


def test_everybody_is_equally_likely_to_validate() -> None:
    found = splits(9, 6, 2, 20_000, np.random.default_rng(3)).validation
    counts = np.bincount(found.ravel(), minlength=6)
    assert np.abs(counts - 40_000 / 6).max() < 6 * np.sqrt(40_000 / 6)


def test_a_bootstrap_draws_from_all_of_the_rest() -> None:
    found = splits(5, 4, 1, 4000, np.random.default_rng(4))
    repeated = [len(set(row)) < 5 for row in found.training.tolist()]
    assert all(repeated)
    assert {one for row in found.training.tolist() for one in row} == {0, 1, 2, 3}


def test_sizes_that_leave_nobody_are_refused() -> None:
    assert default_validation(1000) == 200
    assert default_validation(2) == 1
    assert checked_sizes(2, 1) == 1
    for m in (0, 5, 6):
        with pytest.raises(ParameterError, match="cannot validate"):
            checked_sizes(5, m)
