"""How each condition of the table's sections about fitting is brought about."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tests.bad_input.arrays import Fit
from tests.bad_input.base import Cells

EditStudy = Callable[[str], str | bytes]
EditTable = Callable[[Cells], Cells | bytes]


def as_it_is(value: Any) -> Any:
    """Return the value unspoilt."""
    return value


@dataclass(frozen=True)
class Through:
    """A run through a study: what is spoilt, and the options of the command.

    ``same_as`` is the table that gives the same rule, if the public rule says so, and
    ``same_study`` the study that goes with it.
    """

    study: EditStudy = as_it_is
    table: EditTable = as_it_is
    options: tuple[str, ...] = ()
    table_name: str = "trial.csv"
    same_as: Callable[[Cells], Cells] | None = None
    same_study: EditStudy = as_it_is


@dataclass(frozen=True)
class Condition:
    """One line of a table: how to meet it in each of the three columns; None where one cannot."""

    check: Through | None = None
    fit: Through | None = None
    arrays: tuple[Fit, ...] = ()


Conditions = Mapping[str, Condition]


def study_says(edit: EditStudy, *arrays: Fit) -> Condition:
    """Return a condition written into the study file."""
    return Condition(Through(edit), Through(edit), arrays)


def option(edit: EditStudy, name: str, value: str, *arrays: Fit) -> Condition:
    """Return a condition that ``check`` meets in the study file and ``fit`` in an option."""
    return Condition(Through(edit), Through(options=(name, value)), arrays)


def only_option(*options: str, arrays: tuple[Fit, ...] = ()) -> Condition:
    """Return a condition that only an option of ``fit`` brings about."""
    return Condition(None, Through(options=options), arrays)


def cells(
    edit: EditTable,
    *arrays: Fit,
    study: EditStudy = as_it_is,
    same_as: Callable[[Cells], Cells] | None = None,
    same_study: EditStudy = as_it_is,
    name: str = "trial.csv",
) -> Condition:
    """Return a condition met in the table."""
    run = Through(study, edit, table_name=name, same_as=same_as, same_study=same_study)
    return Condition(run, run, arrays)
