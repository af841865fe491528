import itertools
import math

import numpy as np
import pyarrow as pa
import pytest
from scipy.special import expit

from dpwerm.simulate.scenarios import SCENARIOS, get_scenario
from dpwerm.simulate.scenarios.kinds import SameEffect, TruncatedNormal, UnitCube

CORNERS = pa.table(
    {"x1": [0.0, 1.0, 1.0], "x2": [0.0, 1.0, 1.0], "x3": [0.0, 1.0, 0.0]} | {"x4": [0.0, 1.0, 0.0]}
)
UNIFORM = [each for each in SCENARIOS.values() if type(each) is UnitCube]


def positive_moment(theta: tuple[float, ...], power: int) -> float:
    """Return E[f₊^power] for x uniform on the cube, by integrating d times over its corners."""
    d = len(theta) - 1
    total = 0.0
    for corner in itertools.product((0, 1), repeat=d):
        f = theta[0] + sum(c * t for c, t in zip(corner, theta[1:], strict=True))
        total += (-1) ** (d - sum(corner)) * max(f, 0.0) ** (d + power)
    return total * math.factorial(power) / math.factorial(d + power) / math.prod(theta[1:])


@pytest.mark.parametrize("scenario", UNIFORM, ids=lambda each: each.name)
def test_truths_are_the_exact_integrals(scenario: UnitCube) -> None:
    mean_f = scenario.theta[0] + sum(scenario.theta[1:]) / 2
    absolute = 2 * positive_moment(scenario.theta, 1) - mean_f
    common = 0.02 + sum(scenario.main) / 2
    assert scenario.optimal_value == pytest.approx(common + 3 * absolute, abs=2e-4)
    assert scenario.best_fixed_arm_value == pytest.approx(common + 3 * abs(mean_f), abs=2e-4)
    share = positive_moment(scenario.theta, 0)
    assert scenario.second_arm_share == pytest.approx(share, abs=1e-3)


def test_the_papers_problem_is_the_papers() -> None:
    scenario = get_scenario("paper")
    assert scenario.contrast(CORNERS).tolist() == pytest.approx([6.0, -6.0, 18.0])
    assert scenario.means(CORNERS)[:, 1].tolist() == pytest.approx([3.01, -2.97, 9.01])
    assert scenario.best(CORNERS).tolist() == ["B", "A", "B"]
    people = scenario.people(1000, np.random.default_rng(0))
    x1, x2, x3, x4 = (people[f"x{j}"].to_numpy() for j in (1, 2, 3, 4))
    assert scenario.contrast(people) == pytest.approx(6 * (1 + x1 + x2 - 1.8 * x3 - 2.2 * x4))


def test_variants_differ_in_what_they_say() -> None:
    assert get_scenario("theta-1").contrast(CORNERS).tolist() == pytest.approx([6.0, -6.0, -6.0])
    ten, twenty = get_scenario("ten-features"), get_scenario("twenty-features")
    assert (len(ten.features()), len(twenty.features())) == (10, 20)
    more = CORNERS
    for j in range(5, 21):
        more = more.append_column(f"x{j}", pa.array([0.1, 0.9, 0.5]))
    plain = get_scenario("paper").means(CORNERS)
    assert np.array_equal(ten.means(more), plain)
    assert np.array_equal(twenty.means(more), plain)
    strong = get_scenario("main-effect")
    assert strong.contrast(CORNERS) == pytest.approx(get_scenario("paper").contrast(CORNERS))
    assert (strong.means(CORNERS) - plain)[:, 0].tolist() == pytest.approx([0.0, 18.0, 12.0])
    assert 0.91 < get_scenario("nearly-constant").second_arm_share < 0.93


def test_truncated_normal_features_have_their_law() -> None:
    scenario = get_scenario("truncated-normal")
    assert isinstance(scenario, TruncatedNormal)
    people = scenario.people(50_000, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for j, centre in enumerate(scenario.centres):
        drawn = np.sort(people[f"x{j + 1}"].to_numpy())
        kept = rng.normal(centre, 0.3, 200_000)
        kept = np.sort(kept[(kept >= 0) & (kept <= 1)])
        at = np.linspace(0, 1, 50)
        mine, theirs = (np.searchsorted(each, at) / len(each) for each in (drawn, kept))
        assert np.abs(mine - theirs).max() < 0.02  # false alarm below 1e-15


def test_a_zero_one_benefit_keeps_the_boundary() -> None:
    scenario, plain = get_scenario("zero-one-benefit"), get_scenario("paper")
    people = scenario.people(2000, np.random.default_rng(0))
    assert np.array_equal(scenario.best(people), plain.best(people))
    assert scenario.means(CORNERS)[0].tolist() == pytest.approx([expit(-1.4), expit(0.6)])
    means = scenario.means(people)
    assert means.min() > 0
    assert means.max() < 1


def test_the_circle_is_a_circle() -> None:
    table = pa.table({"x1": [0.15, 0.89, 0.91], "x2": [0.15] * 3, "x3": [0.0] * 3, "x4": [0.0] * 3})
    scenario = get_scenario("circle")
    assert not scenario.linear
    assert scenario.best(table).tolist() == ["B", "B", "A"]
    assert scenario.contrast(table)[0] == pytest.approx(12 * 0.75**2)


def test_where_all_gain_the_same_no_rule_beats_a_fixed_arm() -> None:
    people = get_scenario("no-effect").people(500, np.random.default_rng(0))
    absent, constant = get_scenario("no-effect"), get_scenario("constant-effect")
    assert isinstance(constant, SameEffect)
    assert not absent.contrast(people).any()
    assert absent.optimal_value == absent.best_fixed_arm_value
    mixed = np.where(np.arange(500) % 2, "A", "B").astype(object)
    assert absent.value(people, mixed) == absent.value(people, ["A"] * 500)
    assert absent.accuracy(people, mixed) == 1.0
    assert constant.contrast(people) == pytest.approx(1.0)
    assert constant.optimal_value == pytest.approx(constant.best_fixed_arm_value)
    assert constant.accuracy(people, mixed) == 0.5
