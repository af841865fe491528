"""Tightness of a sorted table; ranges without noise or around a mean; guards that look twice."""

import numpy as np
import pytest
from tests.faults.chain import CLAIM
from tests.faults.parts import (
    AllPairs,
    ByNoise,
    FromSample,
    Neighbours,
    OneLook,
    OwnCentre,
    PublicMiddle,
    ReleasedCentre,
    SampleMiddle,
    TwoLooks,
)

from dpwerm.audit.parts import GuardTarget


def test_a_person_shifts_all_neighbours_of_a_sorted_table_and_no_other_pairs() -> None:
    moved = []
    for kind in (AllPairs, Neighbours):
        (pair,) = kind(CLAIM).pairs()
        one, other = (kind(CLAIM).between(data) for data in pair.both)
        moved.append(abs(one - other) / kind(CLAIM).law(10).scale)
    assert moved[0] <= 1 + 1e-9
    assert moved[1] == pytest.approx(4.0)


def test_the_upper_end_of_the_sample_is_one_persons() -> None:
    target = FromSample(CLAIM)
    (pair,) = target.pairs()
    ends = [target.outputs(data, 2, (1,))[0].tolist() for data in pair.both]
    assert ends == [[0.0, 1.0], [-1.0, 0.0]]
    assert ByNoise(CLAIM).outputs(pair.first, 5, (1,)).std() > 0


def test_a_mean_that_nobody_released_moves_every_deviation() -> None:
    target = OwnCentre(CLAIM)
    # 0.6 for the centres; the deviations of 36 people move by 2/40 each, at a scale of ½/0.4.
    assert target.spent == pytest.approx(0.6 + 0.8 * 36 * 2 / 40, rel=1e-6)
    (pair,) = target.pairs()
    sound = ReleasedCentre(CLAIM)
    outputs = sound.outputs(pair.first, 4000, (1,))
    assert np.abs(sound.score(outputs, pair)).max() <= 1 + 1e-9


@pytest.mark.parametrize("kind", [OneLook, PublicMiddle])
def test_a_right_guard_spends_its_epsilon_at_most(kind: type[OneLook]) -> None:
    assert 0.5 < kind(CLAIM).spent <= 1 + 1e-9


def test_a_rule_that_lost_twice_tells_twice_as_much() -> None:
    assert TwoLooks(CLAIM).spent == pytest.approx(2 * OneLook(CLAIM).spent, rel=1e-3)
    (pair,) = TwoLooks(CLAIM).pairs()
    for data in pair.both:
        assert np.exp(TwoLooks(CLAIM).log_law(data)).sum() == pytest.approx(1.0)


def test_residuals_from_the_sample_move_everybodys_part() -> None:
    assert SampleMiddle(CLAIM).spent > 2
    (pair,) = SampleMiddle(CLAIM).pairs()
    for kind, moved in ((PublicMiddle, 1), (SampleMiddle, 201)):
        one, other = (kind(CLAIM).units(data) for data in pair.both)
        assert (one != other).sum() == moved
    assert isinstance(SampleMiddle(CLAIM), GuardTarget)
