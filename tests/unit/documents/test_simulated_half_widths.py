"""The simulated half-widths of the noise are those of real releases, and come from the rule alone.

Real releases are made by the pipeline of a fit, with its exact noise from seeds, on trials that are
drawn like the simulated ones with another seed and written in units of their own: features in
[0, 10], benefits in [20, 60] clipped at 10, arms 2:1.
"""

import inspect
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpwerm import PrivateTreatmentRule
from dpwerm.arrays import FloatArray
from dpwerm.documents import half_widths as module
from dpwerm.documents.half_widths import simulated_half_widths, why_not
from dpwerm.draws import Draws
from dpwerm.errors import ParameterError
from dpwerm.fit import fit_release
from dpwerm.mechanisms.contract import Calibration
from dpwerm.privacy.randomness import bit_source
from dpwerm.releases.release import Release, Rule
from dpwerm.releases.rule_file import read_rule, write_rule
from dpwerm.simulate.engine.released import inside_noise
from dpwerm.simulate.judged import SyntheticTrials
from dpwerm.simulate.scenarios import get_scenario
from dpwerm.simulate.synthetic import generator, random_trials
from dpwerm.study.study import read_trial
from dpwerm.weighting.contract import OUTCOME_WEIGHTED, TrialRows
from dpwerm.weighting.trial import trial_of_arrays, trial_of_table

N, WIDTH, TRIALS, RELEASES = 150, 3, 30, 4
COVERAGE = 0.8
"""A quantile that few releases pin down."""

NEAR = (0.75, 1.33)
"""Where the true half-width over the simulated one may lie; a factor of two is far outside."""

MECHANISMS = ("objective-block", "objective-l2", "objective-gaussian")


def estimator(mechanism: str, share: float, **other: Any) -> PrivateTreatmentRule:
    """Return an estimator with γ = share·nW and W = 10/(1/3)."""
    parameters: dict[str, Any] = {
        "epsilon": 2,
        "feature_bounds": (0, 10),
        "benefit_bounds": (20, 60),
        "benefit_clip": 10.0,
        "propensity": {"a": "2/3", "b": "1/3"},
        "gamma": share * N * 30.0,
        "mechanism": mechanism,
        "delta": "1e-6" if mechanism == "objective-gaussian" else 0,
        "intercept_scale": 0.5,
        "saturation": 1.5,
        "random_state": 1,
    }
    return PrivateTreatmentRule(**parameters | other)


@lru_cache
def synthetic() -> SyntheticTrials:
    return random_trials(
        (0,) * WIDTH, count=TRIALS, rows=N, propensity=(1 / 3, 1 / 3), rng=generator(7, 1)
    )


def own_units(place: int) -> tuple[FloatArray, list[str], FloatArray]:
    """Return the features, arms and benefits of one trial."""
    drawn = synthetic()
    arms = ["b" if one > 0 else "a" for one in drawn.arm[place]]
    return 5 + 5 * drawn.X[place], arms, 40 + 20 * drawn.benefit[place]


@lru_cache
def rule_of(mechanism: str, share: float) -> Rule:
    return estimator(mechanism, share).fit(*own_units(0)).rule_


def released(rule: Rule, rows: TrialRows, seeds: Iterable[int]) -> Iterator[Release]:
    """Yield real releases of one trial at the rule's settings."""
    spec = rule.release.certificate.specification()
    for seed in seeds:
        yield fit_release(
            rows.X,
            rows.targets,
            rows.weights,
            encoding=rule.release.encoding,
            spec=spec,
            bits=bit_source(seed),
        )


@lru_cache
def true_half_widths(mechanism: str, share: float) -> tuple[float, float]:
    """Return the half-width in the intercept and in a slope, over real releases of many trials."""
    rule = rule_of(mechanism, share)
    bare = estimator(mechanism, share, epsilon=math.inf)
    sizes = []
    for place in range(TRIALS):
        X, arms, benefit = own_units(place)
        without = bare.fit(X, arms, benefit).release_.effects
        trial = trial_of_arrays(X, arms, benefit, None, rule.declaration)
        rows = OUTCOME_WEIGHTED.rows(
            trial, rule.declaration, rule.release.encoding, np.full(N, 1 / 3)
        )
        seeds = range(1000 * place, 1000 * place + RELEASES)
        sizes += [np.abs(one.effects - without) for one in released(rule, rows, seeds)]
    found = np.array(sizes)
    return float(np.quantile(found[:, 0], COVERAGE)), float(np.quantile(found[:, 1:], COVERAGE))


def altered(rule: Rule, **facts: Any) -> Rule:
    certificate = rule.release.certificate.model_copy(update=facts)
    return replace(rule, release=replace(rule.release, certificate=certificate))


def ratios(rule: Rule, mechanism: str, share: float) -> list[float]:
    """Return the true half-width over the simulated one, of the intercept and of a slope."""
    stated = simulated_half_widths(rule, coverage=COVERAGE)
    assert stated is not None
    return [
        true / half
        for true, half in zip(true_half_widths(mechanism, share), stated.pointwise, strict=False)
    ]


def is_near(found: list[float]) -> bool:
    return all(NEAR[0] < one < NEAR[1] for one in found)


def is_far(found: list[float]) -> bool:
    return not any(NEAR[0] < one < NEAR[1] for one in found)


# Measured over 120 releases: 0.90 to 1.05 for intercepts, 0.92 to 1.02 for slopes.
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_real_releases_have_the_simulated_half_widths(mechanism: str) -> None:
    assert is_near(ratios(rule_of(mechanism, 1.0), mechanism, 1.0))


def test_so_have_releases_that_lean_on_the_data() -> None:
    assert is_near(ratios(rule_of("objective-block", 0.1), "objective-block", 0.1))


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("fact", ["gamma", "weight_bound"])
def test_a_wrong_gamma_or_weight_bound_is_caught(fact: str, factor: float) -> None:
    rule = rule_of("objective-block", 1.0)
    wrong = factor * getattr(rule.release.certificate, fact)
    found = ratios(altered(rule, **{fact: wrong}), "objective-block", 1.0)
    assert is_far(found)


@pytest.mark.parametrize("factor", [0.5, 2.0])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_a_wrong_size_of_the_noise_is_caught(
    mechanism: str, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(calibration: Calibration, draws: Draws) -> FloatArray:
        b = inside_noise(calibration, draws)
        assert b is not None
        return factor * b

    monkeypatch.setattr(module, "inside_noise", wrong)
    found = ratios(rule_of(mechanism, 1.0), mechanism, 1.0)
    assert is_far(found)


def test_a_trial_of_the_paper_has_nearly_the_simulated_half_widths() -> None:
    scenario, n, share = get_scenario("paper"), 500, 1.0
    declared = PrivateTreatmentRule.from_study(
        scenario.study(), 1, gamma=share * n * 15.0, mechanism="objective-block", random_state=1
    )
    table = scenario.draw(n, generator(7, 2))
    rule = declared.fit(table).rule_
    assert rule.release.certificate.weight_bound == 15.0
    without = declared.set_params(epsilon=math.inf).fit(table).release_.effects
    trial = trial_of_table(rule.declaration, read_trial(scenario.study(), table))
    rows = OUTCOME_WEIGHTED.rows(trial, rule.declaration, rule.release.encoding, np.full(n, 0.5))
    sizes = [np.abs(one.effects - without) for one in released(rule, rows, range(100))]
    stated = simulated_half_widths(rule, coverage=COVERAGE)
    assert stated is not None
    found = np.quantile(sizes, COVERAGE, axis=0) / stated.pointwise
    # Measured: 0.95 to 1.05.
    assert is_near(found.tolist())
    assert is_far((2 * found).tolist())
    assert is_far((found / 2).tolist())


# -- what it says, and where it says nothing -----------------------------------------------------


def test_the_same_rule_has_the_same_half_widths_from_memory_and_from_a_file(tmp_path: Path) -> None:
    rule = rule_of("objective-block", 0.1)
    write_rule(rule, tmp_path / "rule.json")
    one, other = (
        simulated_half_widths(rule),
        simulated_half_widths(read_rule(tmp_path / "rule.json")),
    )
    assert one is not None
    assert other is not None
    for name in ("pointwise", "low", "high", "simultaneous"):
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
    assert one.words == other.words


def test_features_of_one_kind_share_their_half_width_and_low_and_high_hold_it() -> None:
    found = simulated_half_widths(rule_of("objective-block", 0.1))
    assert found is not None
    assert found.pointwise.shape == (1 + WIDTH,)
    assert len(set(found.pointwise.tolist())) == 2
    assert np.all(found.low <= found.pointwise)
    assert np.all(found.pointwise <= found.high)
    assert found.low[1] < 0.8 * found.pointwise[1]


def test_where_the_penalty_rules_the_data_change_nothing() -> None:
    found = simulated_half_widths(rule_of("objective-block", 1000.0))
    assert found is not None
    assert np.all(found.low > 0.9 * found.pointwise)
    assert np.all(found.high < 1.1 * found.pointwise)
    # b has density ∝ exp(−β‖b‖_K) and moves a slope by φ·b_j/γ: all follows from b alone.
    certificate = rule_of("objective-block", 1000.0).release.certificate
    assert certificate.perturbation is not None
    rate, p = certificate.perturbation.rate, 1 + WIDTH
    assert rate is not None
    rng = generator(7, 3)
    b = rng.uniform(-1, 1, 200_000) * rng.gamma(p + 1, 1 / rate, 200_000)
    phi = rule_of("objective-block", 1000.0).release.encoding.stretch[1]
    expected = phi * np.quantile(np.abs(b), 0.95) / certificate.gamma
    assert found.pointwise[1] == pytest.approx(expected, rel=0.05)


def test_the_simultaneous_half_width_is_that_of_the_largest() -> None:
    # Where the penalty rules, b moves the intercept by b_0/γ and a slope by φ·b_j/γ.
    rule = rule_of("objective-block", 1000.0)
    found = simulated_half_widths(rule, coverage=COVERAGE)
    assert found is not None
    certificate, phi = rule.release.certificate, rule.release.encoding.stretch
    assert certificate.perturbation is not None
    rate, draws = certificate.perturbation.rate, 100_000
    assert rate is not None
    rng = generator(7, 4)
    size = rng.gamma(1 + WIDTH + 1, 1 / rate, (draws, 1))
    direction = rng.uniform(-1, 1, (draws, 1 + WIDTH))
    direction[:, 0] *= rule.release.encoding.intercept_scale
    moved = np.abs(size * direction) * phi / certificate.gamma
    inside = [
        float(np.mean((moved <= factor * found.simultaneous).all(axis=1))) for factor in (0.5, 1, 2)
    ]
    assert inside[1] == pytest.approx(COVERAGE, abs=0.03)
    assert inside[0] < COVERAGE - 0.2
    assert inside[2] > COVERAGE + 0.1
    assert np.all(found.simultaneous > found.pointwise)
    ratio = found.simultaneous / found.pointwise
    assert ratio == pytest.approx(np.full(1 + WIDTH, ratio[0]))


def test_a_larger_coverage_has_wider_half_widths() -> None:
    rule = rule_of("objective-l2", 1.0)
    one, other = (simulated_half_widths(rule, coverage=part, problems=12) for part in (0.5, 0.95))
    assert one is not None
    assert other is not None
    assert np.all(one.pointwise < other.pointwise)


def test_the_words_label_it_as_simulated() -> None:
    found = simulated_half_widths(rule_of("objective-l2", 1.0), problems=12, draws=20)
    assert found is not None
    for words in (
        "simulated",
        "12 synthetic trials",
        "95 of 100",
        "none of them yours",
        "sensitive",
    ):
        assert words in found.words
    assert why_not(rule_of("objective-l2", 1.0)) == ""


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"mechanism": "spherical-laplace"}, "the law of the noise is public"),
        ({"epsilon": math.inf}, "no noise was added"),
        ({"relation": "add_remove"}, "the number of people is sensitive"),
    ],
)
def test_nothing_is_simulated_where_nothing_can_be(other: dict[str, Any], reason: str) -> None:
    rule = estimator("objective-l2", 1.0).set_params(**other).fit(*own_units(0)).rule_
    assert simulated_half_widths(rule) is None
    assert reason in why_not(rule)


def test_nothing_is_simulated_for_very_wide_rules_and_unknown_losses() -> None:
    rule = rule_of("objective-l2", 1.0)
    wide = altered(rule, dimension=65)
    assert simulated_half_widths(wide) is None
    assert "65 coefficients" in why_not(wide)
    loss = rule.release.certificate.loss.model_copy(update={"name": "of-my-own"})
    strange = altered(rule, loss=loss)
    assert simulated_half_widths(strange) is None
    assert "loss" in why_not(strange)


def test_no_table_can_be_given() -> None:
    names = inspect.signature(simulated_half_widths).parameters
    assert list(names) == ["rule", "coverage", "problems", "draws"]


@pytest.mark.parametrize("wrong", [{"coverage": 0.0}, {"coverage": 1.0}, {"draws": 1}])
def test_parameters_have_their_ranges(wrong: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match="must be"):
        simulated_half_widths(rule_of("objective-l2", 1.0), **wrong)
