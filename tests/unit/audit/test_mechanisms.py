import copy
from functools import cached_property

import numpy as np
import pytest

from dpwerm.audit.attack import audit
from dpwerm.audit.mechanisms import MechanismTarget, plain_facts
from dpwerm.audit.suite import mechanism_target, private_mechanisms
from dpwerm.audit.target import Exact, Scored, Searchable
from dpwerm.mechanisms import MECHANISMS
from dpwerm.mechanisms.contract import Calibration
from dpwerm.objective.losses import HuberisedHinge
from dpwerm.privacy.budget import Budget, Relation

SHIPPED = private_mechanisms()
PURE = [name for name in SHIPPED if not MECHANISMS[name].needs_delta]
SURE = 1 - 1e-8


def target(name: str, dimension: int = 2, epsilon: str = "2") -> MechanismTarget:
    return mechanism_target(name, dimension, epsilon, "0.01" if name not in PURE else "0")


@pytest.mark.parametrize("name", SHIPPED)
def test_a_mechanism_can_be_searched_scored_and_released_for_real(name: str) -> None:
    made = target(name)
    assert isinstance(made, Searchable)
    assert isinstance(made, Scored)
    assert isinstance(made, Exact)
    assert (made.name, made.dimension, made.claim) == (name, 2, made.calibration.budget)
    assert copy.deepcopy(made) == made


@pytest.mark.parametrize("name", SHIPPED)
def test_outputs_lie_on_the_public_grid_and_repeat(name: str) -> None:
    made = target(name)
    data = made.pairs()[0].first
    found = made.outputs(data, 300, (1, "a"))
    assert found.shape == (300, 2)
    steps = found / 2.0**made.calibration.noise.exponent
    assert (steps == np.round(steps)).all()
    assert (found == made.outputs(data, 300, (1, "a"))).all()
    assert (found != made.outputs(data, 300, (1, "b"))).any()


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("name", PURE)
def test_the_worst_pair_attains_the_claim_and_no_more(name: str, relation: Relation) -> None:
    # A sensitivity that were half or double of the truth would show as ε/2 or 2ε here.
    made = mechanism_target(name, 2, "2", "0", relation=relation)
    found = 0.0
    for pair in made.pairs():
        outputs = made.outputs(pair.first, 4000, (1, pair.name))
        found = max(found, float(np.abs(made.score(outputs, pair)).max()))
    assert 0.95 * 2 < found <= 2 + 1e-9


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_holds_and_comes_within_a_factor_of_two(name: str) -> None:
    found = audit(target(name, 5, "4"), runs=16_000, confidence=SURE)
    assert found.holds
    assert found.ratio < 2.2


@pytest.mark.parametrize("name", SHIPPED)
def test_half_the_noise_would_be_caught(name: str) -> None:
    honest = target(name, 1, "4")

    class Boastful(MechanismTarget):
        @cached_property
        def calibration(self) -> Calibration:
            return honest.calibration

    less = Budget.of("2", honest.claim.delta)
    boastful = Boastful(honest.mechanism, honest.facts, honest.loss, less)
    found = audit(boastful, runs=8000 if name in PURE else 40_000, confidence=SURE)
    assert found.verdict == "BROKEN"


def test_facts_of_plain_numbers() -> None:
    facts = plain_facts(4, HuberisedHinge(0.5), gamma=3.0, weight_bound=2.0)
    assert (facts.radius, facts.gamma, facts.n) == (2.0, 24.0, 3)
    assert facts.dimension == 4
