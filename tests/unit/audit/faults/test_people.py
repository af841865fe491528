"""Made-up people, and the weights the library gives them."""

import numpy as np
import pytest

from dpwerm.audit.faults.people import UNIT, People, facts_of, replaced, weighed


def test_neighbours_differ_in_the_last_person() -> None:
    pair = replaced("pair", People.alike(2, 0.5), People.alike(1, 1.0), People.alike(1, -1.0, -1.0))
    assert pair.first.x[:-1].tolist() == pair.second.x[:-1].tolist() == [[0.5], [0.5]]
    assert (pair.first.x[-1, 0], pair.second.x[-1, 0]) == (1.0, -1.0)
    assert (pair.first.arm[-1], pair.second.arm[-1]) == (1.0, -1.0)


def test_weights_are_signed_and_cut_at_their_bound() -> None:
    people = People(np.ones((3, 1)), np.array([1.0, -1.0, 1.0]), np.array([1.0, -2.0, 9.0]))
    problem = weighed(people, probability=0.5, bound=5.0)
    assert problem.y[0].tolist() == [1.0, 1.0, 1.0]
    assert problem.weights[0].tolist() == [2.0, 4.0, 5.0]


def test_the_radius_follows_from_the_blocks() -> None:
    assert facts_of(UNIT * 2, n=3, gamma=1.0).radius == pytest.approx(2**0.5)
    assert facts_of(((3, 1.0),), n=3, gamma=1.0).radius == 1.0
