"""Conditions of an evaluation: the rule, the study, the table and the options, each spoilt."""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.bad_input.base import (
    ADD_REMOVE,
    NUMBER_CANARY,
    PERSON_COLUMN,
    PROPENSITY_COLUMN,
    TEXT_CANARY,
    Cells,
    replaced,
)
from tests.bad_input.fitting import EditTable, as_it_is
from tests.bad_input.rule_files import CONDITIONS as RULE_FILES

from dpwerm import Budget

EditText = Callable[[str], str]
EditCells = Callable[[Cells], Cells]
ARMS = "arms = { pill = 0.5, therapy = 0.5 }"
SOME = (0, 5)


@dataclass(frozen=True)
class Evaluated:
    """One evaluation: what is spoilt of it.

    learned : edit of the study that the rule is learned from, which is also that of the evaluation
    study : further edit of the study of the evaluation
    rule, seeded : edit of the rule file, and whether a seed makes the rule not private
    options, arguments : of the command, and of ``treatment_value``
    model : text of a file with an outcome model
    asked : the name of the table that is asked for; ``trial.csv`` is written
    same_as : the table that gives the same sums, if the public rule says so
    """

    learned: EditText = as_it_is
    study: EditText = as_it_is
    table: EditTable = as_it_is
    rule: Callable[[str], str | bytes] = as_it_is
    seeded: bool = False
    options: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)
    model: str | bytes | None = None
    asked: str = "trial.csv"
    same_as: EditCells | None = None


@dataclass(frozen=True)
class Evaluation:
    """One line: by the command, in Python with a study, and in Python without one."""

    command: Evaluated | None = None
    studied: Evaluated | None = None
    alone: Evaluated | None = None


def _everywhere(**changes: Any) -> Evaluation:
    one = Evaluated(**changes)
    return Evaluation(one, one, one)


def _with_study(**changes: Any) -> Evaluation:
    one = Evaluated(**changes)
    return Evaluation(one, one)


def _option(name: str, text: str, value: Any) -> Evaluation:
    parameter = {"seed": "random_state"}.get(name, name)
    one = Evaluated(options=(f"--{name}", text), arguments={parameter: value})
    return Evaluation(one, one, one)


def _arguments(**arguments: Any) -> Evaluation:
    one = Evaluated(arguments=arguments)
    return Evaluation(None, one, one)


def _cells(edit: EditTable, same_as: EditCells | None = None, **changes: Any) -> Evaluation:
    return _everywhere(table=edit, same_as=same_as, **changes)


def _put(column: str, value: str, rows: tuple[int, ...] | None = SOME) -> EditCells:
    return lambda table: table.set(column, value, rows)


def _drop(*rows: int) -> EditCells:
    return lambda table: table.take([i for i in range(len(table.rows)) if i not in rows])


def _propensity(model: str) -> EditText:
    listed = 'arms = ["pill", "therapy"]\npropensity_floor = 0.1\n'
    return replaced(ARMS, f'{listed}propensity = {{ model = "{model}" }}')


def _damaged(name: str) -> Evaluation:
    return Evaluation(Evaluated(rule=RULE_FILES[name]))


def _model(first: str = "pill", coefficients: str = 'age = 0.1\n"sex=M" = 1\n') -> str:
    return "".join(
        f"[arms.{arm}]\nintercept = 1\n[arms.{arm}.coefficients]\n{coefficients}"
        for arm in (first, "therapy")
    )


def _modelled(model: str | bytes) -> Evaluation:
    return _everywhere(model=model)


def _one_model() -> str:
    text = _model()
    return text[text.index("[arms.therapy]") :]


CONDITIONS: Mapping[str, Evaluation] = {
    "epsilon zero": _option("epsilon", "0", 0),
    "epsilon negative": _option("epsilon", "-1", -1),
    "epsilon NaN": _option("epsilon", "nan", math.nan),
    "epsilon no number": _option("epsilon", "much", "much"),
    "epsilon infinite": _option("epsilon", "inf", math.inf),
    "epsilon above the study's total": _with_study(
        options=("--epsilon", "2.1"), arguments={"epsilon": "2.1"}
    ),
    "epsilon with a delta": _arguments(epsilon=Budget.of(1, "1e-6")),
    "rho for epsilon": _arguments(epsilon=Budget.zcdp("0.1")),
    "confidence below 0.5": _option("confidence", "0.4", 0.4),
    "confidence one": _option("confidence", "1", 1),
    "confidence in percent": _option("confidence", "95", 95),
    "confidence NaN": _option("confidence", "nan", math.nan),
    "confidence no number": _option("confidence", "high", "high"),
    "a seed": _option("seed", "1", 1),
    "seed negative": _option("seed", "-1", -1),
    "seed no whole number": _option("seed", "1.5", 1.5),
    "a rule that is not private": _everywhere(seeded=True),
    "a rule that is a path": _arguments(rule="rule.json"),
    "a rule file that was edited": _damaged("a coefficient edited"),
    "a rule file that was forged": _damaged("epsilon edited, new digest"),
    "a rule file cut off": _damaged("truncated"),
    "a value file in the place of the rule": Evaluation(
        Evaluated(rule=lambda text: json.dumps({**json.loads(text), "format": "dpwerm-value"}))
    ),
    "the study file in the place of the rule": Evaluation(
        Evaluated(rule=lambda text: "format = 1\n")
    ),
    "a study file with faults": Evaluation(
        Evaluated(study=replaced("bounds = [18, 80]", "bounds = [80, 18]"))
    ),
    "other arms": _with_study(study=replaced("pill = 0.5", "surgery = 0.5")),
    "arms in another order": _with_study(
        study=replaced(ARMS, "arms = { therapy = 0.5, pill = 0.5 }")
    ),
    "other probabilities of the arms": _with_study(
        study=replaced(ARMS, "arms = { pill = 0.25, therapy = 0.75 }")
    ),
    "a benefit with another direction": _with_study(
        study=replaced('column = "gain"', 'column = "gain"\ndirection = "smaller"')
    ),
    "a benefit with another transform": _with_study(
        study=replaced("bounds = [-10, 10]", 'bounds = [1, 10]\ntransform = "log"')
    ),
    "another benefit": _with_study(
        study=lambda text: text.replace('"gain"', '"chance"').replace("[-10, 10]", "[0, 1]")
    ),
    "a study with fewer features than the rule": _with_study(
        study=lambda text: text[: text.index("[features.sex]")] + text[text.index("[treatment]") :]
    ),
    "origin of the weights worst_case": _everywhere(
        learned=lambda text: PROPENSITY_COLUMN(text).replace('"external"', '"worst_case"')
    ),
    "a ridge model": _everywhere(learned=_propensity("ridge")),
    "a private model in the rule": _everywhere(learned=_propensity("private")),
    "a private model in the study and none in the rule": _with_study(study=_propensity("private")),
    "a column of the rule missing": _cells(lambda table: table.pick([0, 2, 3, 4])),
    "the arm or the benefit missing": _cells(lambda table: table.pick([0, 1, 2])),
    "the propensity column missing": _cells(
        lambda table: table.pick([0, 1, 2, 3, 4]), learned=PROPENSITY_COLUMN
    ),
    "columns extra and reordered": _cells(
        lambda table: table.add("note", [TEXT_CANARY] * len(table.rows)).pick([6, 5, 4, 3, 2, 1]),
        as_it_is,
    ),
    "columns duplicated": _cells(lambda table: table.add("age", [NUMBER_CANARY] * 24)),
    "a table that is no table": _cells(lambda table: b""),
    "a table of an unknown kind": _everywhere(asked="trial.xlsx"),
    "a table that does not exist": _everywhere(asked="none.csv"),
    "empty table under replace_one": _cells(lambda table: table.take([])),
    "empty table under add_remove": _cells(lambda table: table.take([]), learned=ADD_REMOVE),
    "several rows of one person": _with_study(
        study=PERSON_COLUMN, table=_put("person", TEXT_CANARY)
    ),
    "one row": _cells(lambda table: table.take([0])),
    "one arm only": _cells(_put("arm", "pill", None)),
    "an arm that is not declared": _cells(_put("arm", TEXT_CANARY), _drop(*SOME)),
    "a benefit missing": _cells(_put("gain", ""), _drop(*SOME)),
    "all benefits missing": _cells(_put("gain", "", None), _put("arm", "", None)),
    "text or infinity in the benefit": _cells(
        lambda table: table.set("gain", TEXT_CANARY, [0]).set("gain", "-inf", [5]), _drop(*SOME)
    ),
    "a benefit beyond its bounds": _cells(_put("gain", NUMBER_CANARY), _put("gain", "10")),
    "a number beyond its bounds": _cells(_put("age", NUMBER_CANARY), _put("age", "80")),
    "a number missing": _cells(_put("age", ""), _put("age", "49")),
    "a level that is not declared": _cells(_put("sex", TEXT_CANARY), _put("sex", "F")),
    "propensity above 1 in a row": _cells(
        _put("chance", NUMBER_CANARY), _put("chance", "0.9"), learned=PROPENSITY_COLUMN
    ),
    "propensity missing in a row": _cells(
        _put("chance", ""), _drop(*SOME), learned=PROPENSITY_COLUMN
    ),
    "outcome model as it should be": _modelled(_model()),
    "outcome model of other arms": _modelled(_model("surgery")),
    "outcome model of an arm with a line break": _modelled(_model('"pill\\n"')),
    "outcome model of one arm": _modelled(_one_model()),
    "outcome model of another column": _modelled(
        _model(coefficients='agee = 0.1\nage = 0.1\n"sex=M" = 1\n')
    ),
    "outcome model without one of the columns": _modelled(_model(coefficients='"sex=M" = 1\n')),
    "outcome model with an infinite coefficient": _modelled(
        _model(coefficients='age = inf\n"sex=M" = 1\n')
    ),
    "outcome model without coefficients": _modelled("arms = { pill = 1, therapy = 2 }\n"),
    "outcome model that is not TOML": Evaluation(Evaluated(model="arms: pill\n")),
    "outcome model that does not exist": Evaluation(
        Evaluated(options=("--outcome-model", "none.toml"))
    ),
}
