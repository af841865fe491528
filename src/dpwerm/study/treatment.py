"""The treatment, and what a rule keeps of its study: treatment, benefit, and sources of bounds.

There are two arms, the first −1 and the second +1. A weight divides by P(arm received | x), so that
probability must be known and bounded below: P ≥ π_min, the smaller arm's probability, or the
declared floor of a propensity. Where it counts as known by design it must follow from the person's
own row by what was fixed before the first person; adaptive allocation is no such design.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Annotated, Any, Final, Literal, NamedTuple, Self

import numpy as np
from pydantic import (
    Field,
    PlainValidator,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from dpwerm.arrays import FloatArray
from dpwerm.data.table import Table, normalise
from dpwerm.errors import ParameterError
from dpwerm.exact import round_down
from dpwerm.faults import faults_of, shown, wrong
from dpwerm.features.blocks import Frozen, ReadOnly
from dpwerm.study.propensity import (
    DECLARABLE,
    ColumnPropensity,
    ExternalPropensity,
    NoPropensity,
    Propensity,
    WrittenPropensity,
    refuse_limit,
)
from dpwerm.study.values import BROKEN, Cell, Text, cell, probability
from dpwerm.study.variables import EXPECTED, Benefit
from dpwerm.text import stays_in_line

Keys = Mapping[str, Any]

ADAPTIVE: Final = "adaptive"
"""The allocation of an urn, of minimisation, of any design that looks at earlier people."""

PLAUSIBLE_FLOOR = Fraction(1, 10)
"""Where no probabilities are known; only synthetic trials use it."""

_WAYS = (
    'use arms = ["S", "G"] with propensity = { model = "private" }, or origin = "worst_case"; '
    "leave out allocation if the protocol fixed one ratio for everybody"
)
"""The ways out, each of them covered by docs/proofs/weight-origin.md."""


class Arms(NamedTuple):
    """The names of the two arms and, where the design fixes them, their probabilities."""

    names: tuple[str, str]
    probabilities: tuple[Fraction, Fraction] | None

    def named(self, written: str) -> str:
        """Return the arm that a cell of this text would hold; another text is refused."""
        for name in self.names:
            if normalise(name) == normalise(written):
                return name
        raise wrong(f"{shown(written)} is not an arm", f"arms: {shown(', '.join(self.names))}")


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
    propensity: WrittenPropensity = None
    propensity_floor: Annotated[Fraction, PlainValidator(floor_of)] | None = Field(
        None, validate_default=True
    )
    declared_origin: str | None = Field(None, validation_alias="origin", validate_default=True)
    allocation: Literal["fixed", "adaptive"] = "fixed"
    declared_default: Cell | None = Field(None, validation_alias="default")

    @field_validator("propensity")
    @classmethod
    def _has_one_origin(cls, found: Propensity | None, info: ValidationInfo) -> Propensity | None:
        known = info.data.get("declared_arms")
        if found is None or known is None:
            return found
        if known.probabilities:
            remedy = 'write arms = ["first", "second"] or leave out the propensity'
            raise wrong("the arms already have probabilities", remedy)
        if isinstance(found, ExternalPropensity):
            known.named(found.arm)
        return found

    @field_validator("propensity_floor")
    @classmethod
    def _floor_is_given(cls, floor: Fraction | None, info: ValidationInfo) -> Fraction | None:
        known, is_given = _propensity(info)
        if known and is_given and isinstance(info.data["propensity"], NoPropensity):
            return floor
        if known and is_given and floor is None:
            raise wrong("is needed with a propensity", "propensity_floor = 0.1")
        if known and not is_given and floor is not None:
            raise wrong("is only for a propensity", "leave out propensity_floor")
        return floor

    @field_validator("declared_origin", mode="before")
    @classmethod
    def _origin_is_known(cls, origin: object) -> object:
        refuse_limit(origin)
        if origin is not None and not (isinstance(origin, str) and origin in DECLARABLE):
            *some, last = map(repr, DECLARABLE)
            raise wrong(f"must be {', '.join(some)} or {last}")
        return origin

    @field_validator("declared_origin")
    @classmethod
    def _origin_is_given(cls, origin: str | None, info: ValidationInfo) -> str | None:
        known, is_given = _propensity(info)
        has_column = is_given and isinstance(info.data["propensity"], ColumnPropensity)
        if known and has_column and origin is None:
            *some, last = (f'"{name}"' for name in DECLARABLE)
            remedy = f"origin = {', '.join(some)} or {last}"
            raise wrong("is needed with a propensity column", remedy)
        if known and is_given and not has_column and origin is not None:
            raise wrong("is only for a propensity column", "leave out origin")
        return origin

    @field_validator("allocation")
    @classmethod
    def _is_not_by_design(cls, allocation: str, info: ValidationInfo) -> str:
        known, is_given = _propensity(info)
        if allocation != ADAPTIVE or not known or "declared_origin" not in info.data:
            return allocation
        has_model = is_given and not isinstance(info.data["propensity"], ColumnPropensity)
        origin = info.data["declared_origin"] or "design"
        if not has_model and DECLARABLE[origin]:
            problem = f"probabilities that depend on earlier people have no origin {origin!r}"
            raise wrong(problem, _WAYS)
        return allocation

    @field_validator("declared_default")
    @classmethod
    def _is_an_arm(cls, default: str | None, info: ValidationInfo) -> str | None:
        known: Arms | None = info.data.get("declared_arms")
        return default if default is None or known is None else known.named(default)

    @model_validator(mode="after")
    def _has_probabilities(self) -> Self:
        if self.probabilities is None and self.propensity is None:
            remedy = 'write arms = { S = "1/3", G = "2/3" } or declare a propensity'
            raise wrong("the arms have no probabilities", remedy)
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
    def propensity_column(self) -> str | None:
        """The column that holds P(second arm | x), if one does."""
        return self.propensity.column if isinstance(self.propensity, ColumnPropensity) else None

    @property
    def default(self) -> str:
        """The arm recommended where f(x) = 0."""
        return self.declared_default or self.arms[0]

    @property
    def origin(self) -> str:
        """Where the probabilities come from, by the name of a weight origin."""
        of_model = None if self.propensity is None else self.propensity.origin
        return self.declared_origin or of_model or "design"

    @property
    def pi_min(self) -> float:
        """The lower bound on P(arm received | x), rounded down."""
        if self.probabilities is not None:
            return round_down(min(self.probabilities))
        floor = self.propensity_floor
        if isinstance(self.propensity, NoPropensity):
            floor = floor or PLAUSIBLE_FLOOR
        return round_down(floor or Fraction(0))

    @property
    def columns(self) -> tuple[str, ...]:
        """The table columns that are read."""
        return tuple(name for name in (self.column, self.propensity_column) if name is not None)


def _propensity(info: ValidationInfo) -> tuple[bool, bool]:
    """Return whether arms and propensity are sound so far, and whether a propensity is given."""
    if "propensity" not in info.data or "declared_arms" not in info.data:
        return False, False
    return True, info.data["propensity"] is not None


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


@dataclass(frozen=True)
class Declaration:
    """Treatment and benefit as a study file declares them, and where bounds come from."""

    treatment: Treatment
    benefit: Benefit
    study_id: str = ""
    study_name: str = ""
    sources: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sources", ReadOnly(self.sources))

    @property
    def title(self) -> str:
        """The study's name, or its id, or a plain word."""
        return self.study_name or self.study_id or "a treatment rule"

    @classmethod
    def of_keys(
        cls, treatment: Keys, benefit: Keys, names: Mapping[str, str] | None = None
    ) -> Self:
        """Return the declaration of a study file's keys; every fault is one parameter error.

        names: what a key is called where the error will be read, if not by its own name.
        """
        declared: list[Any] = []
        faults = []
        for model, keys in ((Treatment, treatment), (Benefit, benefit)):
            try:
                declared.append(model.model_validate(dict(keys)))
            except ValidationError as error:
                faults += faults_of(error)
        if faults:
            known = names or {}
            called = [replace(fault, where=known.get(fault.where, fault.where)) for fault in faults]
            raise ParameterError("; ".join(str(fault) for fault in called))
        return cls(*declared)

    @classmethod
    def of_record(cls, treatment: Keys, benefit: Keys) -> Self:
        """Return the declaration of a rule file; the inverse of the two methods below.

        Arms are a list there: their order decides which is −1, and the order of keys in a JSON
        object decides nothing.
        """
        keys = dict(treatment)
        if foreign := [name for name in EXPECTED if name in benefit]:
            raise ParameterError(f"{foreign[0]}: is for plans, and no rule keeps it")
        arms = _two_texts("arms", keys.get("arms"))
        if "probabilities" in keys:
            probabilities = _two_texts("probabilities", keys.pop("probabilities"))
            keys["arms"] = dict(zip(arms, probabilities, strict=True))
        return cls.of_keys(keys, benefit)

    def checked(self) -> Self:
        """Return this declaration if a rule file can hold it; called before any row is read."""
        back = self.of_record(self.treatment_keys(), self.benefit_keys())
        same = back.treatment_keys() == self.treatment_keys()
        if not (same and back.benefit_keys() == self.benefit_keys()):
            raise ParameterError("treatment and benefit cannot be written to a rule file exactly")
        return self

    def clipped_at(self, share: float | None) -> Self:
        """Return this declaration with V at a share of the largest, if it was left open."""
        if share is None or not self.benefit.clip_is_open:
            return self
        return replace(self, benefit=self.benefit.clipped_at(share))

    def treatment_keys(self) -> dict[str, Any]:
        """Return the treatment as plain values that ``of_record`` reads back."""
        treatment = self.treatment
        keys: dict[str, Any] = {
            "column": treatment.column,
            "arms": list(treatment.arms),
            "origin": treatment.origin,
            "default": treatment.default,
        }
        if treatment.allocation == ADAPTIVE:  # earlier versions had no such key
            keys["allocation"] = ADAPTIVE
        if treatment.probabilities is not None:
            return {**keys, "probabilities": [str(one) for one in treatment.probabilities]}
        if treatment.declared_origin is None:  # a model brings its own
            del keys["origin"]
        model = treatment.propensity
        written = treatment.propensity_column or (model and model.model_dump(mode="json"))
        keys["propensity"] = written
        if treatment.propensity_floor is not None:
            keys["propensity_floor"] = str(treatment.propensity_floor)
        return keys

    def benefit_keys(self) -> dict[str, Any]:
        """Return the benefit as plain values that ``of_record`` reads back, no default left."""
        benefit = self.benefit
        written = {"declared_centre", "declared_clip", "source", *EXPECTED}
        if benefit.kind == "number":  # earlier versions had no such key
            written.add("kind")
        keys = benefit.model_dump(mode="json", exclude=written)
        keys |= {"centre": benefit.centre, "clip": benefit.clip}
        return keys | ({"source": benefit.source} if benefit.source else {})


def _two_texts(name: str, value: object) -> list[str]:
    if isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value):
        return value
    raise ParameterError(f"{name}: must be a list of two texts")
