r"""The benefit of a row as a bounded, centred number v, by public steps only.

.. math:: v = \mathrm{clip}(\pm t(\mathrm{clip}(B, lo, hi)) - c,\; -V,\; V)

Centring by a public c leaves the best rule unchanged and halves the weight bound (theory of signed
weights); clipping comes last, after rounding, so |v| ≤ V holds for the doubles themselves.
"""

import math
from collections.abc import Mapping
from typing import Annotated, Literal, Self, cast

import numpy as np
from pydantic import Field, PlainValidator, ValidationInfo, field_validator, model_validator

from dpwerm.arrays import FloatArray
from dpwerm.faults import wrong
from dpwerm.features.blocks import Frozen
from dpwerm.parameters import SMALLEST
from dpwerm.study.values import Bounds, Line, Text, number, positive_number, word_or

Centre = Annotated[float | str | None, PlainValidator(word_or(number, "midpoint", "lower"))]
Clip = Annotated[
    float | str,
    PlainValidator(word_or(positive_number, "auto", "range", kind="a positive number")),
]
_NEEDED = ("bounds", "transform", "direction", "weights")


def transformed(bounds: tuple[float, float], transform: str, direction: str) -> tuple[float, float]:
    """Return the bounds after transform and direction."""
    lower, upper = (math.log(end) if transform == "log" else end for end in bounds)
    return (-upper, -lower) if direction == "smaller" else (lower, upper)


def largest_clip(limits: tuple[float, float], c: float, weights: str) -> float:
    """Return the largest |b − c| over the bounds, or the largest b − c for weights ≥ 0."""
    above, below = limits[1] - c, c - limits[0]
    return above if weights == "nonnegative" else max(above, below)


def _resolved_centre(
    declared: float | str | None, limits: tuple[float, float], weights: str
) -> float:
    if declared is None:
        declared = "midpoint" if weights == "signed" else "lower"
    if isinstance(declared, str):
        return limits[0] + (limits[1] - limits[0]) / 2 if declared == "midpoint" else limits[0]
    return declared


def _limits(data: Mapping[str, object]) -> tuple[float, float]:
    """Return the transformed bounds of the fields validated so far."""
    bounds = cast("tuple[float, float]", data["bounds"])
    return transformed(bounds, str(data["transform"]), str(data["direction"]))


class Benefit(Frozen):
    """Which column holds the benefit, its bounds there, and how it becomes v."""

    column: Text
    bounds: Bounds
    transform: Literal["identity", "log"] = "identity"
    direction: Literal["larger", "smaller"] = "larger"
    weights: Literal["signed", "nonnegative"] = "signed"
    declared_centre: Centre = Field(None, validation_alias="centre")
    declared_clip: Clip = Field("auto", validation_alias="clip")
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
        if isinstance(value, float) and all(key in info.data for key in _NEEDED):
            limits = _limits(info.data)
            if not limits[0] <= value <= limits[1]:
                raise wrong(
                    f"{value:g} lies outside the benefit's range",
                    f"after transform and direction it is [{limits[0]:g}, {limits[1]:g}]",
                )
            if largest_clip(limits, value, info.data["weights"]) < SMALLEST:
                raise wrong("no benefit lies above the centre", "choose a smaller centre")
        return value

    @field_validator("declared_clip")
    @classmethod
    def _clip_is_useful(cls, value: float | str, info: ValidationInfo) -> object:
        if isinstance(value, float) and all(
            key in info.data for key in (*_NEEDED, "declared_centre")
        ):
            limits, weights = _limits(info.data), info.data["weights"]
            c = _resolved_centre(info.data["declared_centre"], limits, weights)
            largest = largest_clip(limits, c, weights)
            if value > largest:
                raise wrong(
                    f"{value:g} exceeds every benefit and would only add noise",
                    f'at most {largest:.10g}, or "range" for exactly that',
                )
        return value

    @model_validator(mode="after")
    def _has_a_size(self) -> Self:
        if self.clip < SMALLEST:
            raise wrong(f"no benefit differs from the centre by {SMALLEST:g}", "widen the bounds")
        return self

    @property
    def range(self) -> tuple[float, float]:
        """The bounds after transform and direction."""
        return transformed(self.bounds, self.transform, self.direction)

    @property
    def centre(self) -> float:
        """The public constant c that is subtracted, after transform and direction."""
        return _resolved_centre(self.declared_centre, self.range, self.weights)

    @property
    def clip(self) -> float:
        """The bound V on |v|; as wide as the range while it is "auto"."""
        return self.largest_clip if isinstance(self.declared_clip, str) else self.declared_clip

    @property
    def largest_clip(self) -> float:
        """The largest V that is of use: no benefit differs more from the centre."""
        return largest_clip(self.range, self.centre, self.weights)

    @property
    def clip_is_open(self) -> bool:
        """Whether V is to be chosen."""
        return self.declared_clip == "auto"

    def clipped_at(self, share: float) -> Self:
        """Return the same benefit with V at a share in (0, 1] of the largest."""
        bound = max(self.largest_clip * share, SMALLEST) if share < 1 else self.largest_clip
        return self.model_copy(update={"declared_clip": bound})

    def centred(self, values: FloatArray) -> FloatArray:
        """Return v in [−V, V] ([0, V] for non-negative weights), shape (n,); NaN if missing."""
        v = np.where(np.isfinite(values), values, np.nan)
        np.clip(v, *self.bounds, out=v)
        if self.transform == "log":
            np.log(v, out=v)
        if self.direction == "smaller":
            np.negative(v, out=v)
        v -= self.centre
        least = 0.0 if self.weights == "nonnegative" else -self.clip
        clipped: FloatArray = np.clip(v, least, self.clip, out=v)
        return clipped
