"""An intercept with hardly a penalty; with all of it, it is the library's mechanism."""

import numpy as np
import pytest

from dpwerm.audit.faults.chain import Chain
from dpwerm.audit.faults.free_intercept import FREE, FreeIntercept
from dpwerm.audit.faults.people import HINGE, weighed
from dpwerm.audit.likelihood import log_density
from dpwerm.problem.data import WeightedData

NAMES = ["objective-l2", "objective-block"]


@pytest.mark.parametrize("name", NAMES)
def test_with_the_whole_penalty_it_is_the_mechanism(name: str) -> None:
    whole = FreeIntercept("whole", name, 1.0)
    (pair,) = whole.pairs()
    library = Chain(name, pair, whole.plan, lambda people: weighed(people, intercept=1.0))
    mine, its = (target.outputs(pair.first, 500, (3,)) for target in (whole, library))
    assert mine == pytest.approx(its, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_the_score_is_the_likelihood_ratio(name: str) -> None:
    whole = FreeIntercept("whole", name, 1.0)
    (pair,) = whole.pairs()
    outputs = whole.outputs(pair.first, 500, (4,))
    bounds = np.ones(2)
    one, other = (
        log_density(
            outputs,
            WeightedData(people.x, people.arm, np.ones(1), 1.0, bounds),
            HINGE,
            whole.plan,
        )
        for people in pair.both
    )
    assert whole.score(outputs, pair) == pytest.approx(one - other, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
def test_the_log_ratio_keeps_its_bound_only_with_the_whole_penalty(name: str) -> None:
    largest = {}
    for share in (1.0, FREE):
        target = FreeIntercept("share", name, share)
        (pair,) = target.pairs()
        outputs = np.concatenate([target.outputs(data, 2000, (5,)) for data in pair.both])
        largest[share] = np.abs(target.score(outputs, pair)).max()
    assert largest[1.0] <= float(target.claim.epsilon)
    assert largest[FREE] > 3
