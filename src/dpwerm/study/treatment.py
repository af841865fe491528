"""The treatment: two arms, the first −1 and the second +1, and how likely each was.

A weight divides by P(arm received | x), so that probability must be known and bounded below:
P ≥ π_min, the smaller arm's probability, or the declared floor of a propensity.
"""

from fractions import Fraction
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
from pydantic import Field, PlainValidator, ValidationInfo, field_validator, model_validator

from dpwerm.arrays import FloatArray
from dpwerm.data.table import Table, normalise
from dpwerm.errors import ParameterError
from dpwerm.exact import round_down
from dpwerm.faults import shown, wrong
from dpwerm.features.blocks import Frozen
from dpwerm.study.propensity import (
    ASYMPTOTIC,
    ColumnPropensity,
    ExternalPropensity,
    Propensity,
    WrittenPropensity,
)
from dpwerm.study.values import BROKEN, Cell, Text, cell, probability
from dpwerm.text import stays_in_line

ORIGINS = {"private": "released", "ridge": "ridge", "external": "external"}
"""The weight origin that each model of the propensity brings with it."""


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
    if not all(map(stays_in_line, names)):
        raise wrong(f"an arm {BROKEN}", "rename it in the table and here")
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
    declared_propensity: WrittenPropensity = Field(None, validation_alias="propensity")
    propensity_floor: Annotated[Fraction, PlainValidator(floor_of)] | None = Field(
        None, validate_default=True
    )
    declared_origin: Literal["design", "external", "worst_case"] | None = Field(
        None, validation_alias="origin", validate_default=True
    )
    declared_default: Cell | None = Field(None, validation_alias="default")

    @field_validator("declared_propensity")
    @classmethod
    def _has_one_origin(cls, found: Propensity | None, info: ValidationInfo) -> Propensity | None:
        known = info.data.get("declared_arms")
        if found is None or known is None:
            return found
        if known.probabilities:
            raise wrong(
                "the arms already have probabilities",
                'write arms = ["first", "second"] or leave out the propensity',
            )
        if isinstance(found, ExternalPropensity):
            names = [normalise(name) for name in known.names]
            if normalise(found.arm) not in names:
                arms = shown(", ".join(known.names))
                raise wrong(f"{shown(found.arm)} is not an arm", f"arms: {arms}")
        return found

    @field_validator("propensity_floor")
    @classmethod
    def _floor_is_given(cls, floor: Fraction | None, info: ValidationInfo) -> Fraction | None:
        known, is_given = _propensity(info)
        if not known:
            return floor
        if is_given and floor is None:
            raise wrong("is needed with a propensity", "propensity_floor = 0.1")
        if not is_given and floor is not None:
            raise wrong("is only for a propensity", "leave out propensity_floor")
        return floor

    @field_validator("declared_origin", mode="before")
    @classmethod
    def _origin_is_no_limit(cls, origin: object) -> object:
        if origin == "asymptotic":
            raise wrong(f"cannot be asymptotic: {ASYMPTOTIC}", 'use model = "private"')
        return origin

    @field_validator("declared_origin")
    @classmethod
    def _origin_is_given(cls, origin: str | None, info: ValidationInfo) -> str | None:
        known, is_given = _propensity(info)
        has_column = is_given and isinstance(info.data["declared_propensity"], ColumnPropensity)
        if known and has_column and origin is None:
            remedy = 'origin = "design", "external" or "worst_case"'
            raise wrong("is needed with a propensity column", remedy)
        if known and is_given and not has_column and origin is not None:
            raise wrong("is only for a propensity column", "leave out origin")
        return origin

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
        if self.probabilities is None and self.declared_propensity is None:
            raise wrong(
                "the arms have no probabilities",
                'write arms = { S = "1/3", G = "2/3" } or declare a propensity',
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
    def propensity(self) -> Propensity | None:
        """Where P(second arm | x) comes from if the design does not fix it."""
        return self.declared_propensity

    @property
    def propensity_column(self) -> str | None:
        """The column that holds P(second arm | x), if one does."""
        found = self.declared_propensity
        return found.column if isinstance(found, ColumnPropensity) else None

    @property
    def default(self) -> str:
        """The arm recommended where f(x) = 0."""
        return self.declared_default or self.arms[0]

    @property
    def origin(self) -> str:
        """Where the probabilities come from, by the name of a weight origin."""
        model = getattr(self.declared_propensity, "model", "")
        return self.declared_origin or ORIGINS.get(model, "design")

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


def _propensity(info: ValidationInfo) -> tuple[bool, bool]:
    """Return whether arms and propensity are sound so far, and whether a propensity is given."""
    if "declared_propensity" not in info.data or "declared_arms" not in info.data:
        return False, False
    return True, info.data["declared_propensity"] is not None


def arm_labels(table: Table, treatment: Treatment) -> FloatArray:
    """Return the arm received as −1 or +1, shape (n,); NaN where it is missing or unknown."""
    lookup = {normalise(name): sign for name, sign in zip(treatment.arms, (-1.0, 1.0), strict=True)}
    codes, texts = table.factorised(treatment.column)
    labels: FloatArray = np.array([lookup.get(text, np.nan) for text in texts], dtype=float)[codes]
    return labels


def second_arm_probabilities(table: Table, treatment: Treatment) -> FloatArray | None:
    """Return P(second arm | x) as design or table give it, (n,); None where a model does."""
    if treatment.probabilities is not None:
        return np.full(table.n_rows, float(treatment.probabilities[1]))
    if treatment.propensity_column is None:
        return None
    return table.numbers(treatment.propensity_column)


def received_probabilities(
    treatment: Treatment, labels: FloatArray, second: FloatArray
) -> FloatArray:
    """Return P(arm received | x) in [π_min, 1], shape (n,); NaN where it is not known.

    labels: (n,) in {−1, +1, NaN}; second: (n,) P(second arm | x). A propensity is clipped to
    [floor, 1 − floor], after rounding, so that no weight exceeds V/π_min.
    """
    if treatment.probabilities is not None:
        of_first, of_second = (float(value) for value in treatment.probabilities)
        chosen = np.where(labels > 0, of_second, of_first)
        return np.where(np.isnan(labels), np.nan, chosen)
    within = np.clip(second, 0.0, 1.0)
    chosen = np.where(labels > 0, within, 1.0 - within)
    chosen = np.where(np.isnan(labels), np.nan, chosen)
    ceiling = float(1 - Fraction(treatment.propensity_floor or 0))
    clipped: FloatArray = np.clip(chosen, treatment.pi_min, ceiling)
    return clipped


def arm_probabilities(table: Table, treatment: Treatment, labels: FloatArray) -> FloatArray:
    """Return P(arm received | x) where design or table give it, as above."""
    second = second_arm_probabilities(table, treatment)
    if second is None:
        raise ParameterError("the probabilities of the arms follow from a model, not the table")
    return received_probabilities(treatment, labels, second)
