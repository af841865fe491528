"""Gaps filled by the sample's mean, and levels found in the sample."""

import numpy as np
import pytest

from dpwerm.audit.faults.own_encoding import GAPS, Levels, imputed


def test_one_value_fills_every_gap() -> None:
    target = imputed("mean", by_mean=True)
    for people, value in zip(target.pair.both, (1.0, -1.0), strict=True):
        assert set(target.prepare(people).X.ravel().tolist()) == {value}
    assert target.moved == pytest.approx(GAPS + 1, rel=1e-4)


def test_a_declared_default_fills_them_without_it() -> None:
    target = imputed("default", by_mean=False)
    first, second = (target.prepare(people).X[0] for people in target.pair.both)
    assert (first[:-1] == 0).all()
    assert (second[:-1] == 0).all()
    assert target.moved == pytest.approx(1.0, abs=1e-5)


def test_a_level_that_nobody_has_is_missing_from_the_release() -> None:
    target = Levels("found", declared=False)
    (pair,) = target.pairs()
    assert not target.outputs(pair.first, 100, (1,))[:, 2].any()
    assert target.outputs(pair.second, 100, (1,))[:, 2].all()


def test_declared_levels_have_noise_whoever_is_there() -> None:
    target = Levels("declared", declared=True)
    (pair,) = target.pairs()
    for data in pair.both:
        assert np.count_nonzero(target.outputs(data, 100, (1,)), axis=0).min() > 90
