"""The scenario suite: trials with a known truth on which every method can be tried.

``SCENARIOS`` are declared tightly, ``SLOPPY`` as people declare trials. The order is fixed.
``docs/scenarios.md`` has a table of them all.
"""

from collections.abc import Mapping
from types import MappingProxyType

from dpwerm.parameters import one_of
from dpwerm.simulate.scenarios.kinds import (
    Categories,
    Circle,
    Confounded,
    CurvedBoth,
    CurvedOutcome,
    SameEffect,
    TruncatedNormal,
    UnitCube,
    ZeroOneBenefit,
)
from dpwerm.simulate.scenarios.scenario import Normal, Scenario, StudentT
from dpwerm.simulate.scenarios.sloppy import SLOPPY

_ALL: tuple[Scenario, ...] = (
    UnitCube(name="paper", tests="the paper's synthetic problem"),
    UnitCube(
        name="theta-1",
        tests="the paper's second set of coefficients",
        theta=(1.0, -1.0, -1.0, 1.5, -1.5),
    ),
    UnitCube(
        name="theta-2",
        tests="the paper's third set of coefficients, six features",
        theta=(1.0, -0.5, 0.5, 1.0, 1.5, -2.5, -2.0),
        bounds=(-10.0, 10.0),
    ),
    TruncatedNormal(name="truncated-normal", tests="features that crowd inside their bounds"),
    UnitCube(name="two-coefficients", tests="two features, both matter", theta=(0.2, 1.8, -2.2)),
    UnitCube(
        name="six-coefficients",
        tests="six features, all matter",
        theta=(1.0, 1.0, 1.0, -1.8, -2.2, 1.0, -1.0),
        bounds=(-10.0, 10.0),
    ),
    UnitCube(
        name="eight-coefficients",
        tests="eight features, all matter",
        theta=(1.0, 1.0, 1.0, -1.8, -2.2, 1.0, -1.0, 0.5, -0.5),
        bounds=(-10.0, 10.0),
    ),
    UnitCube(
        name="main-effect",
        tests="features that matter more in both arms than between them",
        main=(12.0, 0.0, 0.0, 6.0),
        bounds=(-6.0, 24.0),
    ),
    UnitCube(name="arms-2-1", tests="arms of unequal size", probabilities=("1/3", "2/3")),
    UnitCube(name="arms-9-1", tests="a rare arm", probabilities=("0.9", "0.1")),
    UnitCube(name="ten-features", tests="six of ten features are useless", useless=6),
    UnitCube(name="twenty-features", tests="sixteen of twenty features are useless", useless=16),
    ZeroOneBenefit(name="zero-one-benefit", tests="a benefit of 0 or 1"),
    UnitCube(
        name="heavy-tails",
        tests="rare, very large benefits and bounds far out",
        outcome=StudentT(),
        bounds=(-40.0, 40.0),
    ),
    UnitCube(
        name="nearly-constant",
        tests="one arm is better for almost everybody",
        theta=(2.3, 1.0, 1.0, -1.8, -2.2),
        bounds=(-12.0, 12.0),
    ),
    Categories(name="categories", tests="categories of three, five and two levels with numbers"),
    Circle(name="circle", tests="a curved boundary, which no linear rule can follow"),
    SameEffect(
        name="no-effect",
        tests="no difference between the arms",
        main=(2.0, 2.0, -2.0, -2.0),
        outcome=Normal(2.0),
        bounds=(-8.0, 8.0),
    ),
    SameEffect(
        name="constant-effect",
        tests="the second arm is better by the same amount for everybody",
        main=(2.0, 2.0, -2.0, -2.0),
        outcome=Normal(2.0),
        effect=1.0,
        bounds=(-8.0, 8.0),
    ),
)

_OBSERVATIONAL: tuple[Confounded, ...] = (
    Confounded(
        name="confounded",
        tests="people mostly received the arm that is worse for them",
        gains=(-14.0, -6.0, 6.0),
        logits=(1.5, 0.2, 0.0),
        main=(-3.0, 0.0, 0.0),
        level=72.0,
        floor="0.15",
    ),
    Confounded(
        name="indication",
        tests="sicker people received the strong drug, so that it seems to do harm",
        gains=(4.0, 8.0, 10.0),
        logits=(1.6, 0.0, 0.0),
        main=(-28.0, 0.0, 0.0),
        level=50.0,
        floor="0.15",
    ),
    CurvedOutcome(
        name="curved-outcome",
        tests="the same, and how people fare bends with severity and with age",
        gains=(4.0, 8.0, 10.0),
        logits=(1.6, 0.0, 0.0),
        level=50.0,
        floor="0.15",
    ),
    CurvedBoth(
        name="curved-both",
        tests="very mild and very severe cases received the strong drug and fare worse anyway",
        gains=(6.0, 8.0, 10.0),
        logits=(1.6, 0.0, 0.0),
        main=(-28.0, 0.0, 0.0),
        level=50.0,
        floor="0.15",
    ),
)

SCENARIOS: Mapping[str, Scenario] = MappingProxyType({each.name: each for each in _ALL})
"""Every trial by its name, in a fixed order."""

OBSERVATIONAL: Mapping[str, Confounded] = MappingProxyType(
    {each.name: each for each in _OBSERVATIONAL}
)
"""Every scenario without a design that fixes the arms' probabilities."""


def get_scenario(name: str) -> Scenario:
    """Return the scenario of that name: a trial, a sloppy one or an observational one."""
    every = {**SCENARIOS, **SLOPPY, **OBSERVATIONAL}
    return every[one_of("scenario", name, every)]
