"""One cell: an observational scenario, n, ε and what is done about confounding, over many tables.

accuracy = share of people who get their better arm
share = (V(T) − V(coin))/(V* − V(coin)), of the value that can be attained at all
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks import accuracy
from benchmarks.accuracy import PEOPLE, trial_rng, with_halves
from dpwerm import PrivateTreatmentRule
from dpwerm.simulate.scenarios import OBSERVATIONAL
from dpwerm.simulate.scenarios.kinds import PROPENSITY, Confounded
from dpwerm.simulate.scenarios.scenario import Scenario
from dpwerm.study.study import Study

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
class Cell(accuracy.Cell):
    """What is simulated; ``first`` is the first repeat."""

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
    people = scenario.people(PEOPLE, trial_rng(cell.scenario, cell.n, -1))
    coin = float(scenario.means(people).mean())
    best = scenario.value(people, scenario.best(people))
    scores = []
    for repeat in range(cell.first, cell.first + cell.repeats):
        table = scenario.draw(cell.n, trial_rng(cell.scenario, cell.n, repeat))
        rule = PrivateTreatmentRule.from_study(study, cell.epsilon, random_state=repeat)
        arms = rule.fit(table).predict(people)
        share = (scenario.value(people, arms) - coin) / (best - coin)
        scores.append((100 * scenario.accuracy(people, arms), 100 * share))
    right, attained = with_halves(scores)
    return Result(cell, *right, *attained)
