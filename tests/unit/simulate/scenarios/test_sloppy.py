"""The sloppy suite keeps what it declares; it is frozen, and nothing is chosen on it."""

import hashlib
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.accuracy import Judge, trial_rng
from benchmarks.utility.methods import t_learner
from scipy.special import logit

from dpwerm.arrays import FloatArray
from dpwerm.simulate.scenarios import SCENARIOS, get_scenario
from dpwerm.simulate.scenarios.loose import LINKS, Measure, Sloppy
from dpwerm.simulate.scenarios.sloppy import SLOPPY
from dpwerm.study.check import check

N = 100_000
LARGEST_Z = 6.0  # two-sided 2e-9 for each comparison; there are fewer than 400
NOTHING = ("nothing", "one-for-all")
DRAWS: dict[str, pa.Table] = {}

every_scenario = pytest.mark.parametrize("scenario", SLOPPY.values(), ids=list(SLOPPY))


def drawn(scenario: Sloppy) -> pa.Table:
    if scenario.name not in DRAWS:
        DRAWS[scenario.name] = scenario.draw(N, np.random.default_rng(0))
    return DRAWS[scenario.name]


def largest_z(samples: FloatArray) -> float:
    error = samples.std(axis=0) / np.sqrt(len(samples))
    return float(np.abs(samples.mean(axis=0) / np.maximum(error, 1e-12)).max())


def directed(scenario: Sloppy, table: pa.Table) -> FloatArray:
    """Return the outcome on the scale of the truth: after transform, larger is better."""
    found = table["benefit"].to_numpy().astype(np.float64)
    found = np.log(found) if scenario.transform == "log" else found
    return np.asarray(-found if scenario.direction == "smaller" else found)


def test_the_suite_is_frozen() -> None:
    """It was written before anything was tuned: other trials would judge something else."""
    text = "\n".join(repr(scenario) for scenario in SLOPPY.values())
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "db6e3cb58d60530a"


def test_names_are_apart_and_nothing_can_be_gained_in_the_last_two() -> None:
    assert len(SLOPPY) >= 14
    assert not set(SLOPPY) & set(SCENARIOS)
    assert tuple(SLOPPY)[-2:] == NOTHING
    for name, scenario in SLOPPY.items():
        assert get_scenario(name) is scenario
        assert scenario.name == name
        gained = scenario.optimal_value - scenario.best_fixed_arm_value
        assert (gained == 0) == (name in NOTHING)


@every_scenario
def test_the_study_accepts_its_draws(scenario: Sloppy) -> None:
    table, study = scenario.draw(500, np.random.default_rng(1)), scenario.study()
    assert table.column_names == list(study.columns)
    found = check(study, table)
    assert {one.column for one in found if one.kind != "wide bounds"} <= {"benefit"}
    assert "wide bounds" in {one.kind for one in found}
    assert study.benefit.bounds == scenario.bounds
    assert (study.benefit.direction, study.benefit.transform) == (
        scenario.direction,
        scenario.transform,
    )


@every_scenario
def test_declared_bounds_and_levels_hold(scenario: Sloppy) -> None:
    table = drawn(scenario)
    for name, one in scenario.measured.items():
        if isinstance(one, Measure):
            values = table[name].to_numpy()
            assert one.bounds[0] <= values.min() <= values.max() <= one.bounds[1]
        else:
            cells = table[name].to_numpy(zero_copy_only=False)
            assert set(cells) == set(one.shares)
            for level, share in one.shares.items():
                error = np.sqrt(share * (1 - share) / N)
                assert abs(np.mean(cells == level) - share) < LARGEST_Z * error
    low, high = scenario.bounds
    benefit = table["benefit"].to_numpy()
    assert low <= benefit.min() <= benefit.max() <= high


@every_scenario
def test_units_have_mean_0_and_sd_1(scenario: Sloppy) -> None:
    """Within what clipping at the declared bounds moves: most with 1.4 ± 1 children, at 0."""
    table = drawn(scenario)
    for name, one in scenario.measured.items():
        units = one.units(table, name)
        assert abs(units.mean()) < LARGEST_Z * units.std() / np.sqrt(N) + 0.03
        assert units.std() == pytest.approx(1.0, abs=0.08)


@every_scenario
def test_bounds_are_sloppy(scenario: Sloppy) -> None:
    """Half the declared range is at least twice the outcome's sd, or the benefit is two-valued."""
    low, high = scenario.study().benefit.range
    width = (high - low) / 2 / directed(scenario, drawn(scenario)).std()
    assert width > (1.0 if scenario.name == "response" else 3.0)


@every_scenario
def test_arms_have_their_probabilities(scenario: Sloppy) -> None:
    share = float(Fraction(scenario.probabilities[1]))
    second = drawn(scenario)["arm"].to_numpy(zero_copy_only=False) == scenario.arms[1]
    assert abs(second.mean() - share) < LARGEST_Z * np.sqrt(share * (1 - share) / N)


@every_scenario
def test_outcomes_have_the_means_that_the_law_states(scenario: Sloppy) -> None:
    """E[(B − μ)·g] = 0 for a constant and each unit; refused for means that are 5 % of an sd off.

    B is clipped at its bounds, which moves a mean by less than a hundredth of its sd.
    """
    table = drawn(scenario)
    second = table["arm"].to_numpy(zero_copy_only=False) == scenario.arms[1]
    outcome = directed(scenario, table)
    residual = outcome - scenario.means(table)[np.arange(N), second.astype(int)]
    units = [np.clip(one.units(table, name), -3, 3) for name, one in scenario.measured.items()]
    g = np.column_stack([np.ones(N), *units])
    slack = 0.01 * np.sqrt(N)  # of an sd, in standard errors
    sd = residual.std()
    assert largest_z(residual[:, None] * g) < LARGEST_Z + slack
    assert largest_z((residual - 0.05 * sd)[:, None] * g) > LARGEST_Z + slack


@every_scenario
def test_means_follow_the_stated_formula(scenario: Sloppy) -> None:
    """Both arms lie around level + main(x) on the scale of the link, effect·contrast apart."""
    table = drawn(scenario).slice(0, 2_000)
    units = {name: one.units(table, name) for name, one in scenario.measured.items()}
    contrast = scenario.offset + sum(c * units[name] for name, c in scenario.contrasts.items())
    main = scenario.level + sum(m * units[name] for name, m in scenario.mains.items())
    main = main + sum(q * (units[name] ** 2 - 1) for name, q in scenario.squares.items())
    inverse: dict[str, Callable[[FloatArray], FloatArray]] = {
        "identity": np.asarray,
        "exp": np.log,
        "expit": logit,
    }
    assert set(inverse) == set(LINKS)
    less = scenario.direction == "smaller"
    inner = inverse[scenario.link](-scenario.means(table) if less else scenario.means(table))
    apart = (inner[:, 1] - inner[:, 0]) * (-1 if less else 1)
    assert apart == pytest.approx(scenario.effect * contrast * np.ones(2_000), abs=1e-9)
    assert inner.mean(axis=1) == pytest.approx(main * np.ones(2_000))
    assert np.sign(scenario.contrast(table)) == pytest.approx(
        np.sign(scenario.effect * contrast * np.ones(2_000))
    )


@every_scenario
def test_a_seed_gives_one_trial(scenario: Sloppy) -> None:
    first, second, other = (scenario.draw(50, np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert first.equals(second)
    assert not first.equals(other)


def test_a_linear_t_learner_without_privacy_reaches_two_thirds() -> None:
    """Over the twelve in which something can be gained, at n = 1,000; seeds are fixed."""
    gains = []
    for name, scenario in SLOPPY.items():
        if name not in NOTHING:
            judge = Judge.of(scenario, 1_000)
            for repeat in range(4):
                trial = scenario.draw(1_000, trial_rng(name, 1_000, repeat))
                (arms,) = t_learner(scenario, trial, judge.people, "inf", repeat)
                gains.append(judge.marks(arms).gain)
    assert 0.6 < np.mean(gains) < 0.75
