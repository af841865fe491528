"""What every law of noise must do; a new one is tested by being in the table."""

import json
import math
import pickle
from dataclasses import asdict, fields, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from flint import ctx
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.mechanisms.laws import NOISE_LAWS

from dpwerm.errors import ParameterError
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.contract import Noise
from dpwerm.mechanisms.output_perturbation import OutputPerturbation
from dpwerm.privacy.budget import AnyBudget, Budget, only_budget
from dpwerm.privacy.randomness import OperatingSystemBits, SeededBits

ROOT = Path(__file__).parents[2]
NAMES = sorted(NOISE_LAWS)
PRIVATE = [name for name in NAMES if name != "none"]
every = pytest.mark.parametrize("name", NAMES)


OTHERS: list[AnyBudget] = [Budget.zcdp("0.1"), Budget.gdp("0.5")]
"""Budgets in the notions of Gaussian noise."""


def budget_for(law: OutputPerturbation, epsilon: str = "0.3") -> Budget:
    if law.name == "none":
        return Budget.of("inf")
    return Budget.of(epsilon, "1e-6" if law.needs_delta else 0)


def noise_for(law: OutputPerturbation, dimension: int, sensitivity: float = 0.7) -> Noise:
    return law.noise_for(sensitivity, dimension, budget_for(law))


def test_there_are_four_laws_and_the_table_cannot_be_changed() -> None:
    assert NAMES == ["gaussian", "none", "product-laplace", "spherical-laplace"]
    table: Any = MECHANISMS
    with pytest.raises(TypeError):
        table["other"] = None


@every
def test_a_law_states_its_claim_and_its_proof(name: str) -> None:
    law = NOISE_LAWS[name]
    assert law.name == name
    assert law.statement.endswith(".")
    page = (ROOT / law.proof).read_text(encoding="utf-8")
    assert name == "none" or type(law).__name__ in page


@every
def test_the_record_says_everything_and_leads_back_to_itself(name: str) -> None:
    law = NOISE_LAWS[name]
    noise = noise_for(law, 3)
    assert noise.mechanism == name
    assert (noise.dimension, noise.sensitivity) == (3, 0.7)
    again = law.noise_for(noise.sensitivity, noise.dimension, noise.budget)
    assert again == noise
    written = json.loads(json.dumps(asdict(noise) | {"budget": noise.budget.plain()}))
    budget = only_budget(**written["budget"])
    assert law.noise_for(written["sensitivity"], written["dimension"], budget) == noise
    assert pickle.loads(pickle.dumps(noise)) == noise  # noqa: S301


@every
def test_twice_the_sensitivity_is_twice_the_noise(name: str) -> None:
    law = NOISE_LAWS[name]
    one, two = noise_for(law, 3), noise_for(law, 3, 1.4)
    assert two.scale == 2 * one.scale
    assert two.exponent == one.exponent + 1


@pytest.mark.parametrize("name", PRIVATE)
def test_less_privacy_is_less_noise(name: str) -> None:
    law = NOISE_LAWS[name]
    scales = [
        law.noise_for(1.0, 3, budget_for(law, epsilon)).scale
        for epsilon in ("0.000001", "0.1", "0.2", "1", "100", "1000000000")
    ]
    assert scales == sorted(scales, reverse=True)
    assert len(set(scales)) == len(scales)


@every
def test_a_release_is_integers_that_follow_from_the_seed(name: str) -> None:
    law = NOISE_LAWS[name]
    theta = [Fraction(1, 4), Fraction(-5, 8), Fraction(0)]
    noise = noise_for(law, 3)
    one = law.release(theta, noise, SeededBits(1))
    assert len(one) == 3
    assert all(type(k) is int for k in one)
    assert law.release(theta, noise, SeededBits(1)) == one
    other = law.release(theta, noise, SeededBits(2))
    assert (other == one) is (name == "none")


@pytest.mark.parametrize("name", PRIVATE)
def test_the_operating_system_never_repeats_itself(name: str) -> None:
    law = NOISE_LAWS[name]
    noise, bits = noise_for(law, 4), OperatingSystemBits()
    releases = {law.release([Fraction(0)] * 4, noise, bits) for _ in range(20)}
    assert len(releases) == 20


@every
def test_shifting_theta_by_cells_shifts_the_release(name: str) -> None:
    # The noise does not depend on θ: the same bits give the same noise.
    law = NOISE_LAWS[name]
    noise = noise_for(law, 2)
    theta = [Fraction(1, 3), Fraction(1, 7)]
    cells = (10**30, -17)
    moved = [t + k * Fraction(2) ** noise.exponent for t, k in zip(theta, cells, strict=True)]
    here = law.release(theta, noise, SeededBits(3))
    there = law.release(moved, noise, SeededBits(3))
    assert tuple(b - a for a, b in zip(here, there, strict=True)) == cells


@every
@given(
    sensitivity=st.floats(1e-100, 1e100),
    theta=st.lists(
        st.builds(
            lambda k, e: Fraction(k) * Fraction(2) ** e,
            st.integers(-(2**60), 2**60),
            st.integers(-1100, 1000),
        ),
        min_size=1,
        max_size=6,
    ),
    epsilon=st.sampled_from(["0.000001", "0.1", "3", "1000000000"]),
    seed=st.integers(0, 2**64),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_release_ends_for_every_theta_and_scale(
    name: str, sensitivity: float, theta: list[Fraction], epsilon: str, seed: int
) -> None:
    law = NOISE_LAWS[name]
    noise = law.noise_for(sensitivity, len(theta), budget_for(law, epsilon))
    released = law.release(theta, noise, SeededBits(seed))
    grid, reach = Fraction(2) ** noise.exponent, Fraction(noise.scale) * 10_000
    for k, t in zip(released, theta, strict=True):
        assert abs(k * grid - t) <= reach + grid


@every
def test_one_and_a_thousand_dimensions_work(name: str) -> None:
    law = NOISE_LAWS[name]
    for p in (1, 1000):
        assert len(law.release([Fraction(0)] * p, noise_for(law, p), SeededBits(0))) == p


@every
def test_an_edited_record_is_refused(name: str) -> None:
    law = NOISE_LAWS[name]
    noise = noise_for(law, 2)
    for field in fields(noise):
        value = getattr(noise, field.name)
        other: dict[str, Any] = {field.name: "x" if isinstance(value, str) else value}
        if isinstance(value, int | float):
            other = {field.name: value + 1}
        elif field.name == "budget":
            other = {field.name: Budget.of(7, "1e-5")}
        assert other[field.name] != value
        with pytest.raises(ParameterError):
            law.release([Fraction(0)] * 2, replace(noise, **other), SeededBits(0))


@every
def test_theta_of_another_length_is_refused_without_its_values(name: str) -> None:
    law = NOISE_LAWS[name]
    with pytest.raises(ParameterError, match="theta must have 2 entries") as caught:
        law.release([Fraction(12345)], noise_for(law, 2), SeededBits(0))
    assert "12345" not in str(caught.value)


@every
@pytest.mark.parametrize("sensitivity", [0.0, -1.0, math.nan, math.inf, 1e101, "1", None, True])
def test_a_sensitivity_outside_its_range_is_refused(name: str, sensitivity: Any) -> None:
    law = NOISE_LAWS[name]
    with pytest.raises(ParameterError, match=r"^sensitivity must"):
        law.noise_for(sensitivity, 2, budget_for(law))


@every
@pytest.mark.parametrize("dimension", [0, -1, 1.5, "2", True])
def test_a_dimension_outside_its_range_is_refused(name: str, dimension: Any) -> None:
    law = NOISE_LAWS[name]
    with pytest.raises(ParameterError, match=r"^dimension must"):
        law.noise_for(1.0, dimension, budget_for(law))


WRONG_BUDGETS = {
    "spherical-laplace": ["inf 0", "1 1e-6"],
    "product-laplace": ["inf 0", "1 1e-6"],
    "gaussian": ["inf 1e-6", "1 0"],
    "none": ["1 0", "1 1e-6", "inf 1e-6"],
}


@pytest.mark.parametrize(
    ("name", "budget"), [(name, text) for name in NAMES for text in WRONG_BUDGETS[name]]
)
def test_a_budget_it_cannot_meet_is_refused_by_name(name: str, budget: str) -> None:
    with pytest.raises(ParameterError, match=f"^mechanism {name} needs"):
        NOISE_LAWS[name].noise_for(1.0, 2, Budget.of(*budget.split()))


@pytest.mark.parametrize("budget", OTHERS, ids=str)
@every
def test_other_notions_are_met_by_gaussian_noise_and_refused_by_the_rest(
    name: str, budget: AnyBudget
) -> None:
    law = NOISE_LAWS[name]
    if name != "gaussian":
        with pytest.raises(ParameterError, match=f"^mechanism {name} needs epsilon; use gaussian"):
            law.noise_for(1.0, 2, budget)
        return
    noise = law.noise_for(1.0, 2, budget)
    assert law.noise_for(1.0, 2, only_budget(**noise.budget.plain())) == noise
    assert pickle.loads(pickle.dumps(noise)) == noise  # noqa: S301
    assert len(law.release([Fraction(0)] * 2, noise, SeededBits(0))) == 2
    with pytest.raises(ParameterError):
        law.release([Fraction(0)] * 2, replace(noise, scale=noise.scale / 2), SeededBits(0))


@every
def test_the_precision_of_the_ball_arithmetic_is_left_alone(name: str) -> None:
    law, before = NOISE_LAWS[name], ctx.prec
    law.release([Fraction(1, 3)] * 3, noise_for(law, 3), SeededBits(0))
    assert ctx.prec == before
