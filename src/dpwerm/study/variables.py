r"""Declared variables: features and the benefit, with bounds and levels from outside the data.

A benefit becomes a bounded, centred number v by public steps only:

.. math:: v = \mathrm{clip}(\pm t(\mathrm{clip}(B, lo, hi)) - c,\; -V,\; V)

Centring by a public c leaves the best rule unchanged and halves the weight bound (theory of signed
weights); clipping comes last, after rounding, so |v| ≤ V holds for the doubles themselves.
"""

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, PlainValidator, ValidationInfo, field_validator, model_validator

from dpwerm.arrays import FloatArray
from dpwerm.data.table import normalise
from dpwerm.faults import shown, wrong
from dpwerm.features.blocks import MAX_CELLS, MAX_LEVELS, CategoryBlock, Frozen, Level, NumberBlock
from dpwerm.parameters import SMALLEST
from dpwerm.study import values
from dpwerm.study.values import Bounds, Cell, Line, Real, Text, cell, word_or
from dpwerm.text import stays_in_line


class NumberFeature(Frozen):
    """A number within bounds; a missing value is the default, by default the midpoint."""

    kind: Literal["number"]
    column: Text | None = None
    bounds: Bounds
    default: Real | None = None
    source: Line | None = None

    @field_validator("default")
    @classmethod
    def _within_bounds(cls, default: float | None, info: ValidationInfo) -> float | None:
        limits = info.data.get("bounds")
        if default is not None and limits and not limits[0] <= default <= limits[1]:
            raise wrong(f"{default:g} lies outside the bounds", "give a number within the bounds")
        return default

    def block(self, name: str) -> NumberBlock:
        """Return the encoded block of this feature."""
        lower, upper = self.bounds
        default = lower + (upper - lower) / 2 if self.default is None else self.default
        column = self.column or name
        return NumberBlock(name=name, column=column, lower=lower, upper=upper, default=default)


def _can_name(name: object) -> bool:
    """Return whether a level can have this name: 1 to 64 printable characters, no outer spaces."""
    if not isinstance(name, str) or not 1 <= len(name.strip()) == len(name) <= 64:
        return False
    return name.isprintable() and stays_in_line(name)


def levels_of(value: object) -> tuple[Level, ...]:
    """Return the levels of ``["F", "M"]`` or ``{ W = ["W"], other = "*" }``, all faults in one."""
    if isinstance(value, dict):
        written = list(value.items())
    elif isinstance(value, (list, tuple)):
        written = [(cell(item), [item]) for item in value]
        if "*" in value:
            raise wrong('a list cannot hold "*"', 'write levels = { W = ["W"], other = "*" }')
    else:
        raise wrong("must be a list or a table of levels")
    problems = [] if 2 <= len(written) <= MAX_LEVELS else [f"must be 2 to {MAX_LEVELS:,} levels"]
    if sum(cells == "*" for _, cells in written) > 1:
        problems.append('only one level can be "*"')
    found = []
    names: set[str] = set()
    seen: set[str | None] = set()
    for name, cells in written[:MAX_LEVELS]:
        if not _can_name(name) or name in names:
            problems.append(f"{shown(name)} cannot name a level, or names two")
            continue
        names.add(name)
        if cells == "*":
            found.append(Level(name=name, cells="*"))
            continue
        if not isinstance(cells, (list, tuple)) or not 1 <= len(cells) <= MAX_CELLS:
            problems.append(f'level {shown(name)} must be a list of cell values or "*"')
            continue
        texts = tuple(cell(item) for item in cells)
        for one in texts:
            if normalise(one) in seen:
                problems.append(f"{shown(one)} stands twice (numbers are compared by value)")
            seen.add(normalise(one))
        found.append(Level(name=name, cells=texts))
    if problems:
        raise wrong("; ".join(dict.fromkeys(problems)))
    return tuple(found)


class CategoryFeature(Frozen):
    """A category; a missing cell is the default level, by default the first."""

    kind: Literal["category"]
    column: Text | None = None
    levels: Annotated[tuple[Level, ...], PlainValidator(levels_of)]
    default: Cell | None = None
    source: Line | None = None

    @field_validator("default")
    @classmethod
    def _is_a_level(cls, default: str | None, info: ValidationInfo) -> str | None:
        known = [level.name for level in info.data.get("levels", ())]
        if default is not None and known and default not in known:
            raise wrong(f"{shown(default)} is not a level", f"levels: {shown(', '.join(known))}")
        return default

    def block(self, name: str) -> CategoryBlock:
        """Return the encoded block of this feature."""
        column, default = self.column or name, self.default or self.levels[0].name
        return CategoryBlock(name=name, column=column, levels=self.levels, default=default)


Feature = Annotated[NumberFeature | CategoryFeature, Field(discriminator="kind")]


Centre = Annotated[float | str | None, PlainValidator(word_or(values.number, "midpoint", "lower"))]
_CLIP = word_or(values.positive_number, "auto", "range", kind="a positive number")
Clip = Annotated[float | str, PlainValidator(_CLIP)]
Sd = Annotated[float, PlainValidator(values.positive_number)]
EffectSd = Annotated[float, PlainValidator(values.scale)]
EXPECTED = ("expected_sd", "expected_effect_sd")
"""What a protocol expects of the benefit: for plans alone, and no part of what a rule keeps."""

_NEEDED = {"bounds", "transform", "direction", "weights", "declared_centre"}


class Benefit(Frozen):
    """Which column holds the benefit, its bounds there, and how it becomes v."""

    column: Text
    bounds: Bounds
    transform: Literal["identity", "log"] = "identity"
    direction: Literal["larger", "smaller"] = "larger"
    weights: Literal["signed", "nonnegative"] = "signed"
    declared_centre: Centre = Field(None, validation_alias="centre")
    declared_clip: Clip = Field("auto", validation_alias="clip")
    kind: Literal["number", "yes-no", "points"] = "number"
    expected_sd: Sd | None = None
    expected_effect_sd: EffectSd | None = None
    source: Line | None = None

    @field_validator("transform")
    @classmethod
    def _log_is_defined(cls, transform: str, info: ValidationInfo) -> str:
        bounds = info.data.get("bounds")
        if transform == "log":
            if bounds and bounds[0] <= 0:
                raise wrong("log needs a lower bound above 0", "raise bounds[0]")
            if bounds and math.log(bounds[1]) - math.log(bounds[0]) < SMALLEST:
                raise wrong("the bounds hardly differ after log", "widen the bounds")
        return transform

    @field_validator("declared_centre")
    @classmethod
    def _centre_is_within(cls, value: float | str | None, info: ValidationInfo) -> object:
        so_far = cls._so_far(info, declared_centre=value)
        if so_far is not None and isinstance(value, float):
            lower, upper = so_far.range
            if not lower <= value <= upper:
                remedy = f"after transform and direction it is [{lower:g}, {upper:g}]"
                raise wrong(f"{value:g} lies outside the benefit's range", remedy)
            if so_far.largest_clip < SMALLEST:
                raise wrong("no benefit lies above the centre", "choose a smaller centre")
        return value

    @field_validator("declared_clip")
    @classmethod
    def _clip_is_useful(cls, value: float | str, info: ValidationInfo) -> object:
        so_far = cls._so_far(info)
        if so_far is not None and isinstance(value, float) and value > so_far.largest_clip:
            remedy = f'at most {so_far.largest_clip:.10g}, or "range" for exactly that'
            raise wrong(f"{value:g} exceeds every benefit and would only add noise", remedy)
        return value

    @field_validator("expected_sd")
    @classmethod
    def _sd_fits_the_bounds(cls, value: float | None, info: ValidationInfo) -> float | None:
        so_far = cls._so_far(info, declared_centre=None)
        if so_far is not None and value is not None:
            lower, upper = so_far.range
            if value > (upper - lower) / 2:
                remedy = f"at most {(upper - lower) / 2:.10g}, half of what the bounds leave"
                raise wrong(f"no benefit within its bounds has an sd of {value:g}", remedy)
        return value

    @field_validator("expected_effect_sd")
    @classmethod
    def _effect_is_part_of_the_sd(cls, value: float | None, info: ValidationInfo) -> float | None:
        if value is None or "expected_sd" not in info.data:
            return value
        sd = info.data["expected_sd"]
        if sd is None:
            raise wrong("needs expected_sd beside it", "the sd of the benefit within an arm")
        if value > 2 * sd:
            remedy = f"at most {2 * sd:.10g}: half of the effect's sd is part of the benefit's"
            raise wrong(f"{value:g} is more than twice expected_sd", remedy)
        return value

    @classmethod
    def _so_far(cls, info: ValidationInfo, **checked: object) -> Self | None:
        """Return the benefit of the fields that are sound so far, None if too few of them are."""
        sound = {**info.data, **checked}
        return cls.model_construct(**sound) if sound.keys() >= _NEEDED else None

    @model_validator(mode="after")
    def _has_a_size(self) -> Self:
        if self.clip < SMALLEST:
            raise wrong(f"no benefit differs from the centre by {SMALLEST:g}", "widen the bounds")
        return self

    @property
    def values(self) -> int | None:
        """How many values synthetic trials give the benefit, None for any number."""
        return {"number": None, "yes-no": 2, "points": 5}[self.kind]

    @property
    def range(self) -> tuple[float, float]:
        """The bounds after transform and direction."""
        lower, upper = (math.log(end) if self.transform == "log" else end for end in self.bounds)
        return (-upper, -lower) if self.direction == "smaller" else (lower, upper)

    @property
    def centre(self) -> float:
        """The public constant c that is subtracted, after transform and direction."""
        declared, (lower, upper) = self.declared_centre, self.range
        if declared is None:
            declared = "midpoint" if self.weights == "signed" else "lower"
        if isinstance(declared, str):
            return lower + (upper - lower) / 2 if declared == "midpoint" else lower
        return declared

    @property
    def clip(self) -> float:
        """The bound V on |v|; as wide as the range while it is "auto"."""
        return self.largest_clip if isinstance(self.declared_clip, str) else self.declared_clip

    @property
    def largest_clip(self) -> float:
        """The largest V that is of use: the largest |b − c|, or b − c for weights ≥ 0."""
        (lower, upper), c = self.range, self.centre
        return upper - c if self.weights == "nonnegative" else max(upper - c, c - lower)

    @property
    def clip_is_open(self) -> bool:
        """Whether V is to be chosen."""
        return self.declared_clip == "auto"

    def clipped_at(self, share: float) -> Self:
        """Return the same benefit with V at a share in (0, 1] of the largest."""
        bound = max(self.largest_clip * share, SMALLEST) if share < 1 else self.largest_clip
        return self.model_copy(update={"declared_clip": bound})

    def expecting(self, **expected: float | None) -> Self:
        """Return the same benefit with other expectations; a wrong one is a validation error.

        A name is one of EXPECTED; None says nothing.
        """
        declared = {name: getattr(self, name) for name in self.model_fields_set - {*EXPECTED}}
        known = {name: getattr(self, name) for name in EXPECTED}
        told = {name: one for name, one in (known | expected).items() if one is not None}
        fields = type(self).model_fields
        named = {str(fields[name].validation_alias or name): one for name, one in declared.items()}
        return type(self).model_validate({**named, **told})

    def without_expectations(self) -> Self:
        """Return what a rule keeps of this benefit."""
        return self.model_copy(update=dict.fromkeys(EXPECTED))

    def centred(self, values: FloatArray) -> FloatArray:
        """Return v in [−V, V] ([0, V] for non-negative weights), shape (n,); NaN if missing."""
        v = self._directed(values)
        v -= self.centre
        least = 0.0 if self.weights == "nonnegative" else -self.clip
        clipped: FloatArray = np.clip(v, least, self.clip, out=v)
        return clipped

    def scaled(self, values: FloatArray) -> FloatArray:
        """Return benefits in units of half their range, 0 in the middle, (n,); NaN if missing."""
        lower, upper = self.range
        v = self._directed(values)
        v -= lower + (upper - lower) / 2
        v /= (upper - lower) / 2
        return np.clip(v, -1.0, 1.0, out=v)

    def _directed(self, values: FloatArray) -> FloatArray:
        """Return values within the bounds after transform and direction; NaN if missing."""
        v = np.where(np.isfinite(values), values, np.nan)
        np.clip(v, *self.bounds, out=v)
        if self.transform == "log":
            np.log(v, out=v)
        if self.direction == "smaller":
            np.negative(v, out=v)
        return v
