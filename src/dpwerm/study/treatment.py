"""The treatment: two arms, the first −1 and the second +1, and how likely each was.

A weight divides by P(arm received | x), so that probability must be known and bounded below:
P ≥ π_min, the smaller arm's probability, or the declared floor of a propensity column.
"""

from fractions import Fraction
from typing import Annotated, Literal, NamedTuple, Self, TypeVar

import numpy as np
from pydantic import Field, PlainValidator, ValidationInfo, field_validator, model_validator

from dpwerm.arrays import FloatArray
from dpwerm.exact import round_down
from dpwerm.study.blocks import Frozen
from dpwerm.study.cells import normalise
from dpwerm.study.faults import shown, wrong
from dpwerm.study.table import Table
from dpwerm.study.values import Cell, Text, cell, probability

T = TypeVar("T")


class Arms(NamedTuple):
    """The names of the two arms and, where the design fixes them, their probabilities."""

    names: tuple[str, str]
    probabilities: tuple[Fraction, Fraction] | None


def arms_of(value: object) -> Arms:
    """Return the arms of ``{ S = 0.333, G = 0.667 }`` or of ``["S", "G"]``."""
    if not isinstance(value, (dict, list, tuple)):
        raise wrong("must be a table of two arms with probabilities or a list of two arms")
    names = [cell(name) for name in value]
    if len(names) != 2:
        raise wrong(f"must be two arms, not {len(names)}")
    if normalise(names[0]) == normalise(names[1]):
        raise wrong("the two arms are the same (numbers are compared by value)")
    pair = (names[0], names[1])
    if not isinstance(value, dict):
        return Arms(pair, None)
    first, second = (probability(each) for each in value.values())
    if abs(first + second - 1) > Fraction(1, 10**9):
        total = float(first + second)
        raise wrong(f"the probabilities sum to {total:.10g}, not 1", 'thirds are written "1/3"')
    return Arms(pair, (first, second))


def floor_of(value: object) -> Fraction:
    """Return a floor in (0, 1/2]."""
    found = probability(value)
    if found > Fraction(1, 2):
        raise wrong(f"must be at most 0.5, not {shown(value)}")
    return found


class Treatment(Frozen):
    """Which column holds the arm received and where the probabilities of the arms come from."""

    column: Text
    declared_arms: Annotated[Arms, PlainValidator(arms_of)] = Field(validation_alias="arms")
    propensity_column: Text | None = Field(None, validation_alias="propensity")
    propensity_floor: Annotated[Fraction, PlainValidator(floor_of)] | None = Field(
        None, validate_default=True
    )
    declared_origin: Literal["design", "external", "worst_case"] | None = Field(
        None, validation_alias="origin", validate_default=True
    )
    declared_default: Cell | None = Field(None, validation_alias="default")

    @field_validator("propensity_column")
    @classmethod
    def _has_one_origin(cls, column: str | None, info: ValidationInfo) -> str | None:
        known = info.data.get("declared_arms")
        if column is not None and known and known.probabilities:
            raise wrong(
                "the arms already have probabilities",
                'write arms = ["first", "second"] or leave out the propensity column',
            )
        return column

    @field_validator("propensity_floor")
    @classmethod
    def _floor_is_given(cls, floor: Fraction | None, info: ValidationInfo) -> Fraction | None:
        return _with_column("propensity_floor", floor, info, "propensity_floor = 0.1")

    @field_validator("declared_origin")
    @classmethod
    def _origin_is_given(cls, origin: str | None, info: ValidationInfo) -> str | None:
        if origin is not None:
            return origin
        return _with_column("origin", None, info, 'origin = "design", "external" or "worst_case"')

    @field_validator("declared_default")
    @classmethod
    def _is_an_arm(cls, default: str | None, info: ValidationInfo) -> str | None:
        known = info.data.get("declared_arms")
        if default is None or known is None:
            return default
        for name in known.names:
            if normalise(name) == normalise(default):
                return str(name)
        raise wrong(f"{shown(default)} is not an arm", f"arms: {shown(', '.join(known.names))}")

    @model_validator(mode="after")
    def _has_probabilities(self) -> Self:
        if self.probabilities is None and self.propensity_column is None:
            raise wrong(
                "the arms have no probabilities",
                'write arms = { S = "1/3", G = "2/3" } or name a propensity column',
            )
        return self

    @property
    def arms(self) -> tuple[str, str]:
        """The arms, −1 first."""
        return self.declared_arms.names

    @property
    def probabilities(self) -> tuple[Fraction, Fraction] | None:
        """P(first arm), P(second arm) if the design fixes them."""
        return self.declared_arms.probabilities

    @property
    def default(self) -> str:
        """The arm recommended where f(x) = 0."""
        return self.declared_default or self.arms[0]

    @property
    def origin(self) -> str:
        """Where the probabilities come from: "design", "external" or "worst_case"."""
        return self.declared_origin or "design"

    @property
    def pi_min(self) -> float:
        """The lower bound on P(arm received | x), rounded down."""
        if self.probabilities is not None:
            return round_down(min(self.probabilities))
        return round_down(self.propensity_floor or Fraction(0))

    @property
    def columns(self) -> tuple[str, ...]:
        """The table columns that are read."""
        return tuple(name for name in (self.column, self.propensity_column) if name is not None)


def _with_column(key: str, value: T | None, info: ValidationInfo, remedy: str) -> T | None:
    """Return a value that must be given with a propensity column and only there."""
    if "propensity_column" not in info.data or "declared_arms" not in info.data:
        return value
    has_column = info.data["propensity_column"] is not None
    if has_column and value is None:
        raise wrong("is needed with a propensity column", remedy)
    if not has_column and value is not None:
        raise wrong("is only for a propensity column", f"leave out {key}")
    return value


def arm_labels(table: Table, treatment: Treatment) -> FloatArray:
    """Return the arm received as −1 or +1, shape (n,); NaN where it is missing or unknown."""
    lookup = {normalise(name): sign for name, sign in zip(treatment.arms, (-1.0, 1.0), strict=True)}
    codes, texts = table.factorised(treatment.column)
    labels: FloatArray = np.array([lookup.get(text, np.nan) for text in texts], dtype=float)[codes]
    return labels


def arm_probabilities(table: Table, treatment: Treatment, labels: FloatArray) -> FloatArray:
    """Return P(arm received | x) in [π_min, 1], shape (n,); NaN where it is not known.

    A propensity column holds P(second arm | x); it is clipped to [floor, 1 − floor], after
    rounding, so that no weight exceeds V/π_min.
    """
    if treatment.probabilities is not None:
        first, second = (float(value) for value in treatment.probabilities)
        of_second: FloatArray | float = second
        of_first: FloatArray | float = first
    else:
        of_second = np.clip(table.numbers(str(treatment.propensity_column)), 0.0, 1.0)
        of_first = 1.0 - of_second
    chosen = np.where(labels > 0, of_second, of_first)
    chosen = np.where(np.isnan(labels), np.nan, chosen)
    if treatment.probabilities is not None:
        return chosen
    ceiling = float(1 - Fraction(treatment.propensity_floor or 0))
    clipped: FloatArray = np.clip(chosen, treatment.pi_min, ceiling)
    return clipped
