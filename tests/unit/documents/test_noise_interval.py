"""The stated half-width of the noise is that of the law it is stated for."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpwerm.arrays import FloatArray
from dpwerm.documents.summary import KEPT, WEIGHTS, caveat
from dpwerm.estimators.treatment_rule import PrivateTreatmentRule
from dpwerm.features.encoding import Encoding
from dpwerm.mechanisms import MECHANISMS
from dpwerm.privacy.budget import Budget
from dpwerm.releases.certificate import Specification, certify
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.tuning import WAYS, Tuning

P = 5


def half_width_of(
    mechanism: str, scale: float, dimension: int, coverage: float, count: int
) -> float:
    """Return the half-width of a mechanism whose law is public."""
    found = MECHANISMS[mechanism].half_width(scale, dimension, coverage, count)
    assert found is not None
    return found


@pytest.mark.parametrize("coverage", [0.5, 0.95, 0.99])
@pytest.mark.parametrize("dimension", [1, 2, 5, 40])
def test_spherical_laplace_covers_as_stated(dimension: int, coverage: float) -> None:
    rng = np.random.default_rng(1)
    draws = 200_000
    direction = rng.normal(size=(draws, dimension))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    noise = 3.0 * rng.gamma(dimension, size=draws) * direction[:, 0]
    inside = np.mean(
        np.abs(noise) <= half_width_of("spherical-laplace", 3.0, dimension, coverage, 1)
    )
    # Five standard errors of a proportion; the seed is fixed.
    assert inside == pytest.approx(coverage, abs=5 * math.sqrt(0.25 / draws))


def test_the_other_laws_at_known_points() -> None:
    assert half_width_of("product-laplace", 2.0, P, 0.95, 1) == pytest.approx(2.0 * math.log(20.0))
    assert half_width_of("gaussian", 2.0, P, 0.95, 1) == pytest.approx(2.0 * 1.959963984540054)
    assert half_width_of("none", 2.0, P, 0.95, 1) == 0.0


def test_nothing_is_stated_where_the_law_depends_on_the_data() -> None:
    encoding = Encoding.of_numbers(["a"], [(0.0, 1.0)])
    for mechanism, stated in (("spherical-laplace", True), ("objective-l2", False)):
        spec = Specification(Budget.of(1), 100.0, 3.0, mechanism=mechanism)
        certificate, _ = certify(spec, encoding, 10, secure=True, library="x")
        release = Release(encoding, (0, 0), certificate)
        assert (release.half_width() is not None) is stated
        assert (release.effect_half_widths() is not None) is stated


def release_of(mechanism: str, epsilon: float | str = 1) -> Release:
    encoding = Encoding.of_numbers(["a", "b"], [(0.0, 1.0), (0.0, 3.0)]).changed(saturation=2.0)
    spec = Specification(Budget.of(epsilon), 100.0, 3.0, mechanism=mechanism)
    certificate, _ = certify(spec, encoding, 10, secure=True, library="x")
    return Release(encoding, (0, 0, 0), certificate)


def test_the_half_width_in_an_effect_is_stretched_for_numbers_only() -> None:
    release = release_of("product-laplace")
    one, several = release.half_width(0.9), release.effect_half_widths(0.9)
    assert one is not None
    assert several is not None
    assert several.tolist() == [one, 1.375 * one, 1.375 * one]


def drawn(mechanism: str, dimension: int, draws: int) -> FloatArray:
    """Return noise of scale 3 (draws, p), each law by its definition."""
    rng = np.random.default_rng(2)
    shape = (draws, dimension)
    if mechanism == "product-laplace":
        return np.asarray(rng.laplace(scale=3.0, size=shape))
    normal = rng.normal(size=shape)
    if mechanism == "gaussian":
        return 3.0 * normal
    direction = normal / np.linalg.norm(normal, axis=1, keepdims=True)
    return np.asarray(3.0 * rng.gamma(dimension, size=(draws, 1)) * direction)


@pytest.mark.parametrize("dimension", [1, 2, 5, 61])
@pytest.mark.parametrize("mechanism", ["spherical-laplace", "product-laplace", "gaussian"])
def test_all_coefficients_together_are_covered_as_stated(mechanism: str, dimension: int) -> None:
    draws, coverage = 40_000, 0.95
    largest = np.abs(drawn(mechanism, dimension, draws)).max(axis=1)
    half = half_width_of(mechanism, 3.0, dimension, coverage, dimension)
    # Five standard errors of a proportion; the seed is fixed.
    error = 5 * math.sqrt(coverage * (1 - coverage) / draws)
    assert np.mean(largest <= half) == pytest.approx(coverage, abs=error)
    for wrong in (0.5, 2.0):
        assert abs(np.mean(largest <= wrong * half) - coverage) > 4 * error


def test_spherical_noise_in_one_dimension_is_laplace_noise() -> None:
    for coverage in (0.5, 0.95, 0.99):
        one, other = (
            half_width_of(law, 3.0, 1, coverage, 1)
            for law in ("spherical-laplace", "product-laplace")
        )
        assert one == pytest.approx(other, rel=2e-6)


@pytest.mark.parametrize("mechanism", ["spherical-laplace", "product-laplace", "gaussian"])
def test_the_more_coefficients_the_wider_they_are_together(mechanism: str) -> None:
    widths = [half_width_of(mechanism, 3.0, 5000, 0.95, count) for count in (1, 2, 50, 5000)]
    assert widths == sorted(set(widths))


def test_the_half_width_of_all_together_is_that_of_the_release() -> None:
    release = release_of("product-laplace")
    found, alone = (
        release.effect_half_widths(0.9, simultaneous=True),
        release.effect_half_widths(0.9 ** (1 / 3)),
    )
    assert found is not None
    assert alone is not None
    assert found == pytest.approx(alone, rel=1e-12)
    without = release_of("none", "inf").effect_half_widths(simultaneous=True)
    assert without is not None
    assert not without.any()
    assert release_of("objective-l2").effect_half_widths(simultaneous=True) is None


DESIGN: dict[str, Any] = {"propensity": {"a": "1/2", "b": "1/2"}}
MODEL: dict[str, Any] = {
    "arms": ("a", "b"),
    "propensity": {"model": "private"},
    "propensity_floor": "1/4",
}
FACTS: dict[str | None, dict[str, Any]] = {"split": {"share": "0.3"}, "repeats": {"repeats": 8}}


def rule_of(epsilon: object, propensity: dict[str, Any]) -> Rule:
    """Return a rule of 40 people."""
    rng = np.random.default_rng(3)
    X, arms = rng.uniform(0, 1, (40, 2)), rng.choice(["a", "b"], 40)
    rule = PrivateTreatmentRule(
        epsilon, feature_bounds=(0, 1), benefit_bounds=(0, 1), gamma=100.0, **propensity
    )
    rule.set_params(mechanism="spherical-laplace" if epsilon == 1 else "none", ledger="none")
    return rule.fit(X, arms, rng.uniform(0, 1, 40)).rule_


@pytest.mark.parametrize("how", [None, *WAYS])
def test_what_a_choice_or_a_propensity_model_adds_is_said(how: str | None) -> None:
    tuning = None
    if how is not None:
        tuning = Tuning(how, (50.0, 100.0), 40, Budget.of(1), **FACTS.get(how, {}))
    kept = "" if how in (None, "split") else KEPT
    assert caveat(replace(rule_of(1, DESIGN), tuning=tuning)) == kept
    assert caveat(replace(rule_of(1, MODEL), tuning=tuning)) == f"{kept} {WEIGHTS}".strip()


def test_a_rule_without_noise_has_no_caveat() -> None:
    tuning = Tuning("parts", (50.0, 100.0), 40, Budget.of(1))
    assert caveat(replace(rule_of("inf", MODEL), tuning=tuning)) == ""
