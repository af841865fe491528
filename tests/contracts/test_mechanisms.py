"""What every registered mechanism must do; a new one is tested by being in the table."""

import pickle
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import ctx
from tests.unit.mechanisms.laws import NOISE_LAWS

from dpwerm.arrays import FloatArray
from dpwerm.errors import ParameterError
from dpwerm.features.blocks import CategoryBlock, Level, NumberBlock
from dpwerm.features.encoding import Encoding
from dpwerm.fit import fit_release
from dpwerm.mechanisms import MECHANISMS, get_mechanism
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import HuberisedHinge, Logistic
from dpwerm.objective.objective import Objective
from dpwerm.objective.rows import MemoryRows
from dpwerm.privacy.budget import Budget, GaussianBudget, Relation
from dpwerm.privacy.randomness import BitSource, OperatingSystemBits, SeededBits
from dpwerm.releases.certificate import Specification, facts_of
from dpwerm.releases.release import Release
from dpwerm.releases.rule_file import verify_release

ROOT = Path(__file__).parents[2]
NAMES = sorted(MECHANISMS)
PRIVATE = [name for name in NAMES if name != "none"]
INSIDE = [name for name in NAMES if name not in NOISE_LAWS]
every = pytest.mark.parametrize("name", NAMES)
relations = pytest.mark.parametrize("relation", list(Relation))

OTHERS = [Budget.zcdp("0.1"), Budget.gdp("0.5")]
"""Budgets in the notions of Gaussian noise."""

GAMMA, W, N = 40.0, 3.0, 30
ENCODING = Encoding(
    intercept=0.5,
    blocks=(
        NumberBlock(name="a", column="a", lower=0.0, upper=1.0, default=0.5),
        CategoryBlock(
            name="b",
            column="b",
            levels=tuple(Level(name=level, cells=(level,)) for level in "xyz"),
            default="x",
        ),
    ),
)
RNG = np.random.default_rng(3)
X = np.column_stack([RNG.uniform(-1, 1, N), np.eye(3)[RNG.integers(0, 3, N)]])
Y = np.where(X[:, 0] + X[:, 1] > 0.5, 1.0, -1.0)
WEIGHTS = RNG.uniform(0, W, N)


def budget_for(name: str, epsilon: str = "1") -> Budget:
    if name == "none":
        return Budget.of("inf")
    return Budget.of(epsilon, "1e-6" if get_mechanism(name).needs_delta else 0)


def spec(name: str, relation: Relation = Relation.REPLACE_ONE, epsilon: str = "1") -> Specification:
    return Specification(
        budget_for(name, epsilon), GAMMA, W, mechanism=name, relation=relation, loss=Logistic()
    )


def calibration_for(
    name: str, relation: Relation = Relation.REPLACE_ONE, epsilon: str = "1", n: int = N
) -> Calibration:
    chosen = spec(name, relation, epsilon)
    return get_mechanism(name).calibrate(facts_of(chosen, ENCODING, n), chosen.budget)


def objective(rows: slice = slice(None), **other: Any) -> Objective:
    bounds = ENCODING.domain.column_bounds
    data = MemoryRows(X[rows], Y[rows], WEIGHTS[rows], ENCODING.intercept_scale, bounds)
    return replace(Objective(data, Logistic(), GAMMA), **other)


def theta(released: tuple[int, ...], calibration: Calibration) -> FloatArray:
    return np.array(released, dtype=np.float64) * 2.0**calibration.noise.exponent


def fitted(chosen: Specification, bits: BitSource) -> Release:
    return fit_release(X, Y, WEIGHTS, encoding=ENCODING, spec=chosen, bits=bits)


def test_the_table_holds_these_mechanisms_and_cannot_be_changed() -> None:
    assert NAMES == [
        "gaussian",
        "none",
        "objective-block",
        "objective-gaussian",
        "objective-l2",
        "product-laplace",
        "spherical-laplace",
    ]
    table: Any = MECHANISMS
    with pytest.raises(TypeError):
        table["other"] = None


@pytest.mark.parametrize("name", ["laplace", "", None, 3])
def test_an_unknown_name_is_refused_with_the_names(name: object) -> None:
    with pytest.raises(ParameterError, match=", ".join(NAMES)):
        get_mechanism(name)


@every
def test_a_mechanism_states_its_claim_and_its_proof(name: str) -> None:
    mechanism = get_mechanism(name)
    assert mechanism.name == name
    assert mechanism.statement.endswith(".")
    assert len(mechanism.statement) <= 1000
    assert (ROOT / mechanism.proof).is_file()


@relations
@every
def test_a_plan_follows_from_the_facts_and_leads_back_to_itself(
    name: str, relation: Relation
) -> None:
    calibration = calibration_for(name, relation)
    assert calibration == calibration_for(name, relation)
    assert calibration.mechanism == name
    assert get_mechanism(name).calibrate(calibration.facts, calibration.budget) == calibration
    assert pickle.loads(pickle.dumps(calibration)) == calibration  # noqa: S301
    assert (calibration.inside is None) is (name in NOISE_LAWS)
    assert (calibration.sensitivity is None) is (name in INSIDE)
    assert calibration.noise.dimension == calibration.facts.dimension == 5


@relations
@every
def test_a_run_is_integers_that_follow_from_the_seed(name: str, relation: Relation) -> None:
    mechanism, calibration = get_mechanism(name), calibration_for(name, relation)
    one = mechanism.run(objective(), calibration, SeededBits(1))
    assert len(one) == 5
    assert all(type(k) is int for k in one)
    assert mechanism.run(objective(), calibration, SeededBits(1)) == one
    assert (mechanism.run(objective(), calibration, SeededBits(2)) == one) is (name == "none")


@pytest.mark.parametrize("name", PRIVATE)
def test_the_operating_system_never_repeats_itself(name: str) -> None:
    mechanism, calibration, bits = get_mechanism(name), calibration_for(name), OperatingSystemBits()
    assert len({mechanism.run(objective(), calibration, bits) for _ in range(5)}) == 5


@every
def test_no_row_at_all_is_released_under_add_remove(name: str) -> None:
    calibration = calibration_for(name, Relation.ADD_REMOVE)
    released = get_mechanism(name).run(objective(slice(0, 0)), calibration, SeededBits(1))
    assert len(released) == 5
    assert calibration.facts.n is None


@pytest.mark.parametrize("name", PRIVATE)
def test_with_hardly_any_privacy_the_minimiser_comes_out(name: str) -> None:
    baseline = calibration_for("none")
    exact = theta(get_mechanism("none").run(objective(), baseline, SeededBits(0)), baseline)
    calibration = calibration_for(name, epsilon="100000000")
    near = theta(get_mechanism(name).run(objective(), calibration, SeededBits(0)), calibration)
    # Even the Gaussian mechanisms are left with noise far below the coefficients.
    assert np.abs(near - exact).max() < 1e-3 < np.abs(exact).max()


@relations
@every
def test_a_release_verifies(name: str, relation: Relation) -> None:
    release = fitted(spec(name, relation), OperatingSystemBits())
    assert release.private is (name != "none")
    assert [finding for finding in verify_release(release) if not finding.holds] == []


@relations
@pytest.mark.parametrize("budget", OTHERS, ids=str)
@every
def test_other_notions_are_released_by_gaussian_and_refused_by_the_rest(
    name: str, budget: GaussianBudget, relation: Relation
) -> None:
    chosen = spec("gaussian", relation).changed(budget=budget)
    if name == "gaussian":
        release = fitted(chosen, OperatingSystemBits())
        assert release.private
        assert release.certificate.budget == budget
        assert [finding for finding in verify_release(release) if not finding.holds] == []
        return
    facts = calibration_for(name, relation).facts
    with pytest.raises(ParameterError, match=f"^mechanism {name} needs epsilon; use gaussian"):
        get_mechanism(name).calibrate(facts, budget)
    with pytest.raises(ParameterError, match=f"^mechanism '?{name}'? "):
        chosen.changed(mechanism=name)


def edits_of(record: Any) -> list[Any]:
    """Return the record with each number, text or missing value edited in turn."""
    edited = []
    for field in fields(record):
        value = getattr(record, field.name)
        if isinstance(value, str):
            edited.append(replace(record, **{field.name: value + "x"}))
        elif value is None:
            edited.append(replace(record, **{field.name: 1.0}))
        elif isinstance(value, Budget):
            edited.append(replace(record, **{field.name: Budget.zcdp(7)}))
        else:
            edited.append(replace(record, **{field.name: value / 2 if value else value + 1}))
    return edited


@every
def test_an_edited_plan_is_refused(name: str) -> None:
    mechanism, calibration = get_mechanism(name), calibration_for(name)
    facts = replace(calibration.facts, gamma=2 * GAMMA)
    edited = [replace(calibration, **change) for change in ({"facts": facts}, {"mechanism": "x"})]
    edited += [
        replace(calibration, tolerance=2 * calibration.tolerance),
        replace(calibration, sensitivity=1.25),
    ]
    edited += [
        replace(calibration, noise=noise)
        for noise in edits_of(calibration.noise)
        if noise != calibration.noise
    ]
    if name != "none":
        edited.append(replace(calibration, budget=budget_for(name, "2")))
    edited += [replace(calibration, budget=budget) for budget in OTHERS if name == "gaussian"]
    if calibration.inside is not None:
        edited += [replace(calibration, inside=inside) for inside in edits_of(calibration.inside)]
        edited.append(replace(calibration, inside=None))
    for other in edited:
        with pytest.raises(ParameterError, match="calibration"):
            mechanism.run(objective(), other, SeededBits(0))


def with_row(row: FloatArray, weight: float = 1.0) -> MemoryRows:
    data = objective().data
    rows, weights = X.copy(), WEIGHTS.copy()
    rows[7], weights[7] = row, weight
    return MemoryRows(rows, Y, weights, ENCODING.intercept_scale, data.column_bounds)


HEAVY = with_row(X[7], W * 1.0001)
OUTSIDE = with_row(np.array([0.0, 0.7, -0.7, 0.0]))
LARGER = MemoryRows(X, Y, WEIGHTS, 0.5, 2 * ENCODING.domain.column_bounds)
NARROW = MemoryRows(X[:, :3], Y, WEIGHTS, 0.5, ENCODING.domain.column_bounds[:4])
OBJECTIVES: dict[str, tuple[dict[str, Any], str]] = {
    "another gamma": ({"gamma": 2 * GAMMA}, "gamma"),
    "a steeper loss": ({"loss": HuberisedHinge(0.5)}, "loss has larger constants"),
    "a linear term": ({"linear_term": (np.ones(5),)}, "linear term"),
    "a heavy weight": ({"data": HEAVY}, "weights must not exceed weight_bound"),
    "a row outside its block": ({"data": OUTSIDE}, "row outside"),
    "larger bounds": ({"data": LARGER}, "column_bounds"),
    "fewer columns": ({"data": NARROW}, "column_bounds"),
    "fewer rows": ({"data": objective(slice(1, None)).data}, "n of the calibration"),
}


@every
@pytest.mark.parametrize("case", OBJECTIVES)
def test_an_objective_that_the_plan_is_not_about_is_refused(name: str, case: str) -> None:
    change, words = OBJECTIVES[case]
    with pytest.raises(ParameterError, match=words) as caught:
        get_mechanism(name).run(objective(**change), calibration_for(name), SeededBits(0))
    assert "0.7" not in str(caught.value)


def test_a_row_on_the_edge_of_its_block_is_taken() -> None:
    edge = objective(data=with_row(np.array([-1.0, 0.5, 0.0, -0.25])))
    assert (
        len(
            get_mechanism("objective-block").run(
                edge, calibration_for("objective-block"), SeededBits(0)
            )
        )
        == 5
    )


WRONG_BUDGETS = {
    "spherical-laplace": ["inf 0", "1 1e-6"],
    "product-laplace": ["inf 0", "1 1e-6"],
    "gaussian": ["inf 1e-6", "1 0"],
    "none": ["1 0", "1 1e-6", "inf 1e-6"],
    "objective-l2": ["inf 0", "1 1e-6", "0.0000999 0"],
    "objective-block": ["inf 0", "1 1e-6", "0.0000999 0"],
    "objective-gaussian": ["inf 1e-6", "1 0", "0.0000999 1e-6"],
}


@pytest.mark.parametrize(
    ("name", "budget"), [(name, text) for name in NAMES for text in WRONG_BUDGETS[name]]
)
def test_a_budget_it_cannot_meet_is_refused_by_name(name: str, budget: str) -> None:
    with pytest.raises(ParameterError, match=f"^mechanism {name} needs"):
        get_mechanism(name).calibrate(calibration_for(name).facts, Budget.of(*budget.split()))


@every
def test_stages_are_named_and_the_precision_is_left_alone(name: str) -> None:
    before, seen = ctx.prec, list[str]()
    get_mechanism(name).run(objective(), calibration_for(name), SeededBits(0), seen.append)
    first = ["drawing noise"] if name in INSIDE else []
    assert seen == [*first, "solving", "adding noise"]
    assert ctx.prec == before
