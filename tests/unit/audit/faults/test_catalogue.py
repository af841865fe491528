"""Every fault is caught, and its healthy twin passes, with the runs the catalogue states."""

from functools import cache

import pytest

from dpwerm.audit.attack import Audited, audit
from dpwerm.audit.faults import CATALOGUE, CONFIDENCE, FAULTS, RUNS, TWINS
from dpwerm.mechanisms import MECHANISMS

ASKED = {
    "benefit-shift",
    "own-propensity",
    "own-propensity-h-over-n",
    "ignored-gamma",
    "scaled-by-largest",
    "free-intercept-objective-l2",
    "plain-doubles",
    *(f"small-noise-{name}" for name in MECHANISMS if name != "none"),
    *(f"single-weight-{name}" for name in MECHANISMS if name != "none"),
}


@cache
def audited(fault: str, twin_name: str) -> Audited:
    """Audit a twin once, though two faults may share it; twin_name tells which it is."""
    found = audit(TWINS[fault](), runs=RUNS, confidence=CONFIDENCE)
    assert found.name == twin_name
    return found


def first_with(twin_name: str) -> str:
    return next(name for name in TWINS if TWINS[name]().name == twin_name)


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_caught(name: str) -> None:
    found = audit(FAULTS[name](), runs=RUNS, confidence=CONFIDENCE)
    assert found.lower > float(found.claim.epsilon)
    assert not found.holds


@pytest.mark.parametrize("name", TWINS)
def test_its_twin_passes(name: str) -> None:
    twin = TWINS[name]()
    found = audited(first_with(twin.name), twin.name)
    assert found.holds
    assert found.claim == twin.claim


def test_what_was_asked_for_is_there() -> None:
    assert FAULTS.keys() >= ASKED
    assert FAULTS.keys() == TWINS.keys() == CATALOGUE.keys()
    assert 1 - CONFIDENCE <= 1.0001e-6


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_and_its_twin_differ_in_one_part_only(name: str) -> None:
    broken, healthy = FAULTS[name](), TWINS[name]()
    assert broken.name == name
    assert broken.name != healthy.name
    assert broken.claim == healthy.claim
    assert broken.dimension == healthy.dimension
    assert [pair.name for pair in broken.pairs()] == [pair.name for pair in healthy.pairs()]


def test_no_fault_is_registered() -> None:
    assert not FAULTS.keys() & MECHANISMS.keys()
