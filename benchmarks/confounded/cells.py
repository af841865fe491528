"""One cell: an observational scenario, n, ε and what is done about confounding, over many tables.

    accuracy = share of people who get their better arm
    share = (V(T) − V(coin))/(V* − V(coin)), of the value that can be attained at all

Tables depend on scenario, n and the repeat alone, so methods and ε meet the same luck.
"""

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from dpwerm import PrivateTreatmentRule
from dpwerm.simulate.scenarios import OBSERVATIONAL
from dpwerm.simulate.scenarios.kinds import PROPENSITY, Confounded
from dpwerm.simulate.scenarios.scenario import Scenario
from dpwerm.study.study import Study

PEOPLE = 4_000
"""People on whom each rule is judged."""

SHARES = ("0.1", "0.2", "0.3", "0.4", "0.5", "0.7")
"""Parts of ε tried for the propensity model."""


def _with_share(share: str) -> Callable[[Confounded], Study]:
    def study(scenario: Confounded) -> Study:
        return scenario.study_with(scenario.observed({"model": "private", "share": share}))

    return study


def _ridge(scenario: Confounded) -> Study:
    return scenario.study_with(scenario.observed({"model": "ridge"}))


def _worst_case(scenario: Confounded) -> Study:
    return scenario.study_with(scenario.observed(PROPENSITY) | {"origin": "worst_case"})


def _benefit(scenario: Confounded, **keys: object) -> dict[str, object]:
    return {**scenario.benefit(), **keys}


def _centred(scenario: Confounded) -> Study:
    benefit = _benefit(scenario, centre=scenario.level)
    return scenario.study_with(Scenario.treatment(scenario), benefit)


def _private_centred(scenario: Confounded) -> Study:
    return scenario.study_with(scenario.treatment(), _benefit(scenario, centre=scenario.level))


def _private_range(scenario: Confounded) -> Study:
    return scenario.study_with(scenario.treatment(), _benefit(scenario, clip="range"))


def _known_range(scenario: Confounded) -> Study:
    treatment = scenario.observed(PROPENSITY) | {"origin": "external"}
    return scenario.study_with(treatment, _benefit(scenario, clip="range"))


METHODS: Mapping[str, Callable[[Confounded], Study]] = {
    "ignoring": Confounded.study_ignoring,
    "private": Confounded.study,
    "known": Confounded.study_knowing,
    "ridge": _ridge,
    "worst case": _worst_case,
    "ignoring, centred": _centred,
    "private, centred": _private_centred,
    "private, no clip": _private_range,
    "known, no clip": _known_range,
} | {f"private, share {share}": _with_share(share) for share in SHARES}
"""What each method declares; everything else is automatic."""


@dataclass(frozen=True)
class Cell:
    """What is simulated; ``epsilon`` is a text, "inf" for none; ``first`` is the first repeat."""

    scenario: str
    n: int
    epsilon: str
    method: str
    repeats: int
    first: int = 0


@dataclass(frozen=True)
class Result:
    """Means over the repeats with the half width of their 95 % intervals; all in %."""

    cell: Cell
    accuracy: float
    accuracy_half: float
    share: float
    share_half: float


def run(cell: Cell) -> Result:
    """Return the accuracy and the share of the attainable value of one cell."""
    scenario = OBSERVATIONAL[cell.scenario]
    study = METHODS[cell.method](scenario)
    people = scenario.people(PEOPLE, _rng(cell, -1))
    coin = float(scenario.means(people).mean())
    best = scenario.value(people, scenario.best(people))
    scores = []
    for repeat in range(cell.first, cell.first + cell.repeats):
        table = scenario.draw(cell.n, _rng(cell, repeat))
        rule = PrivateTreatmentRule.from_study(study, cell.epsilon, random_state=repeat)
        arms = rule.fit(table).predict(people)
        share = (scenario.value(people, arms) - coin) / (best - coin)
        scores.append((100 * scenario.accuracy(people, arms), 100 * share))
    found = np.array(scores)
    means = found.mean(axis=0)
    halves = 1.96 * found.std(axis=0, ddof=1) / np.sqrt(cell.repeats)
    return Result(cell, float(means[0]), float(halves[0]), float(means[1]), float(halves[1]))


def _rng(cell: Cell, repeat: int) -> np.random.Generator:
    return np.random.default_rng([zlib.crc32(cell.scenario.encode()), cell.n, repeat + 1])
