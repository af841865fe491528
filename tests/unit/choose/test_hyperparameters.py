"""Hyperparameters: what is fixed stays, what is open has a plain value, γ is in units of W."""

from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpwerm.choose.hyperparameters import (
    Hyperparameters,
    planned_of,
    saturation_of,
    scale_of,
    threshold_of,
)
from dpwerm.errors import ParameterError
from dpwerm.features.encoding import Encoding
from dpwerm.parameters import LARGEST, SMALLEST
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Chosen, Specification, certify
from dpwerm.releases.parts import SHARES

ENCODING = Encoding.of_numbers(["a", "b"], [(0.0, 1.0), (-5.0, 5.0)])
OPEN = Hyperparameters()


def spec(epsilon: object = 1, delta: object = 0, **other: Any) -> Specification:
    return Specification(Budget.of(epsilon, delta), 1.0, 3.0, **other)  # type: ignore[arg-type]


def test_everything_is_open_unless_it_is_fixed() -> None:
    assert all(getattr(OPEN, field.name) is None for field in fields(Hyperparameters))


@pytest.mark.parametrize(
    ("budget", "mechanism"),
    [
        (Budget.of(1), "spherical-laplace"),
        (Budget.of(1, "1e-6"), "gaussian"),
        (Budget.zcdp("0.1"), "gaussian"),
    ],
    ids=str,
)
def test_what_is_open_has_a_plain_value_but_the_clip(budget: Any, mechanism: str) -> None:
    assert OPEN.or_plain(budget) == Hyperparameters(
        mechanism=mechanism, intercept=1.0, saturation=1.0, gamma=1.0, threshold=0.0
    )


def test_what_is_fixed_has_no_other_value() -> None:
    fixed = Hyperparameters("objective-l2", 0.5, 0.0, 2.0, 4.0, 0.3)
    assert fixed.or_plain(Budget.of(1)) == fixed
    for field in fields(Hyperparameters)[:-1]:
        one = replace(OPEN, **{field.name: getattr(fixed, field.name)})
        expected = replace(OPEN.or_plain(Budget.of(1)), **{field.name: getattr(fixed, field.name)})
        assert one.or_plain(Budget.of(1)) == expected


@pytest.mark.parametrize("name", ["gamma", "mechanism"])
def test_with_gamma_or_mechanism_open_there_is_no_specification(name: str) -> None:
    plain = OPEN.or_plain(Budget.of(1))
    assert plain.specification(spec(), 3.0).gamma == 1.0
    with pytest.raises(ParameterError, match="gamma and mechanism are still open"):
        replace(plain, **{name: None}).specification(spec(), 3.0)


CHOSEN = Hyperparameters(
    mechanism="objective-l2",
    clip=0.4,
    intercept=0.5,
    saturation=1.5,
    gamma=20.0,
    threshold=0.25,
    chosen=Chosen(settings=["gamma"], accuracy=0.9, reason="because"),
)


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
    started = ENCODING.changed(intercept=0.7, saturation=3.0)
    assert OPEN.encoding(started) == started
    assert replace(OPEN, intercept=0.0).encoding(started) == started.changed(intercept=0.0)
    assert replace(OPEN, saturation=1.0).encoding(started) == started.changed(saturation=1.0)


def test_the_paper_s_encoding_is_never_saturated() -> None:
    with pytest.raises(ParameterError, match="has no saturation"):
        CHOSEN.encoding(ENCODING.changed(kind="paper"))


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
    return SimpleNamespace(**{**auto, **other})


def test_auto_means_open() -> None:
    assert Hyperparameters.of(estimator(), intercept="auto") == OPEN
    known = estimator(gamma=2, mechanism="gaussian", saturation=3, threshold=0)
    assert Hyperparameters.of(known, intercept=0, clip=0.5) == Hyperparameters(
        mechanism="gaussian", clip=0.5, intercept=0.0, saturation=3.0, gamma=2.0, threshold=0.0
    )


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
    ],
    ids=str,
)
def test_a_wrong_parameter_is_named(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ParameterError, match=name):
        Hyperparameters.of(estimator(**wrong), intercept="auto")


OPEN_METHOD: dict[str, Any] = dict.fromkeys(
    ("estimator", "width", "main_penalty", "mean_scale", *SHARES), "auto"
) | {"main_effect": "linear"}


def test_a_treatment_rule_may_fix_its_estimator_and_all_that_belongs_to_it() -> None:
    assert Hyperparameters.of(estimator(**OPEN_METHOD), intercept="auto") == OPEN
    known = OPEN_METHOD | {"estimator": "arm-wise", "width": 1, "main_penalty": 2}
    found = Hyperparameters.of(estimator(**known | {"main_effect": "cubes"}), intercept="auto")
    assert found == Hyperparameters(estimator="arm-wise", width=1.0, main=2.0, degree=3.0)
    contrast = OPEN_METHOD | {"estimator": "contrast", "mean_scale": 0}
    found = Hyperparameters.of(estimator(**contrast), intercept="auto")
    assert found == Hyperparameters(estimator="contrast", mean=0.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"estimator": "magic"},
        {"estimator": 3},
        {"width": 0},
        {"width": "wide"},
        {"main_penalty": -1},
        {"mean_scale": 1e13},
        {"mean_scale": True},
        {"main_effect": "waves"},
        {"main_effect": "auto"},
    ],
    ids=str,
)
def test_a_wrong_parameter_of_an_estimator_is_named(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ParameterError, match=name):
        Hyperparameters.of(estimator(**OPEN_METHOD | wrong), intercept="auto")


def test_a_wrong_intercept_or_planned_number_is_named() -> None:
    with pytest.raises(ParameterError, match="intercept_scale"):
        Hyperparameters.of(estimator(), intercept="automatic")
    for value in (0, 10**13, 2.0):
        with pytest.raises(ParameterError, match="planned_n"):
            planned_of(value)
