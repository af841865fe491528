"""The summary of a regression by output perturbation shows its ±, by the law of the noise."""

import functools
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from tests.unit.documents.regressed import regressed
from tests.unit.documents.test_summary import TEXT, demo_rule

from dpwerm.documents.figures import save_figure
from dpwerm.documents.half_widths import (
    simulated_by_law,
    simulated_half_widths,
    simultaneous,
    why_not,
)
from dpwerm.documents.summary import EXACT, summary
from dpwerm.mechanisms import get_mechanism
from dpwerm.releases.release import Rule
from dpwerm.text import number

MECHANISMS: dict[str, dict[str, Any]] = {
    "spherical-laplace": {},
    "product-laplace": {},
    "gaussian": {"delta": "1e-6"},
}
ESTIMATORS = ("contrast", "arm-wise")
ADD_REMOVE = TEXT.replace('"replace_one"', '"add_remove"')
each = pytest.mark.parametrize(
    ("estimator", "mechanism"), [(one, law) for one in ESTIMATORS for law in MECHANISMS]
)


@functools.cache
def rule_of(estimator: str, mechanism: str, text: str = TEXT) -> Rule:
    chosen: dict[str, Any] = {"gamma": 40.0, "width": 0.1, "saturation": 2.0}
    more = {"estimator": estimator, "mechanism": mechanism, **MECHANISMS[mechanism]}
    return demo_rule(1, text, **chosen | more)


def exact(estimator: str, mechanism: str, rule: Rule) -> float:
    """Return t of the score's noise, from the theory alone: one entry of θ, or a difference."""
    certificate, count = rule.release.certificate, len(rule.release.theta)
    scale, coverage = certificate.noise.scale, 0.95
    if (estimator, mechanism) == ("arm-wise", "product-laplace"):
        # P(|X − Y| > t) = (1 + t/2)·e^(−t) for Laplace numbers of scale 1, independent over j.
        alone = coverage ** (1 / count)
        return scale * float(brentq(lambda t: 1 - (1 + t / 2) * math.exp(-t) - alone, 0.1, 99))
    found = get_mechanism(mechanism).half_width(scale, certificate.dimension, coverage, count)
    assert found is not None
    # Differences of disjoint pairs are √2 times orthogonal directions, in which the law is alike.
    return found * (math.sqrt(2) if estimator == "arm-wise" else 1.0)


@each
def test_the_summary_shows_the_half_widths_of_the_law(estimator: str, mechanism: str) -> None:
    rule = rule_of(estimator, mechanism)
    half = simultaneous(rule, simulated_by_law(rule))
    assert half is not None
    true = exact(estimator, mechanism, rule) * rule.release.encoding.stretch
    # 4,800 draws; half as much, or twice, would not do.
    np.testing.assert_allclose(half, true, rtol=0.06)
    text = " ".join(summary(rule).split())
    for one in half:
        assert f"± {number(one, one)}" in text
    assert "No ± is shown" not in text
    assert "± is simulated by the exact law of the noise" in text
    assert "It is not sampling error" in text


@each
def test_noise_alone_is_called_so(estimator: str, mechanism: str) -> None:
    rule = rule_of(estimator, mechanism)
    half = simultaneous(rule, simulated_by_law(rule))
    assert half is not None
    count = len(rule.release.integers)
    far = int(3 * half.max() / 2.0**rule.release.exponent)
    for place, said in ((0, True), (far, False)):
        integers = (*(0,) * (count - 1), place)
        altered = replace(rule, release=replace(rule.release, integers=integers))
        assert ("NO COEFFICIENT STANDS OUT" in summary(altered)) is said


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_no_number_of_people_is_needed(estimator: str) -> None:
    rule = rule_of(estimator, "spherical-laplace", ADD_REMOVE)
    assert rule.release.certificate.n is None
    assert why_not(rule) == ""
    text = " ".join(summary(rule).split())
    assert "± is simulated by the exact law of the noise" in text
    assert "`dpwerm report` says what goes beyond" not in text
    found = simulated_half_widths(rule)
    assert found is not None
    true = exact(estimator, "spherical-laplace", rule) * rule.release.encoding.stretch
    np.testing.assert_allclose(found.simultaneous, true, rtol=0.06)


def test_the_report_and_the_summary_have_one_half_width() -> None:
    rule = rule_of("arm-wise", "product-laplace")
    known, shown = simulated_half_widths(rule), simulated_by_law(rule)
    assert known is not None
    assert shown is not None
    np.testing.assert_array_equal(known.simultaneous, shown.simultaneous)


@pytest.mark.parametrize("kind", ["contrast", "arm-wise"])
def test_noise_inside_the_objective_is_left_to_the_report(kind: str) -> None:
    rule = regressed(kind)
    assert simulated_by_law(rule) is None
    assert "No ± is shown: under objective perturbation" in " ".join(summary(rule).split())


def test_outcome_weights_have_an_exact_one() -> None:
    rule = demo_rule(1)
    assert simulated_by_law(rule) is None
    assert EXACT in " ".join(summary(rule).split())


def test_a_picture_has_the_half_widths_too(tmp_path: Path) -> None:
    save_figure(rule_of("contrast", "gaussian"), tmp_path / "rule.svg")
    drawn = (tmp_path / "rule.svg").read_text(encoding="utf-8")
    assert "± privacy noise, 95 % for all at once, simulated" in drawn
