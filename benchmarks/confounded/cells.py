"""One cell: an observational scenario, n, ε and what is done about confounding, many tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from benchmarks import accuracy
from benchmarks.accuracy import Judge, Result, trial_rng
from dpwerm import PrivateTreatmentRule
from dpwerm.simulate.scenarios import OBSERVATIONAL
from dpwerm.simulate.scenarios.kinds import PROPENSITY, Confounded
from dpwerm.study.study import Study

SHARES = ("0.2", "0.3", "0.4", "0.5", "0.7")
"""Parts of ε tried for the propensity model."""

Declared = Callable[[Confounded], Study]


def _model(**keys: str) -> Declared:
    """Return what declares a model of the propensity."""
    return lambda scenario: scenario.study_with(scenario.observed(keys))


def _worst_case(scenario: Confounded) -> Study:
    return scenario.study_with(scenario.observed(PROPENSITY) | {"origin": "worst_case"})


FORMS = {"arm-wise": "linear", "arm-wise, squares": "squares", "arm-wise, cubes": "cubes"}
"""The forms of the main effect that a study declares for its model of the outcome."""

METHODS: Mapping[str, Declared] = {
    "ignoring": Confounded.study_ignoring,
    "private": Confounded.study,
    **dict.fromkeys(FORMS, _model(model="outcome")),
    "known": Confounded.study_knowing,
    "ridge": _model(model="ridge"),
    "worst case": _worst_case,
    **{f"private, share {share}": _model(model="private", share=share) for share in SHARES},
}
"""What each method declares; everything else is automatic."""


@dataclass(frozen=True)
class Cell(accuracy.Cell):
    """What is simulated; ``first`` is the first repeat."""

    first: int = 0


def run(cell: Cell) -> Result[Cell]:
    """Return what the rules of one cell did."""
    scenario = OBSERVATIONAL[cell.scenario]
    study, form = METHODS[cell.method](scenario), FORMS.get(cell.method, "linear")
    judge, marks = Judge.of(scenario, cell.n), []
    for repeat in range(cell.first, cell.first + cell.repeats):
        table = scenario.draw(cell.n, trial_rng(cell.scenario, cell.n, repeat))
        rule = PrivateTreatmentRule.from_study(
            study, cell.epsilon, main_effect=form, random_state=repeat
        )
        marks.append(judge.marks(rule.fit(table).predict(judge.people)))
    return Result.of(cell, marks)
