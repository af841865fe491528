"""Made-up people and the weights the library gives them, and chains on the calibration's grid."""

from dataclasses import replace

import numpy as np
import pytest
from tests.faults.chain import UNIT, Chain, People, facts_of, on_grid, replaced, spherical, weighed

from dpwerm.mechanisms import get_mechanism
from dpwerm.privacy.budget import Budget


def test_neighbours_differ_in_the_last_person() -> None:
    pair = replaced("pair", People.alike(2, 0.5), People.alike(1, 1.0), People.alike(1, -1.0, -1.0))
    assert pair.first.x[:-1].tolist() == pair.second.x[:-1].tolist() == [[0.5], [0.5]]
    assert (pair.first.x[-1, 0], pair.second.x[-1, 0]) == (1.0, -1.0)
    assert (pair.first.arm[-1], pair.second.arm[-1]) == (1.0, -1.0)


def test_weights_are_signed_and_cut_at_their_bound() -> None:
    people = People(np.ones((3, 1)), np.array([1.0, -1.0, 1.0]), np.array([1.0, -2.0, 9.0]))
    problem = weighed(people, probability=0.5, bound=5.0)
    assert problem.targets[0].tolist() == [1.0, 1.0, 1.0]
    assert problem.weights[0].tolist() == [2.0, 4.0, 5.0]


def test_the_radius_follows_from_the_blocks() -> None:
    assert facts_of(UNIT * 2, n=3, gamma=1.0).radius == pytest.approx(2**0.5)
    assert facts_of(((3, 1.0),), n=3, gamma=1.0).radius == 1.0


ONE, ANOTHER = (People.alike(1, 1.0, arm) for arm in (1.0, -1.0))
PAIR = replaced("one or the other", People.alike(3, 1.0), ONE, ANOTHER)
CHAIN = spherical("chain", PAIR, weighed, facts_of(UNIT, n=4, gamma=20.0))


def test_the_centre_is_the_minimiser() -> None:
    # The hinge is straight up to 1/2: θ = Σ w y x/γ.
    assert CHAIN.centre(PAIR.first) == pytest.approx([4 / 20], abs=1e-9)
    assert CHAIN.centre(PAIR.second) == pytest.approx([2 / 20], abs=1e-9)


def test_the_pair_costs_all_of_the_claim_and_no_more() -> None:
    assert CHAIN.moved == pytest.approx(1.0, abs=1e-5)


def test_outputs_lie_on_the_grid_around_the_centre() -> None:
    outputs = CHAIN.outputs(PAIR.first, 20_001, (1, "here"))
    steps = np.ldexp(outputs, -CHAIN.calibration.noise.exponent)
    assert np.array_equal(steps, np.rint(steps))
    assert np.median(outputs) == pytest.approx(0.2, abs=0.05 * CHAIN.calibration.noise.scale)


def test_outputs_depend_on_the_key_alone() -> None:
    first, again, other = (CHAIN.outputs(PAIR.first, 5, key) for key in ((1,), (1,), (2,)))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_objective_perturbation_gets_both_of_its_noises() -> None:
    calibration = get_mechanism("objective-l2").calibrate(CHAIN.calibration.facts, Budget.of(1))
    chain = Chain("inside", PAIR, calibration, weighed)
    loud = replace(
        chain, calibration=replace(calibration, noise=replace(calibration.noise, scale=100.0))
    )
    assert chain.outputs(PAIR.first, 1000, (1,)).std() < 1
    assert loud.outputs(PAIR.first, 1000, (1,)).std() > 50


def test_the_solver_may_have_another_gamma() -> None:
    chain = replace(CHAIN, solver_gamma=40.0)
    assert chain.centre(PAIR.first) == pytest.approx([4 / 40], abs=1e-9)
    assert chain.calibration == CHAIN.calibration


def test_the_grid_is_the_nearest_multiple() -> None:
    assert on_grid(np.array([0.3, -0.3, 5.0]), -1).tolist() == [0.5, -0.5, 5.0]
